/** Decisions that other programs make. */
import type { Approval } from "stepgraph";

/**
 * @internal Decides between answers and decisions of other programs.
 *
 * `hold` delivers the decisions that were accepted, and lets nobody accept others until `release`. `release` gets the
 * approvals that the run still waits for.
 */
export interface DecisionGate {
  /** Called for each approval, also for one whose decision is recorded. */
  requested(approval: Approval): void;
  hold(): Promise<void>;
  release(waiting: readonly string[]): Promise<void>;
}
