/** Measures which parts of a plan runs reach. */
import { refersToError } from "./condition-text.js";
import { partKey } from "./dead-parts.js";
import { assertPlan, PlanGraph } from "./graph.js";
import { PlanError } from "./errors.js";
import { graphAt, nodeAt, type OutlineGraph, outlineOf, type RawGraph } from "./plan-outline.js";
import type { Diagnostic, TraceEvent } from "./types.js";
import { type UnreachableParts, unreachableParts } from "./unreachable-parts.js";

/**
 * `error-edge`: its condition refers to `error`. `condition`: one of an edge's two results. `graph`: a branch, or the
 * graph of a `map` or `graph` node. `retry`: a second attempt. `limit`: an exceeded limit of the plan.
 */
export type CoverageKind = "node" | "edge" | "error-edge" | "condition" | "graph" | "retry" | "limit";

/** A part of a plan. */
export interface CoveragePart {
  readonly kind: CoverageKind;
  /** Path of its graph, such as `fan/a`. Empty at the top. */
  readonly scope: string;
  /** An edge's source, or the node around a graph. Absent for plan limits. */
  readonly node?: string;
  /** Index in `edges` of its graph. */
  readonly edge?: number;
  readonly to?: string;
  /** As written. Empty for unconditional edges. */
  readonly condition?: string;
  readonly holds?: boolean;
  /** Path of the nested graph. */
  readonly graph?: string;
  readonly limit?: "visits" | "steps" | "calls";
  readonly count: number;
  /** The checker proved that no input reaches it. */
  readonly unreachable: boolean;
}

/** Numbers of parts. `total` excludes unreachable ones. */
export interface CoverageCount {
  readonly covered: number;
  readonly total: number;
  readonly unreachable: number;
}

/** Which parts of a plan some runs reached. */
export interface Coverage {
  /** Each graph with its nodes, then its edges. */
  readonly parts: readonly CoveragePart[];
  readonly counts: Readonly<Record<CoverageKind | "all", CoverageCount>>;
  /** Share of reachable parts. 100 if there are none. */
  readonly percent: number;
}

const KINDS: readonly CoverageKind[] = ["node", "edge", "error-edge", "condition", "graph", "retry", "limit"];

/**
 * Computes which parts of a plan some runs reached.
 *
 * @example
 * const results = await runTests(graph);
 * const { percent, parts } = coverage(graph, results.map(({ report }) => report));
 * const missed = parts.filter(({ count, unreachable }) => count === 0 && !unreachable);
 */
export function coverage(graph: PlanGraph, runs: Iterable<{ readonly trace: readonly TraceEvent[] }>): Coverage {
  assertPlan("coverage", graph);
  const plan = graph.toJSON() as RawGraph;
  const outline = outlineOf(plan);
  const hits = new Map<string, number>();
  const limits = limitsOf(plan);
  for (const trace of tracesOf(runs)) countRun(outline[0]!, trace, limits, hits);
  const parts = partsOf(limits, outline, unreachableParts(plan, checkText)).map(({ key, ...part }) => {
    const count = hits.get(key) ?? 0;
    return { ...part, count, unreachable: part.unreachable && count === 0 };
  });
  const counts = Object.fromEntries([
    ...KINDS.map((kind) => [kind, countOf(parts.filter((part) => part.kind === kind))] as const),
    ["all", countOf(parts)] as const,
  ]) as Record<CoverageKind | "all", CoverageCount>;
  const { covered, total } = counts.all;
  return { parts, counts, percent: total === 0 ? 100 : (100 * covered) / total };
}

function checkText(text: string): Diagnostic[] {
  const { graph, diagnostics } = PlanGraph.parse(text);
  graph?.free();
  return diagnostics;
}

function tracesOf(runs: Iterable<{ readonly trace: readonly TraceEvent[] }>): (readonly TraceEvent[])[] {
  const isList =
    typeof runs === "object" && typeof (runs as Partial<typeof runs> | null)?.[Symbol.iterator] === "function";
  const traces = isList ? Array.from(runs, (run: { trace?: readonly TraceEvent[] } | null) => run?.trace) : [undefined];
  if (!traces.every((trace) => Array.isArray(trace)))
    throw new PlanError("api/bad-option", "`coverage` expects a list of reports, each with its `trace`");
  return traces as (readonly TraceEvent[])[];
}

function countOf(parts: readonly CoveragePart[]): CoverageCount {
  const reachable = parts.filter(({ unreachable }) => !unreachable);
  const covered = reachable.filter(({ count }) => count > 0).length;
  return { covered, total: reachable.length, unreachable: parts.length - reachable.length };
}

type KeyedPart = Omit<CoveragePart, "count"> & { key: string };

const keys = {
  node: (scope: string, node: string) => `node ${partKey(scope, node)}`,
  edge: (scope: string, edge: number) => `edge ${partKey(scope, edge)}`,
  condition: (scope: string, edge: number, holds: boolean) => `${holds} ${partKey(scope, edge)}`,
  graph: (path: string) => `graph ${path}`,
  retry: (scope: string, node: string) => `retry ${partKey(scope, node)}`,
  visits: (scope: string, node: string) => `visits ${partKey(scope, node)}`,
  limit: (name: string) => `limit ${name}`,
};

function partsOf(of: RunLimits, outline: readonly OutlineGraph[], dead: UnreachableParts): KeyedPart[] {
  const limits = Object.keys(of).map(
    (limit): KeyedPart => ({
      kind: "limit",
      scope: "",
      limit: limit as "visits",
      unreachable: false,
      key: keys.limit(limit),
    }),
  );
  return [
    ...limits,
    ...outline.flatMap((inner) => [...graphPart(inner, dead), ...nodeParts(inner, dead), ...edgeParts(inner, dead)]),
  ];
}

function graphPart({ path, owner }: OutlineGraph, dead: UnreachableParts): KeyedPart[] {
  if (owner === null) return [];
  const { graph, node } = owner;
  return [
    { kind: "graph", scope: graph.path, node, graph: path, unreachable: dead.graphs.has(path), key: keys.graph(path) },
  ];
}

function nodeParts({ path: scope, nodes }: OutlineGraph, dead: UnreachableParts): KeyedPart[] {
  return [...nodes.values()].flatMap(({ key: node, visits, attempts }) => {
    const part = { scope, node, unreachable: dead.nodes.has(partKey(scope, node)) };
    const found: KeyedPart[] = [{ kind: "node", ...part, key: keys.node(scope, node) }];
    if ((attempts ?? 1) > 1) found.push({ kind: "retry", ...part, key: keys.retry(scope, node) });
    if (visits !== null) found.push({ kind: "limit", ...part, limit: "visits", key: keys.visits(scope, node) });
    return found;
  });
}

function edgeParts({ path: scope, edges }: OutlineGraph, dead: UnreachableParts): KeyedPart[] {
  return edges.flatMap(({ from: node, to, condition }, edge) => {
    const [isDead, isTrue] = [dead.edges, dead.alwaysTrue].map((set) => set.has(partKey(scope, edge)));
    const part = { scope, node, edge, to, condition };
    const kind = refersToError(condition) ? "error-edge" : "edge";
    const found: KeyedPart[] = [{ kind, ...part, unreachable: isDead!, key: keys.edge(scope, edge) }];
    if (condition === "") return found;
    const side = (holds: boolean, unreachable: boolean): KeyedPart => ({
      kind: "condition",
      ...part,
      holds,
      unreachable,
      key: keys.condition(scope, edge, holds),
    });
    return [...found, side(true, isDead!), side(false, isDead! || isTrue!)];
  });
}

/** Tests with stubs can exceed these. */
interface RunLimits {
  visits?: number;
  steps?: number;
  calls?: number;
}

function limitsOf({ limits }: RawGraph): RunLimits {
  const known = ["visits", "steps", "calls"].filter((name) => typeof limits?.[name] === "number");
  return Object.fromEntries(known.map((name) => [name, limits![name]!]));
}

const LIMIT_CODES: Readonly<Record<string, string>> = {
  "run/visit-limit": "visits",
  "run/step-limit": "steps",
  "run/call-limit": "calls",
};

function countRun(
  root: OutlineGraph,
  trace: readonly TraceEvent[],
  limits: RunLimits,
  hits: Map<string, number>,
): void {
  const hit = (key: string) => void hits.set(key, (hits.get(key) ?? 0) + 1);
  const graphs = new Map<string, OutlineGraph | null>();
  const graphOf = (scope: string) => {
    if (!graphs.has(scope)) graphs.set(scope, graphAt(root, scope));
    return graphs.get(scope) ?? null;
  };
  const used = new Set<string>();
  const exceeded = new Set<string>();
  for (const event of trace) {
    const code =
      event.type === "node-failed"
        ? event.code
        : event.type === "run-ended" && "code" in event.outcome
          ? event.outcome.code
          : "";
    if (Object.hasOwn(LIMIT_CODES, code)) exceeded.add(LIMIT_CODES[code]!);
    const graph = graphOf("scope" in event ? (event.scope ?? "") : "");
    if (graph === null) continue;
    if (event.type === "node-started") {
      const limit = usedLimit(graph, event, limits);
      if (limit !== null) used.add(limit);
    }
    for (const key of keysOf(graph, event)) hit(key);
  }
  for (const limit of exceeded) if (limit !== "visits") hit(keys.limit(limit));
  if (exceeded.has("visits")) for (const key of used) hit(key);
}

function usedLimit(
  graph: OutlineGraph,
  { node: id, visit }: { node: string; visit: number },
  limits: RunLimits,
): string | null {
  const node = nodeAt(graph, id);
  if (node === undefined) return null;
  if (node.visits !== null) return visit >= node.visits ? keys.visits(graph.path, node.key) : null;
  return limits.visits !== undefined && visit >= limits.visits ? keys.limit("visits") : null;
}

function keysOf(graph: OutlineGraph, event: TraceEvent): string[] {
  const scope = graph.path;
  switch (event.type) {
    case "scope-started":
      return [keys.graph(scope)];
    case "node-started":
    case "node-retried": {
      const key = nodeAt(graph, event.node)?.key;
      if (key === undefined) return [];
      return [event.type === "node-started" ? keys.node(scope, key) : keys.retry(scope, key)];
    }
    case "edge-decided": {
      const sides = event.verdicts.map(({ edge, holds }) => keys.condition(scope, edge, holds));
      return event.edge === null ? sides : [keys.edge(scope, event.edge), ...sides];
    }
    default:
      return [];
  }
}
