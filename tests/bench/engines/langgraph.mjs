// LangGraph: a state channel with the last value, conditional edges as functions, no checkpointer.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { createEdgeChooser, edgesByNode } from "../conditions.mjs";
import { work } from "../workloads.mjs";

export async function prepare(workload) {
  const { seen, handler } = work(workload);
  const graph = new StateGraph(Annotation.Root({ last: Annotation() }));
  const leaving = edgesByNode(workload);
  for (const id of workload.ids) graph.addNode(id, async () => ({ last: await handler() }));
  graph.addEdge(START, workload.start);
  for (const [id, edges] of leaving) route(graph, id, edges);
  const app = graph.compile();
  return async () => {
    seen.calls = 0;
    await app.invoke({ last: "go" }, { recursionLimit: workload.calls + 10 });
    return seen.calls;
  };
}

function route(graph, id, edges) {
  if (edges.length === 0) graph.addEdge(id, END);
  else if (edges.every((edge) => !edge.condition)) graph.addEdge(id, edges[0].to);
  else {
    const choose = createEdgeChooser(edges);
    graph.addConditionalEdges(id, ({ last }) => choose(last) ?? END, [...new Set(edges.map((edge) => edge.to)), END]);
  }
}
