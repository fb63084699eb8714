/** What a review of a changed plan finds. */
import type { CostBound, Diagnostic, Drift, PlanFiles, Review, ToolInfo, ToolLock } from "stepgraph";
import type { PlanChange } from "../../editor/compare.js";

/** One version of a plan. */
export interface PlanVersion {
  text: string;
  /** Texts of the files that it runs, by path. */
  files?: PlanFiles;
  /** The lock with the tools that it may call. */
  lock?: ToolLock;
  /** Instead of a lock: the tools that it may call. Without both, the effects of tools are unknown. */
  tools?: readonly ToolInfo[];
}

/** A change, with its line. */
export interface ReviewedChange extends PlanChange {
  /** Line in the new version, or in the old one if the change removes something. Starts at 1. */
  line: number | null;
}

/** Results of a plan's tests. */
export interface TestCounts {
  passed: number;
  failed: number;
  /** Names of failed tests, with what differs first. */
  failures: { name: string; path: string; expected: unknown; got: unknown }[];
}

/** A value of the old version and of the new one. Null if there is no such version, or if it has errors. */
export interface BeforeAfter<T> {
  before: T | null;
  after: T | null;
}

/** The review of one changed plan. */
export interface ChangeReview {
  file: string;
  /** Former file of a moved plan. */
  previousFile: string | null;
  status: "added" | "removed" | "changed" | "same-meaning";
  /** Why the plan must not be merged: it has errors, or a test fails that passed. */
  problems: string[];
  /** Hashes to approve, as for `planHash` of `run`. */
  hash: BeforeAfter<string>;
  changes: ReviewedChange[];
  /** Errors and warnings of the new version that the old one does not have. */
  diagnostics: Diagnostic[];
  effects: BeforeAfter<Review>;
  servers: BeforeAfter<string[]>;
  tests: BeforeAfter<TestCounts>;
  /** How much of the plan its tests reach, in percent. Null for a plan without tests. */
  coverage: BeforeAfter<number>;
  /** The most that a run may use, by the plan's limits. */
  cost: BeforeAfter<CostBound>;
  /** How the tools differ from those of the old lock, and what that breaks. Null if nothing was compared. */
  drift: Drift | null;
  /** A Mermaid flowchart with the changes marked. */
  drawing: string | null;
}
