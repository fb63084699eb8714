/** Finds the description of a node, which an approval shows as its question. */

type Json = Record<string, unknown>;

/** Segments of `nodePath` are nodes and, below `parallel`, branches. Null if the plan has no such node or text. */
export function nodeDescription(plan: unknown, nodePath: string): string | null {
  let [at, node]: [unknown, Json | undefined] = [plan, undefined];
  for (const key of nodePath.split("/")) {
    const nodes = Object(Object(at).nodes ?? at) as Json;
    const next = Object.hasOwn(nodes, key) ? (nodes[key] as Json) : undefined;
    if (next === undefined) return null;
    node = next;
    at = next.graph ?? next.do ?? next.branches ?? next;
  }
  return typeof node?.description === "string" ? node.description : null;
}
