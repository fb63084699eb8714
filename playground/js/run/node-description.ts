/** Finds the node description that an approval asks with. */

type Json = Record<string, unknown>;

/** Path segments are nodes and, below `parallel`, branches. Null without a text. */
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
