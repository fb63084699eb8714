/** Types of plans: parsing and printing, nodes and edges, diagnostics. */
import type { Code } from "./codes.js";

export type { Code } from "./codes.js";

/** A half-open range of the text, in UTF-16 units like JavaScript strings. */
export interface Span {
  start: number;
  end: number;
}

/** The part of the plan that a diagnostic concerns. */
export type Target =
  | { type: "document" }
  /** A node's path: `fan/a/fetch`. */
  | { type: "node"; node: string }
  /** An edge's index in `edges`. `scope` is absent for the top-level graph. */
  | { type: "edge"; edge: number; scope?: string }
  | { type: "condition"; edge: number; scope?: string }
  /** A planned call's index in `tool_calls`. */
  | { type: "call"; call: number };

/** One problem of a plan. `line` and `column` count from 1, columns in UTF-16 units. */
export interface Diagnostic {
  /** Stable forever. */
  code: Code;
  /** A plan with errors does not run. */
  severity: "error" | "warning" | "hint";
  /** One lower-case sentence, with names in back-ticks. */
  message: string;
  target: Target;
  /** The file of the range, as a path from the plan. Absent for the plan itself. */
  file?: string;
  /** The range in the text, or null if the plan was not text. */
  span: Span | null;
  line: number | null;
  column: number | null;
  /** Related ranges, each with a phrase. `file` is absent for the plan itself. */
  labels: { file?: string; span: Span; line: number; column: number; message: string }[];
  /** The suggested action, as one imperative sentence. */
  help: string | null;
  /** Text edits that fix the problem, possibly none. */
  fix: { span: Span; text: string }[];
}

/** The text of a plan file, or its UTF-8 bytes. */
export type PlanFileText = string | Uint8Array;

/** The files that a plan may run, by path from the plan: `{ "sub/other.yaml": "nodes: …" }`. */
export type PlanFiles = Readonly<Record<string, PlanFileText>>;

/**
 * Reads a file that a plan runs. The path is relative to the plan, without `.` and `..`, and ends in `.yaml`, `.yml` or
 * `.json`. Null, undefined or an error means that there is no such file.
 */
export type ReadPlanFile = (path: string) => PlanFileText | null | undefined | Promise<PlanFileText | null | undefined>;

/** Options of `PlanGraph.parse`. */
export interface ParseOptions {
  /** `auto` parses JSON as JSON, and all other text as YAML. */
  format?: "auto" | "yaml" | "json";
  /** The files that the plan may run. */
  files?: PlanFiles;
}

/** Options of `PlanGraph.load`. */
export interface LoadOptions extends ParseOptions {
  /** The text's name in error messages. Default: `plan`. */
  name?: string;
}

/** Options of `PlanGraph.load` for a plan that runs other files. */
export interface ReadOptions extends LoadOptions {
  /** Reads the files that the plan runs and that `files` lacks. */
  read: ReadPlanFile;
}

/** Options of `PlanGraph.print`. */
export interface PrintOptions {
  /** Comments by JSON pointer, such as `/nodes/fetch/input`. The empty pointer is the head of the file. */
  comments?: Record<string, string>;
}

/** A node as written in the plan. */
export interface NodeInfo {
  /** The key in `nodes`, which edges refer to. */
  readonly key: string;
  /** The name of its output. Default: the key. */
  readonly id: string;
  readonly type: string;
  /** The tool that the node names. */
  readonly tool: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  /** The plan's retry settings, with the engine's defaults. */
  readonly retry?: Retry;
  /** Time limit of one attempt in milliseconds. */
  readonly timeoutMs?: number;
  /** Path of its graph, such as `fan/a`. Absent in the top-level graph. */
  readonly scope?: string;
}

/** Where a node's key stands in the text. Both numbers count from 1, columns in UTF-16 units. */
export interface NodePlace {
  /** The file, as a path from the plan. Absent for the plan itself. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/** The retry settings of a node. */
export interface Retry {
  /** The number of attempts, including the first. */
  readonly attempts: number;
  /** Delay before the second attempt, in milliseconds. */
  readonly backoffMs: number;
  /** Growth of each delay over the previous one. */
  readonly factor: number;
  /** Longest delay, in milliseconds. */
  readonly maxMs: number;
  /** Error codes to retry, `stage/*` for a whole stage. Empty: all codes. */
  readonly on: readonly string[];
}

/** An edge as written in the plan. */
export interface EdgeInfo {
  readonly from: string;
  readonly to: string;
  /** As written, empty for an unconditional edge. */
  readonly condition: string;
  /** Path of its graph. Absent in the top-level graph. */
  readonly scope?: string;
}
