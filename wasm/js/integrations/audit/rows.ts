/** A database's rows as values. */
import type { Outcome, Report, RunCounts, TraceEvent, UnreportedCalls } from "stepgraph";
import type { AuditStatus } from "./queries.js";

/** A run in the store. */
export interface StoredRun {
  readonly id: string;
  readonly key: string | null;
  /** The `id` of the run before. */
  readonly continues: string | null;
  readonly plan: { readonly hash: string; readonly name: string | null };
  readonly status: AuditStatus;
  /** Null before the end. */
  readonly outcome: Outcome | null;
  /** Since the epoch, as all times here. */
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly durationMs: number | null;
  /** Null before the end. */
  readonly counts: Report["counts"] | null;
  /** Stored events and cassette lines. */
  readonly events: number;
  readonly lines: number;
  /** The last write. */
  readonly seenMs: number;
}

/** An event with its number. */
export type StoredEvent = TraceEvent & { readonly seq: number };

/** @internal */
export interface RunRow {
  run: number;
  id: string;
  key: string | null;
  continues: string | null;
  plan: string;
  name: string | null;
  status: string;
  outcome: string | null;
  started: number;
  ended: number | null;
  duration: number | null;
  steps: number | null;
  calls: number | null;
  retries: number | null;
  tokens: number | null;
  usd: number | null;
  unreported: string | null;
  events: number;
  lines: number;
  place: string | null;
  pid: number | null;
  seen: number;
  gone: number;
}

function countsOf({ calls, retries, tokens, usd, unreported }: RunRow, steps: number): RunCounts {
  return {
    ...{ steps, calls: calls ?? 0, retries: retries ?? 0 },
    ...(tokens !== null && { tokens }),
    ...(usd !== null && { usd }),
    ...(unreported !== null && { unreported: JSON.parse(unreported) as UnreportedCalls }),
  };
}

/** @internal */
export function runOf(row: RunRow): StoredRun {
  const { id, key, continues, plan: hash, name, outcome, started, ended, duration, events, lines, seen } = row;
  const counts = row.steps === null ? null : countsOf(row, row.steps);
  const status = row.status === "running" && row.gone === 1 ? "unfinished" : (row.status as AuditStatus);
  return {
    id,
    key,
    continues,
    plan: { hash, name },
    status,
    outcome: outcome === null ? null : (JSON.parse(outcome) as Outcome),
    startedMs: started,
    endedMs: ended,
    durationMs: duration,
    counts,
    events,
    lines,
    seenMs: seen,
  };
}

/** @internal */
export function eventOf({ seq, json }: { seq: number; json: string }): StoredEvent {
  return { ...(JSON.parse(json) as TraceEvent), seq };
}
