/** The shapes of plans: how one is read and written, its nodes and edges, and what is wrong with it. */
import type { Code } from "./codes.js";
import type { PlanGraph } from "./graph.js";

export type { Code } from "./codes.js";

/** A half-open range of the text, in UTF-16 units, as JavaScript strings count. */
export interface Span {
  start: number;
  end: number;
}

/** Where in the graph a problem is. */
export type Target =
  | { type: "document" }
  /** A node by its key, after the scope it stands in: `fan/a/fetch`. */
  | { type: "node"; node: string }
  /** An edge by its position in `edges`; `scope` says of which graph, when it is not the plan's own. */
  | { type: "edge"; edge: number; scope?: string }
  | { type: "condition"; edge: number; scope?: string }
  /** A call that a model planned, by its position in `tool_calls`. */
  | { type: "call"; call: number };

/** One problem of a plan. `line` and `column` count from 1, as editors show them; columns in UTF-16 units. */
export interface Diagnostic {
  /** What kind of problem it is, stable for ever. */
  code: Code;
  /** A plan with an error does not run; with warnings and hints it does. */
  severity: "error" | "warning" | "hint";
  /** One sentence, lower-case, names in back-ticks. */
  message: string;
  /** Where in the graph. */
  target: Target;
  /** Where in the text; null where the plan was no text. */
  span: Span | null;
  line: number | null;
  column: number | null;
  /** Further places that have to do with it, each with a phrase. */
  labels: { span: Span; line: number; column: number; message: string }[];
  /** What to do about it, as one imperative sentence. */
  help: string | null;
  /** Edits of the text that would solve it; empty where nobody knows. */
  fix: { span: Span; text: string }[];
}

/** How a text is read: `auto` takes JSON for JSON and everything else for YAML. */
export interface ParseOptions {
  format?: "auto" | "yaml" | "json";
}

/** How a plan is loaded. */
export interface LoadOptions extends ParseOptions {
  /** What the text is called in the message of an error; `plan` unless given. */
  name?: string;
}

/** How a plan is written. */
export interface PrintOptions {
  /**
   * What stands above a part of it, by a JSON pointer such as `/nodes/fetch/input`; the one at the empty pointer is the
   * head of the file.
   */
  comments?: Record<string, string>;
}

/** A plan as far as it could be read, and everything found wrong with it. */
export interface ParsedPlan {
  graph: PlanGraph | null;
  diagnostics: Diagnostic[];
}

/** A node as the plan has it. */
export interface NodeInfo {
  /** Its key in `nodes`, by which edges name it. */
  readonly key: string;
  /** The name of its output; the key unless the plan says otherwise. */
  readonly id: string;
  readonly type: string;
  /** The tool that it calls, if it names one. */
  readonly tool: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  /** How often it is tried, if the plan says so; what it leaves out is as the engine takes it. */
  readonly retry?: Retry;
  /** How long a try may take, in milliseconds, if the plan says so. */
  readonly timeoutMs?: number;
  /** Of which graph, when it is not the plan's own: `fan/a`. */
  readonly scope?: string;
}

/** How often something is tried, and how long it is waited between. */
export interface Retry {
  /** All tries, the first included. */
  readonly attempts: number;
  /** Before the second try, in milliseconds. */
  readonly backoffMs: number;
  /** How much longer each wait is than the one before. */
  readonly factor: number;
  /** The longest wait, in milliseconds. */
  readonly maxMs: number;
  /** The codes that are tried again, `stage/*` for all of a stage; empty for any. */
  readonly on: readonly string[];
}

/** An edge as the plan has it. */
export interface EdgeInfo {
  readonly from: string;
  readonly to: string;
  /** As written; empty when no other has to hold. */
  readonly condition: string;
  /** Of which graph, when it is not the plan's own. */
  readonly scope?: string;
}
