/**
 * Renames nodes in the snapshot of a run, because a changed plan calls them otherwise.
 *
 * The old plan gets the same names, so `compareRun` can still prove that the run may continue. Only nodes of the plan's
 * own graph have new names.
 */
import { PlanError } from "./errors.js";
import { assertPlan, PlanGraph } from "./graph.js";
import { assertKind, assertOptions } from "./options.js";
import { assertSnapshot } from "./run-settings.js";
import { closestName } from "./suggest.js";
import type { Snapshot } from "./types.js";
import { isInexact } from "./upgrade/plan-parts.js";
import { readProgress } from "./upgrade/progress.js";

type Json = Record<string, unknown>;

/** Options of `mapNodes`. */
export interface MapNodesOptions {
  /** The plan of the snapshot. */
  from: PlanGraph;
  /** `editPlan` of `stepgraph/editor`, which knows all references to a node. */
  editPlan: (
    text: string,
    edits: readonly { op: "rename_node"; node: string; to: string }[],
  ) => { text: string; refused: { message: string } | null };
}

/** A run under new names. */
export interface MappedRun {
  /** The old plan with the new names, for `from` of `compareRun`. */
  from: PlanGraph;
  /** Has no signature. */
  snapshot: Snapshot;
}

/**
 * Renames nodes in a snapshot and in its plan. `names` has the new name of each old one.
 *
 * @throws PlanError `api/bad-option`, `api/unknown-node`, `snapshot/unusable`
 * @example
 * import { editPlan } from "stepgraph/editor";
 * const mapped = mapNodes(snapshot, { fetch: "load" }, { from: oldGraph, editPlan });
 * const { proved } = compareRun(newGraph, mapped.snapshot, { from: mapped.from });
 */
export function mapNodes(
  snapshot: Snapshot,
  names: Readonly<Record<string, string>>,
  options: MapNodesOptions,
): MappedRun {
  assertKind("mapNodes", "names", names, "map");
  for (const [old, name] of Object.entries(names)) assertKind("mapNodes", `names.${old}`, name, "text");
  assertOptions("mapNodes", options, { from: "any", editPlan: "function" });
  const { from, editPlan } = options;
  assertPlan("mapNodes", from);
  assertKind("mapNodes", "editPlan", editPlan, "function");
  assertSnapshot(snapshot ?? ({} as Snapshot));
  readProgress(snapshot);
  if (from.hash !== snapshot.plan.hash)
    throw new PlanError("api/bad-option", "`from` of `mapNodes` is not the plan of the snapshot");
  const renamed = renamedPlan(names, options);
  // A node with an `id` of its own keeps it.
  const now = idsOf(renamed);
  return { from: renamed, snapshot: renamedSnapshot(snapshot, renamed, new Names(idsOf(from), now)) };
}

/** The new ids of the nodes of the plan's own graph. */
class Names {
  readonly #ids: ReadonlyMap<string, string>;

  constructor(old: readonly string[], now: readonly string[]) {
    this.#ids = new Map(old.map((id, at) => [id, now[at]!]));
  }

  of(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  /** Renames the first node of a call's name, or of a graph's path: `fan:1/a/fetch:1:1`, `fan/a`. */
  inPath<T>(path: T): T | string {
    if (typeof path !== "string") return path;
    const isFirst = (id: string) => path.startsWith(id) && /^(?::\d|\/|$)/.test(path.slice(id.length));
    const [first] = [...this.#ids.keys()].filter(isFirst).sort((a, b) => b.length - a.length);
    return first === undefined ? path : this.of(first) + path.slice(first.length);
  }
}

function idsOf(graph: PlanGraph): string[] {
  return graph.nodes.flatMap(({ id, scope }) => (scope === undefined ? [id] : []));
}

function renamedPlan(names: Readonly<Record<string, string>>, { from, editPlan }: MapNodesOptions): PlanGraph {
  const keys = from.nodes.flatMap(({ key, scope }) => (scope === undefined ? [key] : []));
  for (const name of Object.keys(names)) if (!keys.includes(name)) throw unknownNode(name, keys);
  const json = from.toJSON();
  if (isInexact(json))
    throw new PlanError("api/bad-option", "the plan has integers or keys that JavaScript can't keep: map no nodes");
  const edits = Object.entries(names).map(([node, to]) => ({ op: "rename_node" as const, node, to }));
  const { text, refused } = editPlan(PlanGraph.print(json), edits);
  if (refused !== null) throw new PlanError("api/bad-option", `the nodes can't have these names: ${refused.message}`);
  return PlanGraph.load(text);
}

function unknownNode(name: string, keys: readonly string[]): PlanError {
  const suggestion = closestName(name, keys);
  const help = suggestion === null ? "" : `; did you mean \`${suggestion}\`?`;
  return new PlanError("api/unknown-node", `the plan of the run has no node \`${name}\`${help}`);
}

function renamedSnapshot(snapshot: Snapshot, plan: PlanGraph, names: Names): Snapshot {
  const { mac: _mac, asked, ...rest } = snapshot;
  const state = snapshot.state as Json;
  const [root, ...scopes] = state.scope_states as [Json, ...Json[]];
  const [table, ...tables] = state.graphs as [Json, ...Json[]];
  const values = [...snapshot.values];
  return {
    ...rest,
    ...(asked && { asked: mapKeys(asked, (call) => names.inPath(call)) }),
    plan: plan.fingerprint,
    values,
    state: {
      ...state,
      graphs: [
        { ...table, nodes: (table.nodes as string[]).map((id) => names.of(id)) },
        ...tables.map((one) => ({ ...one, scope: names.inPath(one.scope) })),
      ],
      scope_states: [
        renamedRoot(root, values, names),
        ...scopes.map((one) => ({ ...one, path: names.inPath(one.path) })),
      ],
    },
  };
}

/** Conversations have the name of their node, and so has the failure that an edge may read. */
function renamedRoot(root: Json, values: unknown[], names: Names): Json {
  const { conversations, error } = root;
  const failure = typeof error === "number" ? (values[error] as Json) : null;
  const node = typeof failure?.node === "string" ? names.of(failure.node) : undefined;
  return {
    ...root,
    ...(node !== failure?.node && { error: values.push({ ...failure, node }) - 1 }),
    ...(conversations !== undefined && { conversations: mapKeys(conversations as Json, (id) => names.of(id)) }),
  };
}

function mapKeys<T>(map: Readonly<Record<string, T>>, renamed: (key: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [renamed(key), value]));
}
