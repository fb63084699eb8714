/** Types of `stepgraph/editor`. Offsets are in UTF-16 units. */
import type { Code, Diagnostic, PlanFileText, Span, Stubs, ToolInfo } from "../types.js";

/** Replaces a range. An empty range inserts, an empty text deletes. */
export interface TextChange {
  span: Span;
  text: string;
}

/** Capabilities of the plan's host. Omitted ones are not checked. */
export interface HostCapabilities {
  /** All servers' tools. */
  tools?: readonly ToolInfo[];
  /** Node types with handlers. */
  types?: readonly string[];
  /** Nodes with handlers. */
  ids?: readonly string[];
  /** Model names. */
  models?: readonly string[];
  /** They count as handlers, tools and models. */
  stubs?: Stubs;
}

/** Format and host of a document. */
export interface DocumentOptions extends HostCapabilities {
  /** `auto` detects JSON, otherwise YAML. */
  format?: "auto" | "yaml" | "json";
}

/** Files that a plan runs, by path from it: texts, or why there is none. */
export type EditorFiles = Readonly<Record<string, PlanFileText | { unreadable: string } | { outside: true }>>;

/** A path to another file. */
export interface FileLink {
  /** Relative to the plan's folder. */
  readonly path: string;
  readonly span: Span;
}

/** A node of a diagram. */
export interface DiagramDataNode {
  /** Edges refer to it. */
  readonly key: string;
  /** Name of the output. */
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  readonly description: string | null;
  /** Empty for the plan's own graph, else such as `fan/a`. */
  readonly scope: string;
  /** Whether it starts its graph. */
  readonly start: boolean;
  /** Scopes of nested graphs. */
  readonly holds: readonly string[];
  readonly span: Span;
  readonly keySpan: Span;
}

/** An edge of a diagram. */
export interface DiagramDataEdge {
  /** Index in its graph's `edges`. */
  readonly index: number;
  /** As written. Null if missing. */
  readonly from: string | null;
  readonly to: string | null;
  readonly scope: string;
  /** As written. Empty if missing. */
  readonly condition: string;
  /** Taken if no other edge holds. */
  readonly fallback: boolean;
  readonly fromSpan: Span;
  readonly toSpan: Span;
  readonly conditionSpan: Span | null;
  /** An end is missing or unknown, or the condition invalid. */
  readonly broken: boolean;
}

/** Content of a diagram. */
export interface DiagramData {
  /** False if it shows the last valid text. */
  readonly current: boolean;
  /** The text of the ranges, if not current. */
  readonly text: string | null;
  readonly id: string | null;
  /** In document order, the plan's own graph first. */
  readonly nodes: readonly DiagramDataNode[];
  readonly edges: readonly DiagramDataEdge[];
  /** User-set `[x, y]` by key. */
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
  /** Usually a type. */
  detail: string | null;
  documentation: string | null;
  /** Its range contains the offset. */
  edit: TextChange;
  /** New text as an LSP snippet: `${1:name}`, `$0`. A literal `$` is `\$`. */
  snippet: string | null;
  /** Matched against the typed text. */
  filter: string;
  /** Whether to complete again afterwards. */
  retriggers: boolean;
}

/** Documentation of an element. */
export interface Hover {
  span: Span;
  markdown: string;
}

/** A renameable name. */
export interface RenameTarget {
  span: Span;
  name: string;
}

/** Edits, or why they were refused. */
export interface EditResult {
  /** In document order. Empty if refused. */
  changes: TextChange[];
  /** Unchanged if refused. */
  readonly text: string;
  /** Restores the text byte for byte. */
  undo: TextChange[];
  /** Why nothing changes. */
  refused: Diagnostic | null;
}

/** Kind of a symbol. */
export type SymbolKind = "node" | "edges" | "edge" | "graph" | "group" | "input" | "server" | "test";

/** A named part of a plan. */
export interface PlanSymbol {
  name: string;
  /** Such as a node's type, or empty. */
  detail: string;
  kind: SymbolKind;
  span: Span;
  nameSpan: Span;
  children: PlanSymbol[];
}

/** A proposed change. */
export interface CodeAction {
  title: string;
  changes: TextChange[];
  /** The diagnostic that it fixes. */
  code: Code | null;
  /** Whether it is the likeliest. */
  preferred: boolean;
}

/** A foldable range. */
export interface FoldingRange {
  span: Span;
  kind: "region" | "comment";
}
