/** Rows of queries, as the objects of the API. */
import type { Approval, Decision, Outcome } from "stepgraph";
import type { StoredApproval, StoredRun, StoredStatus } from "./store.js";

export interface RunRow {
  id: string;
  plan: string;
  name: string | null;
  status: StoredStatus;
  outcome: string | null;
  started: number;
  updated: number;
}

export interface ApprovalRow {
  run: string;
  call: string;
  approval: string;
  asked: number;
  due: number | null;
  open: number;
  decision: string | null;
  decided: number | null;
  decided_by: string | null;
}

export function toRun({ id, plan, name, status, outcome, started, updated }: RunRow): StoredRun {
  const ended = outcome === null ? null : (JSON.parse(outcome) as Outcome);
  return { id, name, planHash: plan, status, outcome: ended, startedMs: started, updatedMs: updated };
}

export function toApproval(row: ApprovalRow): StoredApproval {
  return {
    run: row.run,
    call: row.call,
    approval: JSON.parse(row.approval) as Approval,
    askedMs: row.asked,
    dueMs: row.due,
    open: row.open === 1,
    decision: row.decision === null ? null : (JSON.parse(row.decision) as Decision),
    decidedMs: row.decided,
    decidedBy: row.decided_by,
  };
}
