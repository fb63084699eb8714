// A process that audits runs: `FILE COUNT STEPS [cut]`.
//
// Prints `begun`, one JSON line for each run, and `done`. If `killAt` is set, the run waits after STEPS steps and
// prints `events N`, the number so far, until it is killed.

import { PlanGraph, run } from "stepgraph";
import { audited, openAudit } from "stepgraph/audit";

const [file, count, steps, killAt] = process.argv.slice(2);
const { graph } = PlanGraph.parse(`
id: worker
start: work
limits: {visits: 1000000}
nodes:
  work: {type: work}
  done: {type: log}
edges:
  - {from: work, to: work, condition: "last.left>0"}
  - {from: work, to: done}
`);
const print = (text) => process.stdout.write(`${text}\n`);
const failures = [];
print("begun");
const store = await openAudit(file, { waitMs: 60_000 });
for (let number = 0; number < Number(count); number++) {
  let stepsLeft = Number(steps);
  let reportedSteps = 0;
  const work = async () => {
    // Lets timers fire, as a call over a network does.
    await new Promise((soon) => {
      setImmediate(soon);
    });
    stepsLeft -= 1;
    if (killAt && stepsLeft === 0)
      await new Promise(() => {
        setInterval(() => print(`events ${reportedSteps}`), 100);
      });
    return { left: stepsLeft };
  };
  const trail = audited(
    graph,
    {
      input: number,
      handlers: { work },
      onEvent: () => {
        reportedSteps += 1;
      },
    },
    store,
    {
      key: `${process.pid}-${number}`,
      flushTimeoutMs: 60_000,
      delayMs: 5,
      onError: (error) => failures.push(error.code),
    },
  );
  const report = await trail.end(run(graph, trail.options));
  print(
    JSON.stringify({
      id: trail.id,
      events: report.trace.length,
      outcome: report.outcome.type,
      left: trail.unwritten !== null,
      kept: trail.spilledTo,
    }),
  );
}
store.close();
print(JSON.stringify({ failures }));
print("done");
