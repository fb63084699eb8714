/** Parts that no input reaches, as far as the checker knows. */
import { type DeadParts, deadParts, partKey } from "./dead-parts.js";
import { graphsOf, isFallback, type OutlineEdge, type OutlineGraph, outlineOf, type RawGraph } from "./plan-outline.js";
import type { Diagnostic } from "./types.js";

export interface UnreachableParts extends DeadParts {
  /** Edges whose condition holds whenever evaluated, by {@link partKey}. */
  readonly alwaysTrue: ReadonlySet<string>;
}

/** Checks the JSON text of a plan. */
export type PlanChecker = (text: string) => readonly Diagnostic[];

/** The checker knows conditions and their order, but no values. */
export function unreachableParts(plan: RawGraph, check: PlanChecker): UnreachableParts {
  return { ...checkedParts(plan, check).dead, alwaysTrue: alwaysTrue(plan, check) };
}

function checkedParts(plan: RawGraph, check: PlanChecker): { dead: DeadParts; outline: OutlineGraph[] } {
  const outline = outlineOf(plan);
  return { dead: deadParts(outline, check(JSON.stringify({ ...plan, tests: undefined }))), outline };
}

/** Adds a last edge to each node: if it is dead, an earlier condition always holds. */
function alwaysTrue(plan: RawGraph, check: PlanChecker): Set<string> {
  const extended = structuredClone(plan);
  addFallbacks(extended);
  const { dead, outline } = checkedParts(extended, check);
  const found = new Set<string>();
  for (const { path, edges } of outline) {
    const last = lastConditions(edges, (at) => !dead.edges.has(partKey(path, at)));
    for (const edge of last) if (edge !== null) found.add(partKey(path, edge));
  }
  return found;
}

/** Keyed by source. Null for a fallback, which runs evaluate last. */
function lastConditions(edges: readonly OutlineEdge[], canBeTaken: (at: number) => boolean): Iterable<number | null> {
  const last = new Map<string, number | null>();
  for (const [at, { from, condition }] of edges.entries())
    if (canBeTaken(at) && last.get(from) !== null) last.set(from, condition === "" ? null : at);
  return last.values();
}

function addFallbacks(graph: RawGraph): void {
  const edges = (graph.edges ??= []);
  /** The first edge's target, or null if there is a fallback. */
  const targets = new Map<string, string | null>();
  for (const { from, to, condition } of edges) {
    if (isFallback(condition)) targets.set(from, null);
    else if (!targets.has(from)) targets.set(from, to);
  }
  for (const [from, to] of targets) if (to !== null) edges.push({ from, to });
  for (const node of Object.values(graph.nodes ?? {})) for (const [, inner] of graphsOf(node)) addFallbacks(inner);
}
