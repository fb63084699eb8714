/** A plan bound to what a host offers: what the engine's numbers mean. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import type { Diagnostic, NodeInfo } from "./types.js";
import type { Table } from "./values.js";
import { addTable, removeTable, replaceTable, toSegment } from "./values.js";

/** What a node does: who is asked, by what name. */
export type Action =
  | readonly ["id" | "type" | "tool", string]
  | readonly ["llm" | "agent" | "pass" | "log" | "approve" | "fan", null];

interface Tables {
  /** Where each graph stands, and how many nodes it has. */
  graphs: [string, number][];
  actions: Action[];
  timed: boolean;
  names: string[];
  edges: [number, number, string][];
  atoms: [string, number][];
  paths: (string | number)[][];
  literals: string[];
}

/**
 * The tables of constants whose programs nobody uses any more. The engine's part of a program is freed by its own glue.
 */
const unusedTables = new FinalizationRegistry<number>(removeTable);

/**
 * A program and its constants. Any number of runs share it; it is freed when the last of them and the plan have let go
 * of it.
 */
export class Program {
  readonly bound: wasm.BoundGraph;
  readonly diagnostics: Diagnostic[];
  readonly nodes: readonly NodeInfo[];
  readonly actions: readonly Action[];
  /** Whether time means something to it: it has timers. */
  readonly timed: boolean;
  readonly names: readonly string[];
  readonly edges: readonly { readonly index: number; readonly target: number; readonly text: string }[];
  readonly atoms: readonly { readonly reference: string; readonly path: number }[];
  /** Its constants. Not its runs' values: they have tables of their own, with the same paths and literals. */
  readonly table: Table;

  constructor(graph: wasm.Graph, nodes: readonly NodeInfo[], offer: string) {
    const values: unknown[] = [];
    const number = addTable({ values, paths: [[]], literals: new Map(), texts: [] });
    unusedTables.register(this, number);
    this.bound = graph.bind(offer, number);
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
    // The constants are looked into like any other value, so the engine's table gets its paths and literals, too.
    replaceTable(number, this.table);
  }

  /** Whether it can run. */
  get ready(): boolean {
    return this.bound.ready();
  }
}

/** The nodes of the graphs that were bound: those inside a node that the host handles itself are not. */
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
  texts.forEach((text, number) => found.set(text, number));
  return found;
}
