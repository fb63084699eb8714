/** The findings of a review. */
import type { CostBound, Diagnostic, Drift, PlanFiles, Review, ToolInfo, ToolLock } from "stepgraph";
import type { PlanChange } from "../../editor/compare.js";

/** A plan's version. */
export interface PlanVersion {
  text: string;
  /** Texts by path. */
  files?: PlanFiles;
  lock?: ToolLock;
  /** Replaces a lock. If both are missing, effects are unknown. */
  tools?: readonly ToolInfo[];
}

/** A change of a plan, as the comment shows it. */
export interface ReviewedChange extends PlanChange {
  /** In the new version, or in the old one for a removal. */
  line: number | null;
}

/** Results of tests. */
export interface TestCounts {
  passed: number;
  failed: number;
  /** Failed tests, with their first difference. */
  failures: { name: string; path: string; expected: unknown; got: unknown }[];
}

/** Null for a missing version, or one with errors. */
export interface BeforeAfter<T> {
  before: T | null;
  after: T | null;
}

/** A changed plan's review. */
export interface ChangeReview {
  file: string;
  /** File before a move. */
  previousFile: string | null;
  status: "added" | "removed" | "changed" | "same-meaning";
  /** Reasons not to merge: errors, or tests that passed before. */
  problems: string[];
  /** For `planHash` of `run`. */
  hash: BeforeAfter<string>;
  changes: ReviewedChange[];
  /** New errors and warnings. */
  diagnostics: Diagnostic[];
  effects: BeforeAfter<Review>;
  servers: BeforeAfter<string[]>;
  tests: BeforeAfter<TestCounts>;
  /** How much tests reach, in percent. Null without tests. */
  coverage: BeforeAfter<number>;
  /** The most that a run may use, by the plan's limits. */
  cost: BeforeAfter<CostBound>;
  /** Changes of the tools since the old lock, and what they break. Null if nothing was compared. */
  drift: Drift | null;
  /** A Mermaid flowchart. */
  drawing: string | null;
}
