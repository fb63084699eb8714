/** A plan bound to a host, which resolves the engine's numbers. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { deepFreeze } from "./deep-freeze.js";
import { release } from "./engine.js";
import { PlanError } from "./errors.js";
import type { Diagnostic, NodeInfo, RunOptions } from "./types.js";
import type { Table } from "./values.js";
import { addTable, removeTable, replaceTable, toSegment } from "./values.js";

export type Action =
  | readonly ["id" | "type" | "tool", string]
  | readonly ["llm" | "agent" | "pass" | "log" | "set" | "wait" | "approve" | "composite", null];

interface Tables {
  /** Path and node count. */
  graphs: [string, number][];
  actions: Action[];
  timed: boolean;
  names: string[];
  edges: [number, number, string][];
  atoms: [string, number][];
  paths: (string | number)[][];
  literals: string[];
}

/** The engine's parts of a run. The next run reuses those of a short one, because new ones cost as much as nodes. */
export interface RunParts {
  readonly raw: wasm.RawRun;
  /** Index of a step's words. */
  readonly io: number;
  readonly number: number;
  readonly table: Table;
}

const NO_VALUES: unknown[] = [];

const unusedTables = /* @__PURE__ */ new FinalizationRegistry<number>(removeTable);

/** Shared by runs. It lives as long as one of them or the plan. */
export class Program {
  readonly bound: wasm.BoundPlan;
  readonly ready: boolean;
  /** JSON, so that each reader has its own. */
  readonly #diagnostics: string;
  readonly nodes: readonly NodeInfo[];
  readonly actions: readonly Action[];
  readonly timed: boolean;
  readonly names: readonly string[];
  readonly edges: readonly { readonly index: number; readonly target: number; readonly text: string }[];
  readonly atoms: readonly { readonly reference: string; readonly path: number }[];
  /** Each run has its own table, with the same paths and literals. */
  readonly table: Table;
  #spare: RunParts | undefined;

  constructor(graph: wasm.Graph, nodes: readonly NodeInfo[], offer: string) {
    const values: unknown[] = [];
    const number = addTable({ values, paths: [[]], literals: new Map(), texts: [] });
    unusedTables.register(this, number);
    this.bound = graph.bind(offer, number);
    this.ready = this.bound.ready();
    this.#diagnostics = this.bound.diagnostics();
    const tables = JSON.parse(wasm.tables(this.bound)) as Tables | null;
    this.nodes = tables === null || tables.graphs.length < 2 ? nodes : boundNodes(tables.graphs, nodes);
    this.timed = tables?.timed ?? false;
    this.actions = tables?.actions ?? [];
    this.names = tables?.names ?? [];
    this.edges = (tables?.edges ?? []).map(([index, target, text]) => ({ index, target, text }));
    this.atoms = (tables?.atoms ?? []).map(([reference, path]) => ({ reference, path }));
    const texts = tables?.literals ?? [];
    this.table = {
      values,
      paths: (tables?.paths ?? [[]]).map((path) => path.map(toSegment)),
      literals: indexByName(texts),
      texts,
    };
    // Shared by all runs: a call must not change the plan.
    values.forEach(deepFreeze);
    // Constants are read by path, too.
    replaceTable(number, this.table);
  }

  get diagnostics(): Diagnostic[] {
    return JSON.parse(this.#diagnostics) as Diagnostic[];
  }

  /** Undefined if the plan can't run. */
  takeParts(): RunParts | undefined {
    const parts = this.#spare ?? this.#newParts();
    this.#spare = undefined;
    return parts;
  }

  #newParts(): RunParts | undefined {
    const table = { ...this.table, values: NO_VALUES };
    const number = addTable(table);
    const raw = wasm.create_run(this.bound, number);
    if (raw === undefined) return void removeTable(number);
    const parts = { raw, io: raw.io() >>> 2, number, table };
    unusedTables.register(this, number, parts);
    return parts;
  }

  /** Keeps the parts of one run. */
  keepParts(parts: RunParts): void {
    if (this.#spare !== undefined) return freeParts(parts);
    parts.table.values = NO_VALUES;
    this.#spare = parts;
  }

  /** With the reason of the last run that did not start. */
  unrunnable({ snapshot }: RunOptions): PlanError {
    if (snapshot) return new PlanError("snapshot/unusable", `the snapshot can't be resumed: ${this.bound.problem()}`);
    return new PlanError("api/invalid-plan", "this plan can't run with these options; `check` reports the reasons");
  }

  /** Runs in progress share the engine's part. Reports don't need it. */
  free(): void {
    this.bound.free();
    if (this.#spare !== undefined) freeParts(this.#spare);
    this.#spare = undefined;
  }
}

export function freeParts(parts: RunParts): void {
  unusedTables.unregister(parts);
  removeTable(parts.number);
  release(parts.raw);
}

/** The host executes some nodes with their graphs. */
function boundNodes(graphs: readonly [string, number][], nodes: readonly NodeInfo[]): NodeInfo[] {
  const found = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const list = found.get(node.scope ?? "");
    if (list) list.push(node);
    else found.set(node.scope ?? "", [node]);
  }
  return graphs.flatMap(([scope]) => found.get(scope) ?? []);
}

function indexByName(texts: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  texts.forEach((text, number) => {
    if (!found.has(text)) found.set(text, number);
  });
  return found;
}
