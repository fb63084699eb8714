/** The shapes of the editor's module. Every offset is in UTF-16 units, as JavaScript strings count. */
import type { Code, Diagnostic, Span, Stubs, ToolInfo } from "../types.js";

/** One replacement in a text: what is put in the place of a range. An empty range inserts, an empty text deletes. */
export interface TextChange {
  span: Span;
  text: string;
}

/** What is known of the host that will run the plan. What is left out is not judged. */
export interface HostCapabilities {
  /** The tools of all servers. */
  tools?: readonly ToolInfo[];
  /** Node types that the host handles itself. */
  types?: readonly string[];
  /** Ids of nodes that the host handles itself. */
  ids?: readonly string[];
  /** The names of the models. */
  models?: readonly string[];
  /** Stand-ins: what they stand in for is there. */
  stubs?: Stubs;
}

/** How a document is read, and for whom. */
export interface DocumentOptions extends HostCapabilities {
  /** `auto` takes JSON for JSON and everything else for YAML. */
  format?: "auto" | "yaml" | "json";
}

/** A node as a drawing needs it. */
export interface DiagramDataNode {
  /** Its key in `nodes`, by which edges name it. */
  readonly key: string;
  /** The name of its output; the key unless the plan says otherwise. */
  readonly id: string;
  readonly type: string;
  /** The tool that it calls, if it names one. */
  readonly tool: string | null;
  readonly description: string | null;
  /** Of which graph: empty for the plan's own, `fan/a` for branch `a` of node `fan`. */
  readonly scope: string;
  /** Whether its graph begins with it. */
  readonly start: boolean;
  /** The scopes of the graphs inside it. */
  readonly holds: readonly string[];
  /** Where all of it stands. */
  readonly span: Span;
  /** Where its key stands. */
  readonly keySpan: Span;
}

/** An edge as a drawing needs it. */
export interface DiagramDataEdge {
  /** Its position in `edges` of its graph. */
  readonly index: number;
  /** The key of the node that it leaves, as written; null where it names none. */
  readonly from: string | null;
  readonly to: string | null;
  readonly scope: string;
  /** As written; empty for none. */
  readonly condition: string;
  /** Whether it is taken when no condition of the node's other edges holds. */
  readonly fallback: boolean;
  readonly fromSpan: Span;
  readonly toSpan: Span;
  readonly conditionSpan: Span | null;
  /** Whether an end is missing or names no node, or the condition can't be read. */
  readonly broken: boolean;
}

/** What there is to draw of a plan. */
export interface DiagramData {
  /** Whether it is the plan of the text as it is; else of the last text that could be read. */
  readonly current: boolean;
  /** The text in which the places are, when that is not the present one. */
  readonly text: string | null;
  readonly id: string | null;
  /** Those of the plan's own graph in its order, then those of each graph inside a node. */
  readonly nodes: readonly DiagramDataNode[];
  readonly edges: readonly DiagramDataEdge[];
  /** Where people have put nodes: `[x, y]` by key. */
  readonly layout: Readonly<Record<string, readonly [number, number]>> | null;
}

/** What kind of thing is proposed. */
export type CompletionKind =
  | "key"
  | "type"
  | "node"
  | "tool"
  | "model"
  | "root"
  | "property"
  | "operator"
  | "value"
  | "snippet";

/** Something that can be written at a place. */
export interface Completion {
  /** What is shown in the list. */
  label: string;
  kind: CompletionKind;
  /** A few words beside the label: a type, mostly. */
  detail: string | null;
  /** What it means, as Markdown. */
  documentation: string | null;
  /** What is done to the text. Its span holds the place that was asked for. */
  edit: TextChange;
  /**
   * The text of the edit with stops for the cursor, as language servers write them: `${1:name}`, `$0`; a `$` that is
   * meant is `\$`.
   */
  snippet: string | null;
  /** What the typed text is compared with; begins as the replaced text does. */
  filter: string;
  /** Whether more can be proposed once this is written. */
  again: boolean;
}

/** What is known of the thing at a place. */
export interface Hover {
  /** What it is about. */
  span: Span;
  markdown: string;
}

/** A name that can be changed. */
export interface RenameTarget {
  span: Span;
  name: string;
}

/** Edits of a text that were worked out, or why there are none. */
export interface EditResult {
  /** Edits of the text, in its order; none where they were refused. */
  changes: TextChange[];
  /** The text after them; as it was where they were refused. */
  readonly text: string;
  /** Edits of the text after them, which take them back, byte for byte. */
  undo: TextChange[];
  /** Why nothing is changed; null when all went well. */
  refused: Diagnostic | null;
}

/** What kind of thing a symbol is. */
export type SymbolKind = "node" | "edges" | "edge" | "graph" | "group" | "input" | "server" | "test";

/** A named part of a plan. */
export interface PlanSymbol {
  name: string;
  /** A few words on it, such as a node's type; empty for none. */
  detail: string;
  kind: SymbolKind;
  /** All of it. */
  span: Span;
  /** Its name. */
  nameSpan: Span;
  /** What is within it. */
  children: PlanSymbol[];
}

/** A change that is proposed at a place. */
export interface CodeAction {
  title: string;
  changes: TextChange[];
  /** The code of the diagnostic that it solves; null when it solves none. */
  code: Code | null;
  /** Whether it is what is most likely wanted. */
  preferred: boolean;
}

/** A part of the text that can be folded. */
export interface FoldingRange {
  span: Span;
  kind: "region" | "comment";
}
