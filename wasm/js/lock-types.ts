/** Types of locks, and of differences between a lock and the current tools. */
import type { Code, Diagnostic } from "./plan-types.js";

/** Codes of problems that only a comparison with a lock finds. */
export type DriftCode =
  /** the plan uses a tool that the lock does not have */
  | "drift/not-locked"
  /** a tool needs approval that needed none, or the other way round */
  | "drift/approval"
  /** a tool's hints say less than they did */
  | "drift/annotations"
  /** an argument accepts fewer values, and the plan computes the value */
  | "drift/arguments"
  /** an output that the plan reads has another type */
  | "drift/output"
  /** a text that a model reads has changed */
  | "drift/description"
  /** a tool that the lock does not have, and that a model may call */
  | "drift/tool-added"
  /** another server offers the tool */
  | "drift/server";

/** `error`: the plan breaks. `warning`: it may break. `info`: the plan does not use what has changed. */
export type DriftSeverity = "error" | "warning" | "info";

/** The part of a tool that has changed. */
export type ToolPart = "tool" | "input" | "output" | "annotations" | "description";

/** One change of a locked tool. */
export interface ToolChange {
  /** The server and the tool in the lock, or today for an added tool. */
  server: string;
  tool: string;
  part: ToolPart;
  /** The argument or field, such as `filter.since` or `items[].title`. Empty for the whole. */
  path: string;
  /** One lower-case sentence. */
  message: string;
  /** The worst effect on the plans. */
  severity: DriftSeverity;
}

/** A change of the plan's text that fixes a problem. Ranges are those of the problem's `span`. */
export type DriftFix =
  /** Replaces the name or the value `from` at the span. */
  | { type: "replace"; from: string; value: string }
  /** Replaces the field `from` in the expression at the span. */
  | { type: "rename-field"; from: string; to: string }
  /** Adds an argument to the input of a node. `node` is its path. */
  | { type: "add-argument"; node: string; name: string; value: unknown };

/** One problem of a plan with the current tools. */
export interface DriftProblem extends Omit<Diagnostic, "code" | "fix" | "severity"> {
  /** Stable forever. */
  code: Code | DriftCode;
  severity: "error" | "warning";
  /** How to fix it, or null if nothing safe is known. */
  fix: DriftFix | null;
}

/** What differs between a lock and the current tools. */
export interface Drift {
  /** The changes of the tools that the plans use, sorted by server and tool. */
  changes: ToolChange[];
  /** The problems of each plan, in the order of the plans. */
  plans: DriftProblem[][];
  /** Whether a plan breaks. */
  breaks: boolean;
}
