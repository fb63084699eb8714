/** The workflow of docs/durable.md. `temporal` replaces Temporal's SDK. */
import "temporal-globals";
import { init, PlanGraph } from "stepgraph";
import { remoteHost, promiseJournal, runDurable } from "stepgraph/durable";
import bytes from "stepgraph/engine.wasm";

init(bytes);

export async function order(text, input) {
  const decided = new Map();
  const waiting = new Map();
  temporal.onDecision((call, decision) => {
    decided.set(call, decision);
    waiting.get(call)?.({ decision });
  });
  const journal = promiseJournal({
    answer: (step) => {
      if (step.kind === "timer") return temporal.sleep(step.afterMs);
      if (step.kind === "approval")
        return new Promise((resolve) =>
          decided.has(step.name) ? resolve({ decision: decided.get(step.name) }) : waiting.set(step.name, resolve),
        );
      return step.remote === undefined ? step.work() : temporal.activity(step.remote());
    },
  });
  const report = await runDurable(PlanGraph.parse(text).graph, journal, {
    input,
    now: temporal.now,
    ...remoteHost({ tools: ["world"], types: ["note"] }),
  });
  return report.toJSON();
}
