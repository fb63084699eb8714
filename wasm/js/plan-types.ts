/** Types of plans and diagnostics. */
import type { Code } from "./codes.js";

export type { Code } from "./codes.js";

/** A half-open range of text in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

/** The part that a diagnostic concerns. */
export type Target =
  | { type: "document" }
  /** As in `fan/a/fetch`. */
  | { type: "node"; node: string }
  /** An index in `edges`. `scope` is absent at the top. */
  | { type: "edge"; edge: number; scope?: string }
  | { type: "condition"; edge: number; scope?: string }
  /** An index in `tool_calls`. */
  | { type: "call"; call: number };

/** A problem of a plan. Lines and columns count from 1, columns in UTF-16 units. */
export interface Diagnostic {
  /** Stable forever. */
  code: Code;
  /** A plan with errors does not run. */
  severity: "error" | "warning" | "hint";
  /** One lower-case sentence. */
  message: string;
  target: Target;
  /** A path from the plan. Absent for the plan itself. */
  file?: string;
  /** Null if the plan was not text. */
  span: Span | null;
  line: number | null;
  column: number | null;
  /** Related ranges, each with a phrase. */
  labels: { file?: string; span: Span; line: number; column: number; message: string }[];
  /** One imperative sentence. */
  help: string | null;
  /** Text edits that fix the problem. */
  fix: { span: Span; text: string }[];
}

/** A plan file as text or UTF-8. */
export type PlanFileText = string | Uint8Array;

/** Files that a plan may run, by path from the plan. */
export type PlanFiles = Readonly<Record<string, PlanFileText>>;

/**
 * Reads a file by its path from the plan, without `.` and `..`, ending in `.yaml`, `.yml` or `.json`. If the file does
 * not exist, return null or throw.
 */
export type ReadPlanFile = (path: string) => PlanFileText | null | undefined | Promise<PlanFileText | null | undefined>;

/** Options of `PlanGraph.parse`. */
export interface ParseOptions {
  /** `auto` parses all but JSON as YAML. */
  format?: "auto" | "yaml" | "json";
  files?: PlanFiles;
}

/** Options of `PlanGraph.load`. */
export interface LoadOptions extends ParseOptions {
  /** Names the text in messages. Default: `plan`. */
  name?: string;
}

/** Options of `PlanGraph.load` for several files. */
export interface ReadOptions extends LoadOptions {
  /** Reads files that `files` lacks. */
  read: ReadPlanFile;
}

/** Options of `PlanGraph.print`. */
export interface PrintOptions {
  /** Keyed by JSON pointer, such as `/nodes/fetch/input`, or empty for the file's head. */
  comments?: Record<string, string>;
}

/** A node as written in the plan. */
export interface NodeInfo {
  /** The key in `nodes`. */
  readonly key: string;
  /** The output's name. Default: the key. */
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  /** Includes the engine's defaults. */
  readonly retry?: Retry;
  /** Limit of one attempt. */
  readonly timeoutMs?: number;
  /** As in `fan/a`. Absent at the top. */
  readonly scope?: string;
}

/** A node's place, from 1, columns in UTF-16 units. */
export interface NodePlace {
  /** A path from the plan. Absent for the plan itself. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/** Retry settings of a node. */
export interface Retry {
  /** Including the first. */
  readonly attempts: number;
  /** Delay before the second attempt. */
  readonly backoffMs: number;
  /** Growth of each delay. */
  readonly factor: number;
  /** The longest delay. */
  readonly maxMs: number;
  /** Error codes, `stage/*` for a whole stage. Empty: all. */
  readonly on: readonly string[];
}

/** An edge as written in the plan. */
export interface EdgeInfo {
  readonly from: string;
  readonly to: string;
  /** Empty for an unconditional edge. */
  readonly condition: string;
  /** As in {@link NodeInfo}. */
  readonly scope?: string;
}
