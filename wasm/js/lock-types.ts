/** Types of locks and of drift. */
import type { Code, Diagnostic } from "./plan-types.js";

/** Codes that only a comparison with a lock finds. */
export type DriftCode =
  /** a used tool is not locked */
  | "drift/not-locked"
  /** a tool needs approval now, or no longer */
  | "drift/approval"
  /** a tool's hints say less */
  | "drift/annotations"
  /** a computed argument accepts fewer values */
  | "drift/arguments"
  /** an output that the plan reads has another type */
  | "drift/output"
  /** a text for models has changed */
  | "drift/description"
  /** a model may call an unlocked tool */
  | "drift/tool-added"
  /** another server offers the tool */
  | "drift/server";

/** `error`: the plan breaks. `warning`: it may. `info`: the change is unused. */
export type DriftSeverity = "error" | "warning" | "info";

/** The changed part of a tool. */
export type ToolPart = "tool" | "input" | "output" | "annotations" | "description";

/** A change of a locked tool. */
export interface ToolChange {
  /** In the lock, or today for an added tool. */
  server: string;
  tool: string;
  part: ToolPart;
  /** As in `items[].title`. Empty for the whole. */
  path: string;
  message: string;
  /** The worst on any plan. */
  severity: DriftSeverity;
}

/** A fix of the plan's text within the problem's `span`. */
export type DriftFix =
  /** Replaces `from`. */
  | { type: "replace"; from: string; value: string }
  /** Replaces `from` in an expression. */
  | { type: "rename-field"; from: string; to: string }
  /** Adds an argument to a node's input. */
  | { type: "add-argument"; node: string; name: string; value: unknown };

/** A problem of a plan with today's tools. */
export interface DriftProblem extends Omit<Diagnostic, "code" | "fix" | "severity"> {
  /** Stable forever. */
  code: Code | DriftCode;
  severity: "error" | "warning";
  /** Null if no safe fix is known. */
  fix: DriftFix | null;
}

/** Differences between a lock and today's tools. */
export interface Drift {
  /** Those of used tools, by server and tool. */
  changes: ToolChange[];
  /** In the order of the plans. */
  plans: DriftProblem[][];
  breaks: boolean;
}
