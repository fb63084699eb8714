/** Decides whether a paused run may continue with a changed plan. */
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { assertOptions } from "./options.js";
import { findConflicts } from "./run-conflicts.js";
import type { RunConflict } from "./run-conflict.js";
import { assertSnapshot } from "./snapshot-shape.js";
import type { Snapshot } from "./types.js";

/** Options of `compareRun`. */
export interface CompareRunOptions {
  /**
   * The snapshot's plan. Allows comparing nested graphs by parts, ignoring descriptions, and naming changed settings.
   */
  from?: PlanGraph;
}

/** Whether a run may continue, and why not. */
export interface RunComparison {
  /** Continuing equals a run of the changed plan from its start, with the same answers. */
  proved: boolean;
  conflicts: RunConflict[];
}

/**
 * Compares a changed plan with a run's finished and pending calls.
 *
 * @throws PlanError `snapshot/unusable` for a damaged snapshot, `api/bad-option` if `from` is not the snapshot's plan.
 * @example
 * const { proved, conflicts } = compareRun(newGraph, report.snapshot, { from: oldGraph });
 */
export function compareRun(graph: PlanGraph, snapshot: Snapshot, options: CompareRunOptions = {}): RunComparison {
  assertPlan("compareRun", graph);
  assertOptions("compareRun", options, { from: "any" });
  assertSnapshot(snapshot ?? ({} as Snapshot));
  const { from } = options;
  if (from !== undefined) {
    assertPlan("compareRun", from);
    if (from.hash !== snapshot.plan.hash)
      throw new PlanError("api/bad-option", "`from` of `compareRun` is not the plan of the snapshot");
  }
  const conflicts = findConflicts(graph, snapshot, from);
  return { proved: conflicts.length === 0, conflicts };
}
