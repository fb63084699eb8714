/** Detects changes of a plan since its review, snapshot or recording. */
import type { Head } from "./cassette.js";
import type { PlanGraph } from "./graph.js";
import { listSome, planHashChanges } from "./plan-hash.js";
import { assertSnapshot } from "./snapshot-shape.js";
import type { RunOptions, Snapshot } from "./types.js";
import { findConflicts } from "./run-conflicts.js";
import { conflictText } from "./run-conflict.js";

/** @internal */
export function planChanges(graph: PlanGraph, options: RunOptions): string | null {
  const changed = planHashChanges(graph, options);
  if (changed !== null) return changed;
  const { snapshot, acceptChangedPlan } = options;
  assertSnapshot(snapshot);
  if (snapshot === undefined || acceptChangedPlan === true) return null;
  const since = acceptChangedPlan === "proved" ? conflictTexts(graph, snapshot) : graph.differences(snapshot.plan);
  return since.length > 0 ? `the plan has changed since the snapshot was made: ${listSome(since)}` : null;
}

/** @internal */
export function changesSinceRecording(graph: PlanGraph, head: Head, { acceptChangedPlan }: RunOptions): string | null {
  const changed = acceptChangedPlan ? [] : graph.differences(head.plan);
  return changed.length > 0 ? `the plan has changed since the cassette was recorded: ${listSome(changed)}` : null;
}

/** @internal Keys of nodes in the outermost graph that differ from the recorded plan. */
export function changedNodes(graph: PlanGraph, head: Head): ReadonlySet<string> {
  const keys = graph.differences(head.plan).flatMap((text) => /^node `([^]*)` was /.exec(text)?.[1] ?? []);
  return new Set(keys);
}

function conflictTexts(graph: PlanGraph, snapshot: Snapshot): string[] {
  return findConflicts(graph, snapshot).map(conflictText);
}
