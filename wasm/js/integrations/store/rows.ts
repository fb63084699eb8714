/** A store's rows as values, and the filters that select them. */
import type { Approval, Decision, Outcome } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { StoreDatabase, StoreValue } from "./database.js";

/** `interrupted`: the process ended first. */
export type StoredStatus = "running" | "paused" | "interrupted" | Outcome["type"];

/** A stored run. */
export interface StoredRun {
  id: string;
  /** The plan's `id`. */
  name: string | null;
  planHash: string;
  status: StoredStatus;
  /** Null before the end. */
  outcome: Outcome | null;
  /** Since the epoch. */
  startedMs: number;
  updatedMs: number;
}

/** A request for a decision. */
export interface StoredApproval {
  run: string;
  /** The decision's key. */
  call: string;
  approval: Approval;
  /** Since the epoch. */
  askedMs: number;
  /** When `timeout_ms` ends it, since the epoch. */
  dueMs: number | null;
  /** Whether the run waits for it. */
  open: boolean;
  decision: Decision | null;
  decidedMs: number | null;
  /** As far as the program said. */
  decidedBy: string | null;
  /** Whether the run did not take the decision. */
  tooLate: boolean;
}

/** A page, with the `after` of the next one. */
export interface StoredRunPage {
  runs: StoredRun[];
  next: string | null;
}

/** Filter of `runs`. */
export interface StoredRunFilter {
  /** `id` or hash. Six characters of the hash are enough. */
  plan?: string;
  status?: StoredStatus | readonly StoredStatus[];
  /** Earliest start, in milliseconds since the epoch. */
  since?: number;
  /** Starts before this time. */
  until?: number;
  /** Default 50. */
  limit?: number;
  /** The last page's `next`. */
  after?: string;
}

/** Filter of `approvals`. */
export interface StoredApprovalFilter {
  run?: string;
  /** `false` lists decided ones too. Default true. */
  open?: boolean;
}

/**
 * @internal Values of `open`. HELD: undecided while the run stores an answer. TOO_LATE: the run did not take the
 * decision.
 */
export const [TOO_LATE, CLOSED, OPEN, HELD] = [-1, 0, 1, 2];

/** @internal No reader sees such a run. */
export const DELETING = "deleting";

/** @internal */
export const STATUS = "=running|=paused|=interrupted|=completed|=failed|=cancelled";
/** @internal */
export const RUNS: Kinds<StoredRunFilter> = {
  plan: "place",
  status: "place|[]place",
  since: "amount",
  until: "amount",
  limit: "count",
  after: "place",
};
/** @internal */
export const APPROVALS: Kinds<StoredApprovalFilter> = { run: "place", open: "flag" };

/** @internal */
export interface RunRow {
  id: string;
  plan: string;
  name: string | null;
  status: StoredStatus;
  outcome: string | null;
  started: number;
  updated: number;
}

/** @internal */
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

/** @internal */
export function toRun({ id, plan, name, status, outcome, started, updated }: RunRow): StoredRun {
  const ended = outcome === null ? null : (JSON.parse(outcome) as Outcome);
  return { id, name, planHash: plan, status, outcome: ended, startedMs: started, updatedMs: updated };
}

/** @internal */
export function toApproval(row: ApprovalRow): StoredApproval {
  return {
    run: row.run,
    call: row.call,
    approval: JSON.parse(row.approval) as Approval,
    askedMs: row.asked,
    dueMs: row.due,
    open: row.open > 0,
    decision: row.decision === null ? null : (JSON.parse(row.decision) as Decision),
    decidedMs: row.decided,
    decidedBy: row.decided_by,
    tooLate: row.open === TOO_LATE,
  };
}

/** @internal A run whose lease has ended is interrupted. */
export const runQuery = ({ clock }: StoreDatabase): string => `SELECT * FROM (
  SELECT r.id, r.plan, p.name, r.outcome, r.started, r.updated,
    CASE WHEN r.status = 'running' AND r.lease < ${clock} THEN 'interrupted' ELSE r.status END AS status
  FROM stepgraph_runs r LEFT JOIN stepgraph_plans p ON p.hash = r.plan WHERE r.status <> '${DELETING}') AS runs`;

/** @internal */
export function runConditions({ plan, status, since, until, after }: StoredRunFilter): [sql: string, StoreValue[]] {
  const parts: [string, StoreValue[]][] = [];
  if (plan !== undefined)
    parts.push(
      plan.length < 6 ? ["name = ?", [plan]] : [`(name = ? OR substr(plan, 1, ${plan.length}) = ?)`, [plan, plan]],
    );
  if (status !== undefined) {
    const all = typeof status === "string" ? [status] : status;
    parts.push(all.length === 0 ? ["1 = 0", []] : [`status IN (${all.map(() => "?").join(", ")})`, [...all]]);
  }
  if (since !== undefined) parts.push(["started >= ?", [since]]);
  if (until !== undefined) parts.push(["started < ?", [until]]);
  if (after !== undefined)
    parts.push(["(started, id) < (SELECT started, id FROM stepgraph_runs WHERE id = ?)", [after]]);
  const sql = parts.map(([condition]) => condition).join(" AND ");
  return [sql === "" ? "" : `WHERE ${sql}`, parts.flatMap(([, values]) => values)];
}
