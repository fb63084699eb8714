/**
 * Compares a changed node in progress: parts of its graphs that ran must be equal.
 *
 * A snapshot forgets all but the latest visit and attempt, so only first ones are compared by part.
 */
import type { PlanGraph } from "../graph.js";
import { isMap } from "../guards.js";
import { sortedText } from "../value-hash.js";
import type { ConflictFinder } from "./conflict-finder.js";
import { edgeChange, graphParts, mapOf, NESTED, withoutProse } from "./plan-parts.js";
import type { ChildProgress, ScopeProgress } from "./progress.js";

type Json = Record<string, unknown>;

/** A node's two forms, in its scope. */
export interface ChangedNode {
  graph: PlanGraph;
  old: Json;
  now: Json;
  scope: ScopeProgress;
  id: string;
  /** Begins a message. */
  did: string;
}

export function compareNested(node: ChangedNode, found: ConflictFinder): void {
  const { old, now, scope, id, did } = node;
  const changed = changedKeys(old, now);
  const isOpen = scope.waits === id && scope.visits.get(id) === 1 && scope.attempt === 1 && scope.children !== null;
  const inner = changed.every((key) => (NESTED as readonly string[]).includes(key));
  if (!isOpen || !inner || !compareGraphs(node, scope.children!, found)) {
    const what = changed.map((key) => `\`${key}\``).join(", ");
    found.node("upgrade/node-changed", scope.scope, id, `${did}, and its ${what} has changed since`);
  }
}

function changedKeys(old: Json, now: Json): string[] {
  const [then, today] = [withoutProse(old) as Json, withoutProse(now) as Json];
  const keys = new Set([...Object.keys(then), ...Object.keys(today)]);
  return [...keys].filter(
    (key) => sortedText(then[key] ?? null) !== sortedText(today[key] ?? null) || key in then !== key in today,
  );
}

/** False if parts can't be compared. */
function compareGraphs(node: ChangedNode, children: readonly ChildProgress[], found: ConflictFinder): boolean {
  const { old, now } = node;
  if (old.branches === undefined) {
    const key = old.do === undefined ? "graph" : "do";
    return compareParts(node, old[key], now[key], children, found);
  }
  const [then, today] = [mapOf(old.branches), mapOf(now.branches)];
  const names = Object.keys(then);
  if (names.join("\n") !== Object.keys(today).join("\n")) return false;
  return names.every((name) => {
    const own = children.filter((child) => child.name === name);
    return own.length === 1 && compareParts(node, then[name], today[name], own, found);
  });
}

function compareParts(
  node: ChangedNode,
  old: unknown,
  now: unknown,
  children: readonly ChildProgress[],
  found: ConflictFinder,
): boolean {
  const text = (graph: unknown) => sortedText(withoutProse({ graph }));
  if (text(old) === text(now)) return true;
  const running = children.flatMap((child) => child.running ?? []);
  if (children.every(({ state }) => state === "waiting")) return true;
  if (children.some(({ state }) => state === "ended")) return false;
  if (!isMap(old) || !isMap(now) || !isSameFrame(old as Json, now as Json)) return false;
  for (const scope of running) compareScope(node, old as Json, now as Json, scope, found);
  return true;
}

/** A name means the nearest node with that id, so a new node could change what others read. */
function isSameFrame(old: Json, now: Json): boolean {
  const frame = ({ nodes, edges, start, description: _description, layout: _layout, ...rest }: Json) => {
    const ids = Object.entries(mapOf(nodes)).map(([key, node]) => [key, mapOf(node).id ?? key]);
    // If `start` is missing, edges decide it.
    return sortedText([rest, Object.fromEntries(ids), start ?? edges ?? null]);
  };
  return frame(old) === frame(now);
}

function compareScope(outer: ChangedNode, old: Json, now: Json, scope: ScopeProgress, found: ConflictFinder): void {
  const [then, today] = [graphParts(old), graphParts(now)];
  const keys = new Map(Object.entries(mapOf(old.nodes)).map(([key, node]) => [mapOf(node).id ?? key, key]));
  for (const [id, visits] of scope.visits) {
    const key = keys.get(id) ?? id;
    const waits = scope.waits === id;
    const did = `\`${scope.scope}/${id}\` ${waits ? "waits for an answer" : "has run"}`;
    if (then.node(key) !== today.node(key)) {
      const [before, after] = [mapOf(mapOf(old.nodes)[key]), mapOf(mapOf(now.nodes)[key])];
      compareNested({ graph: outer.graph, old: before, now: after, scope, id, did }, found);
    }
    if (visits <= (waits ? 1 : 0)) continue;
    const change = edgeChange(key, then.edges(key), today.edges(key));
    if (change !== null)
      found.node("upgrade/edges-changed", scope.scope, id, `${change}, and the run has already left \`${id}\``);
  }
}
