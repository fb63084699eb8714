/** Types of `stepgraph/editor`. Offsets are in UTF-16 units, as in JavaScript strings. */
import type { Code, Diagnostic, PlanFileText, Span, Stubs, ToolInfo } from "../types.js";

/** Replacement of a range by a text. An empty range inserts, and an empty text deletes. */
export interface TextChange {
  span: Span;
  text: string;
}

/** Capabilities of the host that will run the plan. Omitted ones are not checked. */
export interface HostCapabilities {
  /** Tools of all servers. */
  tools?: readonly ToolInfo[];
  /** Node types that the host handles. */
  types?: readonly string[];
  /** Ids of nodes that the host handles. */
  ids?: readonly string[];
  /** Names of the models. */
  models?: readonly string[];
  /** Stubs, which count as available handlers, tools and models. */
  stubs?: Stubs;
}

/** Language of a document, and capabilities of its host. */
export interface DocumentOptions extends HostCapabilities {
  /** `auto` detects JSON, and otherwise assumes YAML. */
  format?: "auto" | "yaml" | "json";
}

/** The files that a plan runs, by path from the plan: the text or bytes, or the reason why there is none. */
export type EditorFiles = Readonly<Record<string, PlanFileText | { unreadable: string } | { outside: true }>>;

/** A path to another file. */
export interface FileLink {
  /** The path from the folder of the plan. */
  readonly path: string;
  readonly span: Span;
}

/** A node of a diagram. */
export interface DiagramDataNode {
  /** Key in `nodes`. Edges refer to it. */
  readonly key: string;
  /** Name of the output. Default: the key. */
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  readonly description: string | null;
  /** Its graph: empty for the plan's own, `fan/a` for branch `a` of node `fan`. */
  readonly scope: string;
  /** Whether it is the start of its graph. */
  readonly start: boolean;
  /** Scopes of its nested graphs. */
  readonly holds: readonly string[];
  /** Range of the whole node. */
  readonly span: Span;
  /** Range of the key. */
  readonly keySpan: Span;
}

/** An edge of a diagram. */
export interface DiagramDataEdge {
  /** Index in `edges` of its graph. */
  readonly index: number;
  /** Key of the source node as written, or null if missing. */
  readonly from: string | null;
  readonly to: string | null;
  readonly scope: string;
  /** As written. Empty if missing. */
  readonly condition: string;
  /** Whether it is the fallback, taken if no other edge holds. */
  readonly fallback: boolean;
  readonly fromSpan: Span;
  readonly toSpan: Span;
  readonly conditionSpan: Span | null;
  /** Whether an end is missing or unknown, or the condition is invalid. */
  readonly broken: boolean;
}

/** Content of a diagram. */
export interface DiagramData {
  /** Whether it shows the current text. If false, it shows the last valid text. */
  readonly current: boolean;
  /** The text that the ranges refer to, if it is not the current one. */
  readonly text: string | null;
  readonly id: string | null;
  /** Nodes of the plan's own graph, then of each nested graph, in document order. */
  readonly nodes: readonly DiagramDataNode[];
  readonly edges: readonly DiagramDataEdge[];
  /** Positions set by the user: `[x, y]` by key. */
  readonly layout: Readonly<Record<string, readonly [number, number]>> | null;
}

/** Kind of a completion. */
export type CompletionKind =
  | "key"
  | "type"
  | "node"
  | "tool"
  | "model"
  | "root"
  | "property"
  | "operator"
  | "function"
  | "value"
  | "snippet";

/** A completion. */
export interface Completion {
  label: string;
  kind: CompletionKind;
  /** Short text next to the label, usually a type. */
  detail: string | null;
  /** Markdown. */
  documentation: string | null;
  /** Its range contains the requested offset. */
  edit: TextChange;
  /** The new text as an LSP snippet: `${1:name}`, `$0`. A literal `$` is `\$`. */
  snippet: string | null;
  /** Text to match against the typed text. */
  filter: string;
  /** Whether to request completions again afterwards. */
  retriggers: boolean;
}

/** Documentation of an element. */
export interface Hover {
  /** Range of the element. */
  span: Span;
  markdown: string;
}

/** A name that can be renamed. */
export interface RenameTarget {
  span: Span;
  name: string;
}

/** Computed edits of a text, or why they were refused. */
export interface EditResult {
  /** Edits in document order. Empty if refused. */
  changes: TextChange[];
  /** The text after the edits, or unchanged if refused. */
  readonly text: string;
  /** Edits that restore the text byte for byte. */
  undo: TextChange[];
  /** Why nothing changes, or null. */
  refused: Diagnostic | null;
}

/** Kind of a symbol. */
export type SymbolKind = "node" | "edges" | "edge" | "graph" | "group" | "input" | "server" | "test";

/** A named part of a plan. */
export interface PlanSymbol {
  name: string;
  /** Short text, such as a node's type, or empty. */
  detail: string;
  kind: SymbolKind;
  /** Range of the whole part. */
  span: Span;
  /** Range of the name. */
  nameSpan: Span;
  children: PlanSymbol[];
}

/** A proposed change. */
export interface CodeAction {
  title: string;
  changes: TextChange[];
  /** Code of the diagnostic that it fixes, or null. */
  code: Code | null;
  /** Whether it is the most likely choice. */
  preferred: boolean;
}

/** A range that can be folded. */
export interface FoldingRange {
  span: Span;
  kind: "region" | "comment";
}
