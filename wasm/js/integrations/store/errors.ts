/** Why a store refuses a run or a decision. */
import { type Decision, type Outcome, type PlanGraph, PlanError } from "stepgraph";
import type { StoredApproval } from "./rows.js";

/** SQLite drivers cut text at NUL, and PostgreSQL refuses it. */
export function assertStorable(graph: PlanGraph): void {
  const { id = "" } = graph.toJSON() as { id?: string };
  const names = [id, ...graph.nodes.flatMap((node) => [node.key, node.id, node.scope ?? ""])];
  if (names.some((name) => name.includes("\0")))
    throw new PlanError("store/failed", "a name in the plan has a NUL character, which databases can't store");
}

export function unknownRun(location: string, id: string): PlanError {
  return new PlanError("store/unknown-run", `${location} has no run \`${id}\``);
}

export function replacedApproval(run: string, call: string): PlanError {
  return new PlanError(
    "store/decided",
    `\`${call}\` of run \`${run}\` can't be decided: the run was begun again and asks anew; read it first`,
  );
}

export function isSameEnd(then: Outcome, now: Outcome): boolean {
  return then.type === now.type && (then.type !== "failed" || now.type !== "failed" || then.code === now.code);
}

export function undecidable({ run, call, decision, decidedBy, open }: StoredApproval): PlanError {
  const by = decidedBy === null ? "" : ` by ${decidedBy}`;
  const why =
    decision !== null ? `it was decided${by}` : open ? "its deadline is over" : "the run no longer waits for it";
  return new PlanError("store/decided", `\`${call}\` of run \`${run}\` can't be decided: ${why}`);
}

/** Otherwise the decision would fail its run for good. */
export function assertWritable(decision: Decision): void {
  try {
    if (typeof decision === "string" || JSON.stringify(decision.value) !== undefined) return;
  } catch {
    // Such as a cycle or a big integer.
  }
  throw new PlanError("api/bad-option", "the value of a decision must be JSON, as in `{ value: { amount: 5 } }`");
}
