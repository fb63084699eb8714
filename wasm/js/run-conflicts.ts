/**
 * Finds what keeps a paused run from continuing with a changed plan.
 *
 * If the entered nodes, the edges of left ones, start, inputs and limits are unchanged, continuing equals a run of the
 * new plan from its start. Anything unknown is a conflict.
 */
import type { PlanGraph } from "./graph.js";
import type { RunConflict } from "./run-conflict.js";
import type { NodeInfo, Snapshot } from "./types.js";
import { ConflictFinder } from "./upgrade/conflict-finder.js";
import { compareLimits, limitsOf } from "./upgrade/limits.js";
import { compareNested } from "./upgrade/nested.js";
import { edgeChange, fingerprintParts, type GraphParts, graphParts, isInexact } from "./upgrade/plan-parts.js";
import { readProgress, type RunProgress, type ScopeProgress } from "./upgrade/progress.js";

interface PartsPair {
  old: GraphParts;
  now: GraphParts;
}

/** @internal Compares the plan of a snapshot. With `from`, that plan itself, by its parts. */
export function findConflicts(graph: PlanGraph, snapshot: Snapshot, from?: PlanGraph): RunConflict[] {
  if (graph.hash === snapshot.plan.hash) return [];
  const found = new ConflictFinder(graph);
  comparePlan(graph, partsOf(graph, snapshot, from), readProgress(snapshot), found);
  return found.conflicts;
}

/** JSON tells more than hashes, unless JavaScript changes it. */
function partsOf(graph: PlanGraph, { plan }: Snapshot, from: PlanGraph | undefined): PartsPair {
  const now = graph.toJSON();
  const old = from?.toJSON();
  if (old === undefined || isInexact(now) || isInexact(old))
    return { old: fingerprintParts(plan.parts), now: fingerprintParts(graph.fingerprint.parts) };
  return { old: graphParts(old as Record<string, unknown>), now: graphParts(now as Record<string, unknown>) };
}

function comparePlan(graph: PlanGraph, parts: PartsPair, progress: RunProgress, found: ConflictFinder): void {
  compareStart(graph, progress, found);
  compareScope(graph, parts, progress.root, found);
  compareHeaders(graph, parts, progress, found);
}

function compareStart(graph: PlanGraph, { path, root }: RunProgress, found: ConflictFinder): void {
  if (root.visits.size === 0) return;
  if (path === null)
    return found.plan("upgrade/unknown-start", "the run is so long that its first nodes are forgotten");
  const start = graph.nodes.find(({ key, scope }) => scope === undefined && key === graph.start);
  if (start?.id === path[0]) return;
  const now = start === undefined ? "nowhere" : `at \`${start.id}\``;
  found.plan("upgrade/start-changed", `the run began at \`${path[0]}\`, and the plan now begins ${now}`);
}

function compareScope(graph: PlanGraph, { old, now }: PartsPair, scope: ScopeProgress, found: ConflictFinder): void {
  for (const [id, visits] of scope.visits) {
    const node = graph.nodes.find((one) => one.id === id && one.scope === undefined);
    const waits = scope.waits === id;
    const did = waits ? `\`${id}\` ${waitText(scope)}` : `\`${id}\` has run`;
    if (node === undefined) {
      found.node("upgrade/node-gone", "", id, `${did}, but the plan no longer has it`);
      continue;
    }
    compareNode({ graph, old, now, node, scope, did }, found);
    if (visits > (waits ? 1 : 0)) compareEdges(node, { old, now }, visits, found);
  }
}

function waitText({ children }: ScopeProgress): string {
  return children === null ? "waits for an answer" : "is in progress";
}

interface NodePair extends PartsPair {
  graph: PlanGraph;
  node: NodeInfo;
  scope: ScopeProgress;
  did: string;
}

function compareNode(pair: NodePair, found: ConflictFinder): void {
  const { old, now, node, scope, did, graph } = pair;
  const [then, today] = [old.node(node.key), now.node(node.key)];
  if (then === today) return;
  if (then === undefined) {
    // Another node had the id then.
    found.node("upgrade/node-changed", "", node.id, `${did} under another key than \`${node.key}\``);
    return;
  }
  const nodes = old.json === null || now.json === null ? null : nodesOf(old, now, node.key);
  if (nodes === null) {
    found.node("upgrade/node-changed", "", node.id, `${did}, and it has changed since`);
    return;
  }
  compareNested({ ...nodes, graph, scope, id: node.id, did }, found);
}

function nodesOf(old: GraphParts, now: GraphParts, key: string): { old: JsonNode; now: JsonNode } {
  const of = ({ json }: GraphParts) => (json!.nodes as Record<string, JsonNode>)[key]!;
  return { old: of(old), now: of(now) };
}

type JsonNode = Record<string, unknown>;

/** A node in a loop left its first visit by the old edges. */
function compareEdges(node: NodeInfo, { old, now }: PartsPair, visits: number, found: ConflictFinder): void {
  const [then, today] = [old.edges(node.key), now.edges(node.key)];
  const change = edgeChange(node.key, then, today);
  if (change === null) return;
  const times = visits > 1 ? `${visits} visits` : "the run";
  const left = visits > 1 ? `has already left \`${node.id}\` in ${times}` : `has already left \`${node.id}\``;
  found.node("upgrade/edges-changed", "", node.id, `${change}, and the run ${left}`);
}

/** Keys that runs don't read, or with own rules. */
const FREE_KEYS = new Set(["id", "description", "format", "layout", "tests", "start", "limits", "inputs", "servers"]);

function compareHeaders(graph: PlanGraph, parts: PartsPair, progress: RunProgress, found: ConflictFinder): void {
  const { old, now } = parts;
  const isChanged = (key: string) => old.header(key) !== now.header(key);
  if (isChanged("inputs"))
    found.plan("upgrade/inputs-changed", "`inputs` has changed, and the input was checked and completed at the start");
  if (isChanged("servers") && ran(graph, progress).some(({ type }) => !TOOLLESS_TYPES.has(type)))
    found.plan("upgrade/servers-changed", "`servers` has changed, and the run may have called tools of the old ones");
  if (isChanged("limits")) {
    const change = {
      old: old.json === null ? null : limitsOf(old.json),
      now: limitsOf(graph.toJSON() as Record<string, unknown>),
      ranNested: ran(graph, progress).some(({ type }) => COMPOSITE_TYPES.has(type)),
      hasOwnVisits: (scope: string, id: string) => hasOwnVisits(graph, scope, id),
    };
    compareLimits(change, progress, found);
  }
  for (const key of new Set([...old.headers(), ...now.headers()]))
    if (!FREE_KEYS.has(key) && isChanged(key)) found.plan("upgrade/plan-changed", `\`${key}\` of the plan has changed`);
}

const COMPOSITE_TYPES = new Set(["parallel", "map", "graph"]);
/** All other types may be tools. */
const TOOLLESS_TYPES = new Set([...COMPOSITE_TYPES, "decision", "noop", "log", "set", "wait", "approve", "llm"]);

/** Includes nodes inside. */
function ran(graph: PlanGraph, { root }: RunProgress): NodeInfo[] {
  const isIn = (scope: string | undefined) => scope !== undefined && root.visits.has(scope.split("/")[0]!);
  return graph.nodes.filter(({ id, scope }) => (scope === undefined ? root.visits.has(id) : isIn(scope)));
}

function hasOwnVisits(graph: PlanGraph, scope: string, id: string): boolean {
  if (scope !== "") return false;
  const node = graph.nodes.find((one) => one.id === id && one.scope === undefined);
  const { nodes } = graph.toJSON() as { nodes: Record<string, { visits?: unknown }> };
  return node !== undefined && nodes[node.key]?.visits !== undefined;
}
