// Measures saving a run after 1 000 nodes and restoring it: `node snapshot.mjs [--quick]`. The unit is a Map of the
// same outputs, to JSON and back. Both take turns. Figures are the best, in ms.
import { PlanGraph, Run } from "../../dist/node.js";
import { planDocument, work, workload } from "./workloads.mjs";

const NODES = 1000;
const rounds = process.argv.includes("--quick") ? 20 : 200;
const task = workload(`linear-${NODES + 1}`, "object");
const { graph } = PlanGraph.parse(JSON.stringify(planDocument(task)));
const { handler } = work(task, { sync: true });
const bestTimes = { runMs: Infinity, mapMs: Infinity };

function under(options) {
  return new Run(graph, { input: "go", types: ["work"], trace: false, ...options });
}

function createPausedRun() {
  const outputs = new Map([["input", "go"]]);
  const run = under({});
  let {
    commands: [asked],
  } = run.step({ type: "start", atMs: 0 });
  for (let at = 0; at < NODES; at++) {
    const output = handler();
    outputs.set(asked.node, output);
    ({
      commands: [asked],
    } = run.step({ type: "call-done", call: asked.call, output, atMs: 0 }));
  }
  return { run, outputs };
}

function timed(key, action) {
  const start = performance.now();
  const result = action();
  bestTimes[key] = Math.min(bestTimes[key], performance.now() - start);
  return result;
}

const { run, outputs } = createPausedRun();
for (let round = 0; round < rounds; round++) {
  const back = timed("mapMs", () => new Map(JSON.parse(JSON.stringify([...outputs]))));
  const resumed = timed("runMs", () => {
    const next = under({ snapshot: JSON.parse(JSON.stringify(run.snapshot(0))) });
    return { next, commands: next.step({ type: "resume", atMs: 0 }).commands };
  });
  if (back.size !== NODES + 1 || resumed.commands[0]?.node !== `n${NODES}`)
    throw new Error("came back as something else");
  resumed.next.free();
}
console.log(JSON.stringify(bestTimes));
process.exit(0);
