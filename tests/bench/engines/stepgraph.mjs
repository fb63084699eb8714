// The built package, as a user imports it.
import { PlanGraph, run } from "../../../dist/node.js";
import { listener, planDocument, work } from "../workloads.mjs";

export async function prepare(workload, { audit = false, sync = false, trace } = {}) {
  const { seen, handler } = work(workload, { sync });
  const { graph, diagnostics } = PlanGraph.parse(JSON.stringify(planDocument(workload)));
  if (!graph?.valid) throw new Error(diagnostics[0].message);
  const options = {
    input: workload.fan?.list ?? "go",
    handlers: { work: handler },
    limits: { visits: workload.calls },
  };
  if (audit) options.onEvent = listener().onEvent;
  if (trace !== undefined) options.trace = trace;
  return async () => {
    seen.calls = 0;
    const { outcome } = await run(graph, options);
    if (outcome.type !== "completed") throw new Error(`ended as ${outcome.type}: ${outcome.message}`);
    return seen.calls;
  };
}
