/** Parts that the checker finds unreachable, and all that only they lead to. */
import type { OutlineGraph } from "./plan-outline.js";
import type { Diagnostic } from "./types.js";

/** Sets of {@link partKey}. */
export interface DeadParts {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
  /** Paths of nested graphs. */
  readonly graphs: ReadonlySet<string>;
}

export function partKey(scope: string, part: string | number): string {
  return `${scope}\n${part}`;
}

const CODES = new Set(["graph/unreachable-node", "graph/dead-edge", "condition/never-holds"]);

/** The outline must have outer graphs first. */
export function deadParts(outline: readonly OutlineGraph[], diagnostics: readonly Diagnostic[]): DeadParts {
  const [nodes, edges, graphs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const paths = new Map<string, string>();
  for (const { path, nodes } of outline)
    for (const { key } of nodes.values()) paths.set(path === "" ? key : `${path}/${key}`, partKey(path, key));
  for (const { code, target } of diagnostics) {
    if (!CODES.has(code)) continue;
    if (target.type === "node") nodes.add(paths.get(target.node) ?? target.node);
    else if (target.type === "edge" || target.type === "condition") edges.add(partKey(target.scope ?? "", target.edge));
  }
  for (const graph of outline)
    for (const key of behindDeadEdges(graph, nodes, edges)) nodes.add(partKey(graph.path, key));
  for (const { path, owner, ...inner } of outline) {
    const isDead = owner !== null && (nodes.has(partKey(owner.graph.path, owner.node)) || graphs.has(owner.graph.path));
    if (isDead) graphs.add(path);
    for (const { key } of inner.nodes.values()) if (isDead) nodes.add(partKey(path, key));
    for (const [index, { from }] of inner.edges.entries())
      if (nodes.has(partKey(path, from))) edges.add(partKey(path, index));
  }
  return { nodes, edges, graphs };
}

/** The checker reports only the dead edge, and no node behind it. */
function behindDeadEdges({ path, start, ...graph }: OutlineGraph, nodes: Set<string>, dead: Set<string>): Set<string> {
  const isDead = (index: number) => dead.has(partKey(path, index));
  const deadTargets = graph.edges.filter((_, index) => isDead(index)).map(({ to }) => to);
  if (deadTargets.length === 0) return new Set();
  const behind = reached(deadTargets, graph.edges);
  const keys = [...graph.nodes.values()].map(({ key }) => key);
  const others = keys.filter((key) => key === start || !(behind.has(key) || nodes.has(partKey(path, key))));
  for (const key of reached(
    others,
    graph.edges.filter((_, index) => !isDead(index)),
  ))
    behind.delete(key);
  return behind;
}

function reached(from: readonly string[], edges: OutlineGraph["edges"]): Set<string> {
  const next = new Map<string, string[]>();
  for (const edge of edges) {
    const targets = next.get(edge.from);
    if (targets === undefined) next.set(edge.from, [edge.to]);
    else targets.push(edge.to);
  }
  const found = new Set(from);
  for (const node of found) for (const to of next.get(node) ?? []) found.add(to);
  return found;
}
