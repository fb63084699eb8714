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
  for (const { path, owner, ...inner } of outline) {
    const isDead = owner !== null && (nodes.has(partKey(owner.graph.path, owner.node)) || graphs.has(owner.graph.path));
    if (isDead) graphs.add(path);
    for (const { key } of inner.nodes.values()) if (isDead) nodes.add(partKey(path, key));
    for (const [index, { from }] of inner.edges.entries())
      if (nodes.has(partKey(path, from))) edges.add(partKey(path, index));
  }
  return { nodes, edges, graphs };
}
