/** Renames top-level nodes of snapshots, so that `compareRun` can compare plans with other names. */
import { PlanError } from "./errors.js";
import { assertPlan, PlanGraph } from "./graph.js";
import { assertKind, assertOptions } from "./options.js";
import { assertSnapshot } from "./snapshot-shape.js";
import { closestName } from "./suggest.js";
import type { Snapshot } from "./types.js";
import { isInexact } from "./upgrade/plan-parts.js";
import { readProgress } from "./upgrade/progress.js";

type Json = Record<string, unknown>;

/** Options of `mapNodes`. */
export interface MapNodesOptions {
  /** The snapshot's plan. */
  from: PlanGraph;
  /** `editPlan` of `stepgraph/editor`, which knows all references. */
  editPlan: (
    text: string,
    edits: readonly { op: "rename_node"; node: string; to: string }[],
  ) => { text: string; refused: { message: string } | null };
}

/** A run under new names. */
export interface MappedRun {
  /** For `from` of `compareRun`. */
  from: PlanGraph;
  /** Has no signature. */
  snapshot: Snapshot;
}

/**
 * Renames nodes in a snapshot and its plan. `names` maps old to new.
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
  // A node keeps its own `id`.
  const ids = new Names(idsOf(from), idsOf(renamed));
  assertNoName(snapshot, ids);
  const kept = keptConversations(from);
  return { from: renamed, snapshot: renamedSnapshot(snapshot, renamed, { ids, kept }) };
}

/** New ids of top-level nodes. */
class Names {
  readonly #ids: ReadonlyMap<string, string>;

  constructor(old: readonly string[], now: readonly string[]) {
    this.#ids = new Map(old.map((id, at) => [id, now[at]!]));
  }

  of(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  /** Renames the first node of a call or path: `fan:1/a/fetch:1:1`, `fan/a`. */
  inPath<T>(path: T): T | string {
    const first = typeof path === "string" ? this.#first(path) : undefined;
    return first === undefined ? path : this.of(first) + (path as string).slice(first.length);
  }

  /** Returns the old name with which a text begins, or null. */
  renamedIn(text: string): string | null {
    const first = this.#first(text);
    return first === undefined || this.of(first) === first ? null : first;
  }

  #first(path: string): string | undefined {
    const isFirst = (id: string) => path.startsWith(id) && /^(?::\d|\/|$)/.test(path.slice(id.length));
    return [...this.#ids.keys()].filter(isFirst).sort((a, b) => b.length - a.length)[0];
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

/** A value may come from the name of a node, such as `${error.node}`. Such values look like any other. */
function assertNoName({ values, state }: Snapshot, ids: Names): void {
  const [{ error }] = (state as { scope_states: [Json] }).scope_states;
  // The failure of the run gets the new name.
  const open: unknown[] = values.filter((_value, at) => at !== error);
  while (open.length > 0) {
    const value = open.pop();
    const name = typeof value === "string" ? ids.renamedIn(value) : null;
    if (name !== null)
      throw new PlanError(
        "api/bad-option",
        `the run has the value ${JSON.stringify(value)}, which may come from the name of \`${name}\`: restart it at a node`,
      );
    if (typeof value === "object" && value !== null) open.push(...Object.values(value));
  }
}

/** Conversations with a name of their own, even if a node has that name, too. */
function keptConversations(graph: PlanGraph): ReadonlySet<string> {
  const { nodes } = graph.toJSON() as { nodes: Record<string, { with?: { conversation?: unknown } }> };
  return new Set(
    Object.values(nodes).flatMap((node) => [node.with?.conversation].filter((name) => typeof name === "string")),
  );
}

interface Renaming {
  ids: Names;
  kept: ReadonlySet<string>;
}

function renamedSnapshot(snapshot: Snapshot, plan: PlanGraph, renaming: Renaming): Snapshot {
  const { ids: names } = renaming;
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
        renamedRoot(root, values, renaming),
        ...scopes.map((one) => ({ ...one, path: names.inPath(one.path) })),
      ],
    },
  };
}

/** They carry node names. */
function renamedRoot(root: Json, values: unknown[], { ids: names, kept }: Renaming): Json {
  const { conversations, error } = root;
  const failure = typeof error === "number" ? (values[error] as Json) : null;
  const node = typeof failure?.node === "string" ? names.of(failure.node) : undefined;
  const renamedKey = (name: string) => (kept.has(name) ? name : names.of(name));
  return {
    ...root,
    ...(node !== failure?.node && {
      error: values.push({ ...failure, node, ...("scope" in failure! && { scope: names.inPath(failure.scope) }) }) - 1,
    }),
    ...(conversations !== undefined && { conversations: mapKeys(conversations as Json, renamedKey) }),
  };
}

function mapKeys<T>(map: Readonly<Record<string, T>>, renamed: (key: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [renamed(key), value]));
}
