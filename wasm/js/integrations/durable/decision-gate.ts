/** Decisions that other programs make. */
import type { Approval } from "stepgraph";

/**
 * @internal Decides between answers and other programs' decisions.
 *
 * `hold` delivers accepted decisions, and refuses further ones. `release` gets the approvals that the run still waits
 * for.
 */
export interface DecisionGate {
  /** Also for an approval whose decision is recorded. */
  requested(approval: Approval): void;
  hold(): Promise<void>;
  release(waiting: readonly string[]): Promise<void>;
}
