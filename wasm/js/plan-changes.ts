/** Detects changes of a plan since its review, snapshot or recording. */
import type { Head } from "./cassette.js";
import type { PlanGraph } from "./graph.js";
import { assertSnapshot } from "./run-settings.js";
import type { RunOptions, Snapshot } from "./types.js";
import { compareRun } from "./compare-run.js";
import { conflictText } from "./run-conflict.js";

/** @internal */
export function planChanges(graph: PlanGraph, { planHash, snapshot, acceptChangedPlan }: RunOptions): string | null {
  if (typeof planHash === "string" && planHash !== graph.hash) {
    return `the plan is not the one that was asked for: its hash is ${graph.hash}, not ${planHash}`;
  }
  const changed = typeof planHash === "object" ? graph.differences(planHash) : [];
  if (changed.length > 0) return `the plan is not the one that was asked for: ${listSome(changed)}`;
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

function conflictTexts(graph: PlanGraph, snapshot: Snapshot): string[] {
  return compareRun(graph, snapshot).conflicts.map(conflictText);
}

/** @internal */
export function listSome(texts: readonly string[]): string {
  const more = texts.length > 8 ? `, and ${texts.length - 8} more` : "";
  return texts.slice(0, 8).join(", ") + more;
}
