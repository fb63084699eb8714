/**
 * Finds the nodes and graphs of a plan as JSON. In a path, a node of the type `parallel` is followed by the name of a
 * branch.
 */

export type Json = Record<string, unknown>;

/** Its keys are `nodes` and `edges`. Empty if the path leads to no graph. */
export function graphAt(plan: unknown, path: readonly string[]): Json {
  let [graph, branches]: [unknown, unknown] = [plan, undefined];
  for (const key of path) {
    if (branches !== undefined) {
      [graph, branches] = [own(branches, key), undefined];
      continue;
    }
    const node = own(own(graph, "nodes"), key);
    branches = own(node, "branches");
    graph = own(node, "graph") ?? own(node, "do");
  }
  return Object(graph) as Json;
}

/** Empty if it is missing. */
export function nodeAt(plan: unknown, path: readonly string[]): Json {
  return Object(own(own(graphAt(plan, path.slice(0, -1)), "nodes"), path.at(-1)!)) as Json;
}

/** Edges have keys. Outputs and calls have ids. */
export function idOf(nodes: Record<string, Json>, key: string): string {
  return String(Object(nodes[key]).id ?? key);
}

/** An approval asks with it. */
export function nodeDescription(plan: unknown, nodePath: string): string | null {
  const { description } = nodeAt(plan, nodePath.split("/"));
  return typeof description === "string" ? description : null;
}

function own(value: unknown, key: string): unknown {
  return Object.hasOwn(Object(value) as Json, key) ? (value as Json)[key] : undefined;
}
