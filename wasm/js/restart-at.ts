/** Moves paused runs to another node. */
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { assertKind, assertOptions } from "./options.js";
import { assertSnapshot } from "./snapshot-shape.js";
import { listSome } from "./plan-hash.js";
import { signSnapshot, verifySnapshot } from "./snapshot-signature.js";
import { closestName } from "./suggest.js";
import type { Snapshot } from "./types.js";
import { readProgress } from "./upgrade/progress.js";

type Json = Record<string, unknown>;

/** Options of `restartAt`. */
export interface RestartOptions {
  /** The key of the snapshot's signature. */
  key: string | Uint8Array;
}

/**
 * Returns a snapshot that continues at a top-level node, which runs again with those that follow. Outputs, visits and
 * counters stay, so limits still hold. Open approvals and nested graphs end.
 *
 * `last` is the output before the node's latest visit, or the latest one. A `key` signs both snapshots.
 *
 * @throws PlanError `api/unknown-node`, `snapshot/unusable`
 * @example
 * const report = await run(newGraph, { snapshot: restartAt(newGraph, snapshot, "fetch"), tools });
 */
export function restartAt(
  graph: PlanGraph,
  snapshot: Snapshot,
  node: string,
  options: RestartOptions,
): Promise<Snapshot>;
/** Returns an unsigned snapshot at once. */
export function restartAt(graph: PlanGraph, snapshot: Snapshot, node: string): Snapshot;
export function restartAt(
  graph: PlanGraph,
  snapshot: Snapshot,
  node: string,
  options?: RestartOptions,
): Snapshot | Promise<Snapshot> {
  assertPlan("restartAt", graph);
  assertKind("restartAt", "node", node, "text");
  if (options !== undefined) assertOptions("restartAt", options, { key: "key" });
  assertSnapshot(snapshot ?? ({} as Snapshot));
  readProgress(snapshot);
  const moved = movedTo(graph, snapshot, node);
  return options?.key === undefined ? moved : resigned(snapshot, moved, options.key);
}

async function resigned(before: Snapshot, after: Snapshot, key: RestartOptions["key"]): Promise<Snapshot> {
  await verifySnapshot(before, key);
  return signSnapshot(after, key);
}

/** @internal The waiting node that a restart at an unreached node would skip, if any. */
export function skippedBy(graph: PlanGraph, snapshot: Snapshot, node: string): string | null {
  const { root } = readProgress(snapshot);
  const own = graph.nodes.filter(({ scope }) => scope === undefined);
  const target = own.find(({ id, key }) => id === node || key === node);
  const waiting = own.find(({ id }) => id === root.waits);
  if (target === undefined || waiting === undefined || root.visits.has(target.id)) return null;
  const reached = new Set([waiting.key]);
  // A set also visits keys added meanwhile.
  for (const key of reached) for (const to of nextOf(graph, key)) reached.add(to);
  return reached.has(target.key) ? waiting.id : null;
}

/** Nested graphs may use the same keys. */
function nextOf({ edges }: PlanGraph, key: string): string[] {
  return edges.flatMap(({ from, to, scope }) => (scope === undefined && from === key ? [to] : []));
}

function movedTo(graph: PlanGraph, snapshot: Snapshot, node: string): Snapshot {
  const own = graph.nodes.filter(({ scope }) => scope === undefined);
  const ids = own.map(({ id }) => id);
  const target = own.findIndex(({ id, key }) => id === node || key === node);
  if (target < 0) throw unknownNode(node, ids);
  const { mac: _mac, asked: _asked, waiting: _waiting, ...rest } = snapshot as Snapshot & { waiting?: unknown };
  const state = snapshot.state as Json;
  const [table] = state.graphs as { nodes: string[] }[];
  // Null for removed nodes.
  const places = table!.nodes.map((id) => (ids.includes(id) ? ids.indexOf(id) : null));
  const path = state.path as number[];
  const [scope] = state.scope_states as [Json];
  const root = {
    ...scope,
    graph: 0,
    error: null,
    outputs: moved(scope.outputs as number[], places),
    visits: moved(scope.visits as number[], places),
    last: lastBefore(scope, path, table!.nodes.indexOf(ids[target]!)),
    node: places[scope.node as number] ?? target,
    timeout: null,
    wait: { enter: target },
  };
  return {
    ...rest,
    plan: graph.fingerprint,
    state: {
      ...state,
      graphs: [{ scope: "", nodes: ids }],
      path: path.flatMap((at) => places[at] ?? []),
      scope_states: [root],
    },
  };
}

function moved(pairs: readonly number[], places: readonly (number | null)[]): number[] {
  const kept: number[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const place = places[pairs[at]!];
    if (place !== null && place !== undefined) kept.push(place, pairs[at + 1]!);
  }
  return kept;
}

function lastBefore(scope: Json, path: readonly number[], node: number): unknown {
  const at = path.lastIndexOf(node);
  if (at < 0) return scope.last;
  if (at === 0) return scope.input;
  const outputs = scope.outputs as number[];
  for (let pair = 0; pair < outputs.length; pair += 2) if (outputs[pair] === path[at - 1]) return outputs[pair + 1];
  return scope.last;
}

function unknownNode(node: string, ids: readonly string[]): PlanError {
  const suggestion = closestName(node, ids);
  const help =
    suggestion === null ? `use ${listSome(ids.map((id) => `\`${id}\``))}` : `did you mean \`${suggestion}\`?`;
  return new PlanError("api/unknown-node", `the plan has no node \`${node}\` to restart at; ${help}`);
}
