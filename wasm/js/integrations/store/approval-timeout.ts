/** How long an approval waits, as the plan says. */
import type { Approval, PlanGraph } from "stepgraph";

/** Nodes of several branches may have one id. The scope names the branch and the visit. */
export function timeoutOf(graph: PlanGraph, { node, scope }: Approval): number | undefined {
  const parts = scope.split("/").map((part) => part.replace(/:\d+$/, ""));
  const isIn = (names: readonly string[]) => {
    let at = 0;
    for (const part of parts) if (part === names[at]) at++;
    return at === names.length;
  };
  const found = graph.nodes
    .filter(({ id }) => id === node)
    .map((one) => ({ one, names: one.scope?.split("/") ?? [] }))
    .filter(({ names }) => isIn(names))
    .sort((a, b) => b.names.length - a.names.length);
  return found[0]?.one.timeoutMs;
}
