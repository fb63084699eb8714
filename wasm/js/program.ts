/** A plan bound to a host, which resolves the engine's numbers. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { deepFreeze } from "./deep-freeze.js";
import type { Diagnostic, NodeInfo } from "./types.js";
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

const unusedTables = /* @__PURE__ */ new FinalizationRegistry<number>(removeTable);

/** Shared by runs. It lives as long as one of them or the plan. */
export class Program {
  readonly bound: wasm.BoundPlan;
  readonly ready: boolean;
  readonly diagnostics: Diagnostic[];
  readonly nodes: readonly NodeInfo[];
  readonly actions: readonly Action[];
  readonly timed: boolean;
  readonly names: readonly string[];
  readonly edges: readonly { readonly index: number; readonly target: number; readonly text: string }[];
  readonly atoms: readonly { readonly reference: string; readonly path: number }[];
  /** Each run has its own table, with the same paths and literals. */
  readonly table: Table;

  constructor(graph: wasm.Graph, nodes: readonly NodeInfo[], offer: string) {
    const values: unknown[] = [];
    const number = addTable({ values, paths: [[]], literals: new Map(), texts: [] });
    unusedTables.register(this, number);
    this.bound = graph.bind(offer, number);
    this.ready = this.bound.ready();
    this.diagnostics = JSON.parse(this.bound.diagnostics()) as Diagnostic[];
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
    for (const node of this.nodes) deepFreeze(node);
    // Constants are read by path, too.
    replaceTable(number, this.table);
  }

  /** Runs in progress share the engine's part. Reports don't need it. */
  free(): void {
    this.bound.free();
  }
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
