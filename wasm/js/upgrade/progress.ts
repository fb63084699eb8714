/**
 * Reads a run's finished and pending calls from a snapshot.
 *
 * Snapshots are untrusted: a wrong field makes one unusable.
 */
import { PlanError } from "../errors.js";
import { isMap } from "../guards.js";
import type { Snapshot } from "../types.js";

/** `madeBytes` are of templates. */
export interface ProgressCounts {
  steps: number;
  calls: number;
  tokens: number;
  usd: number;
  /** Replies without a known cost. */
  unpriced: number;
  /** Replies without a number of tokens. */
  uncounted: number;
  /** Model calls without a report. */
  unreported: number;
  outputBytes: number;
  madeBytes: number;
}

/** A graph in progress: the plan's own, a branch, or an element's. */
export interface ScopeProgress {
  /** Empty for the plan's own. */
  scope: string;
  /** Keyed by node id. */
  visits: Map<string, number>;
  /** Null between two nodes. */
  waits: string | null;
  attempt: number;
  /** If the waiting node runs graphs. */
  children: ChildProgress[] | null;
}

/** `running` is null before its begin and after its end. */
export interface ChildProgress {
  /** Elements have none. */
  name: string | undefined;
  state: "waiting" | "running" | "ended";
  running: ScopeProgress | null;
}

export interface RunProgress {
  root: ScopeProgress;
  scopes: ScopeProgress[];
  /** Null if the run forgot its first nodes. */
  path: string[] | null;
  counts: ProgressCounts;
  /** Null without a time limit. */
  timer: { isOver: boolean; limitMs: number } | null;
}

type Json = Record<string, unknown>;

/** @throws PlanError `snapshot/unusable` */
export function readProgress({ state }: Snapshot): RunProgress {
  const root = map(state);
  const tables = list(root.graphs).map((table) => {
    const { scope, nodes } = map(table);
    return { scope: text(scope), nodes: list(nodes).map(text) };
  });
  const raw = list(root.scope_states).map(map);
  const scopes = raw.map((one) => readScope(one, tables));
  for (const [at, one] of raw.entries()) scopes[at]!.children = readChildren(map(one.wait ?? {}), scopes);
  const [first] = scopes;
  if (first === undefined || first.scope !== "") throw unusable();
  const path = list(root.path).map((place) => item(tables[0]!.nodes, place));
  const visited = [...first.visits.values()].reduce((sum, visits) => sum + visits, 0);
  return {
    root: first,
    scopes,
    path: path.length === visited ? path : null,
    counts: readCounts(map(root.counts)),
    timer: readTimer(root),
  };
}

function readScope(one: Json, tables: readonly { scope: string; nodes: string[] }[]): ScopeProgress {
  const { scope, nodes } = item(tables, one.graph);
  const pairs = list(one.visits);
  const visits = new Map<string, number>();
  for (let at = 0; at < pairs.length; at += 2) visits.set(item(nodes, pairs[at]), count(pairs[at + 1]));
  const wait = map(one.wait ?? {});
  const node = visits.size === 0 ? null : item(nodes, one.node);
  const isBetween = wait.enter !== undefined || Object.keys(wait).length === 0;
  return { scope, visits, waits: isBetween ? null : node, attempt: count(one.attempt), children: null };
}

function readChildren(wait: Json, scopes: readonly ScopeProgress[]): ChildProgress[] | null {
  if (wait.children === undefined) return null;
  const names = wait.names === undefined ? [] : list(wait.names).map(text);
  return list(wait.children).map((child, at) => {
    const name = names[at];
    if (child === null) return { name, state: "waiting", running: null };
    const { scope } = map(child);
    if (scope === undefined) return { name, state: "ended", running: null };
    return { name, state: "running", running: item(scopes, scope) };
  });
}

function readCounts(counts: Json): ProgressCounts {
  return {
    steps: count(counts.steps),
    calls: count(counts.calls),
    tokens: count(counts.tokens),
    usd: count(counts.micro_usd ?? 0) / 1e6,
    unpriced: count(counts.unpriced ?? 0),
    uncounted: count(counts.uncounted ?? 0),
    unreported: count(counts.unreported ?? 0),
    outputBytes: count(counts.output_bytes),
    madeBytes: count(counts.made_bytes ?? 0),
  };
}

function readTimer({ timer, started_ms: started, at_ms: at }: Json): RunProgress["timer"] {
  if (timer === null || timer === undefined) return null;
  const due = list(timer)[1];
  if (typeof due !== "number" || typeof started !== "number" || typeof at !== "number") throw unusable();
  return { isOver: at >= due, limitMs: due - started };
}

function map(value: unknown): Json {
  if (!isMap(value)) throw unusable();
  return value as Json;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unusable();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== "string") throw unusable();
  return value;
}

function count(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0)) throw unusable();
  return value;
}

function item<T>(from: readonly T[], at: unknown): T {
  const found = typeof at === "number" ? from[at] : undefined;
  if (found === undefined) throw unusable();
  return found;
}

function unusable(): PlanError {
  return new PlanError("snapshot/unusable", "the snapshot can't be resumed: its state is cut or damaged");
}
