/** Compares a plan with the one that was asked for. */
import type { PlanGraph } from "./graph.js";
import type { RunOptions } from "./types.js";

/** @internal */
export function planHashChanges(graph: PlanGraph, { planHash }: Pick<RunOptions, "planHash">): string | null {
  if (typeof planHash === "string" && planHash !== graph.hash) {
    return `the plan is not the one that was asked for: its hash is ${graph.hash}, not ${planHash}`;
  }
  const changed = typeof planHash === "object" ? graph.differences(planHash) : [];
  return changed.length > 0 ? `the plan is not the one that was asked for: ${listSome(changed)}` : null;
}

/** @internal */
export function listSome(texts: readonly string[]): string {
  const more = texts.length > 8 ? `, and ${texts.length - 8} more` : "";
  return texts.slice(0, 8).join(", ") + more;
}
