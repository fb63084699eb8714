// LlamaIndex workflows: an event per node, whose handler returns the event of the next node.
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";
import { createEdgeChooser, edgesByNode } from "../conditions.mjs";
import { work } from "../workloads.mjs";

export async function prepare(workload) {
  const { seen, handler } = work(workload);
  const workflow = createWorkflow();
  const stop = workflowEvent();
  const events = new Map(workload.ids.map((id) => [id, workflowEvent()]));
  for (const [id, leaving] of edgesByNode(workload)) {
    const choose = createEdgeChooser(leaving);
    workflow.handle([events.get(id)], async () => {
      const output = await handler();
      return (events.get(choose(output)) ?? stop).with(output);
    });
  }
  return async () => {
    seen.calls = 0;
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(events.get(workload.start).with("go"));
    await stream.untilEvent(stop);
    return seen.calls;
  };
}
