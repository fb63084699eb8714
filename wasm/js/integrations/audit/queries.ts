/**
 * Filters of runs and events, and their SQL.
 *
 * Invariants: SQL contains no value of a caller. Every query uses an index and has a limit.
 */
import { internals } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { SqliteValue } from "./database.js";
import { AuditError } from "./sink.js";

/** `unfinished`: no end, and the process is gone or silent for 30 seconds. */
export type AuditStatus = "running" | "unfinished" | "completed" | "failed" | "cancelled" | "paused";

/** @internal */
export const STATUSES: readonly AuditStatus[] = ["running", "unfinished", "completed", "failed", "cancelled", "paused"];

/** Filter of runs, newest first. All set fields must match. */
export interface RunFilter {
  /** Name or hash. Six characters of the hash are enough. */
  plan?: string;
  status?: AuditStatus | readonly AuditStatus[];
  /** Visited, in any graph. */
  node?: string;
  /** The host's name. */
  key?: string;
  /** Earliest start, in milliseconds since the epoch. */
  since?: number;
  /** Starts before this time. */
  until?: number;
  /** Default 50. */
  limit?: number;
  /** The last page's `next`. */
  after?: string;
}

/** Filter of events. All set fields must match. */
export interface EventFilter {
  node?: string;
  type?: string | readonly string[];
  /** Such as `fan:1/a`. Empty for the plan's own graph. */
  scope?: string;
  /** Default 1000. */
  limit?: number;
  /** The last page's `next`. */
  after?: number;
}

const RUN_FILTER: Kinds<RunFilter> = {
  plan: "text",
  status: "text|[]text",
  node: "text",
  key: "text",
  since: "any",
  until: "any",
  limit: "any",
  after: "text",
};
const EVENT_FILTER: Kinds<EventFilter> = {
  node: "text",
  type: "text|[]text",
  scope: "text",
  limit: "any",
  after: "any",
};

/** @internal A misspelt filter must not match all runs. */
export function assertRunFilter(of: string, filter: RunFilter): void {
  internals.assertOptions(of, filter, RUN_FILTER);
}

/** @internal */
export function assertEventFilter(of: string, filter: EventFilter): void {
  internals.assertOptions(of, filter, EVENT_FILTER);
}

/** @internal */
export interface Query {
  sql: string;
  values: SqliteValue[];
}

/** @internal */
export const LIVENESS_TIMEOUT_MS = 30_000;

/** @internal */
export interface ProcessLiveness {
  now: number;
  /** Other machines' runs are judged by their last write. */
  place: string;
  gone: readonly number[];
}

function livenessQuery({ now, place, gone }: ProcessLiveness): Query {
  return {
    sql: "(r.seen < ? OR (r.place = ? AND r.pid IN (SELECT value FROM json_each(?))))",
    values: [now - LIVENESS_TIMEOUT_MS, place, JSON.stringify(gone)],
  };
}

const COMMON_EVENT_COUNT = 1000;

/** @internal If most runs visit the node, a query scans runs, else its events. */
export function commonQuery(node: string): Query {
  return {
    sql: `SELECT count(*) = ${COMMON_EVENT_COUNT} AS common FROM (SELECT 1 FROM events WHERE node = ? LIMIT ${COMMON_EVENT_COUNT})`,
    values: [node],
  };
}

/** @internal One more than the limit, to find another page. */
export function runsQuery(
  filter: RunFilter,
  liveness: ProcessLiveness,
  after: { started: number; run: number } | null,
  common = false,
): Query {
  const parts: Query[] = [];
  const add = (sql: string, ...values: SqliteValue[]) => parts.push({ sql, values });
  const dead = livenessQuery(liveness);
  if (filter.plan !== undefined) {
    if (/^[0-9a-f]{6,64}$/.test(filter.plan))
      add("(r.name = ? OR (r.plan >= ? AND r.plan < ?))", filter.plan, filter.plan, `${filter.plan}g`);
    else add("r.name = ?", filter.plan);
  }
  if (filter.status !== undefined) parts.push(statusQuery([filter.status].flat() as AuditStatus[], dead));
  if (filter.node !== undefined) {
    add(
      common
        ? "EXISTS (SELECT 1 FROM events e WHERE e.node = ? AND e.run = r.run)"
        : "r.run IN (SELECT e.run FROM events e WHERE e.node = ?)",
      filter.node,
    );
  }
  if (filter.key !== undefined) add("r.key = ?", filter.key);
  if (filter.since !== undefined) add("r.started >= ?", assertTime("since", filter.since));
  if (filter.until !== undefined) add("r.started < ?", assertTime("until", filter.until));
  if (after !== null) add("(r.started, r.run) < (?, ?)", after.started, after.run);
  const where = parts.length === 0 ? "" : ` WHERE ${parts.map(({ sql }) => sql).join(" AND ")}`;
  const sql = `SELECT r.*, ${dead.sql} AS gone FROM runs r${where} ORDER BY r.started DESC, r.run DESC LIMIT ?`;
  return { sql, values: [...dead.values, ...parts.flatMap(({ values }) => values), limitOf(filter.limit, 50) + 1] };
}

function statusQuery(wanted: readonly AuditStatus[], dead: Query): Query {
  for (const status of wanted) {
    if (!STATUSES.includes(status))
      throw queryError(`there is no status \`${status}\``, `use ${STATUSES.map((known) => `\`${known}\``).join(", ")}`);
  }
  const ended = wanted.filter((status) => status !== "running" && status !== "unfinished");
  const parts: Query[] = [{ sql: `r.status IN (${ended.map(() => "?").join(", ")})`, values: [...ended] }];
  if (wanted.includes("running"))
    parts.push({ sql: `(r.status = 'running' AND NOT ${dead.sql})`, values: dead.values });
  if (wanted.includes("unfinished")) parts.push({ sql: `(r.status = 'running' AND ${dead.sql})`, values: dead.values });
  return { sql: `(${parts.map(({ sql }) => sql).join(" OR ")})`, values: parts.flatMap(({ values }) => values) };
}

/** @internal One more than the limit. */
export function eventsQuery(run: number, filter: EventFilter): Query {
  const parts = ["run = ?"];
  const values: SqliteValue[] = [run];
  const add = (sql: string, ...more: SqliteValue[]) => {
    parts.push(sql);
    values.push(...more);
  };
  if (filter.node !== undefined) add("node = ?", filter.node);
  if (filter.type !== undefined) {
    const types = [filter.type].flat() as string[];
    add(`type IN (${types.map(() => "?").join(", ")})`, ...types);
  }
  if (filter.scope !== undefined) add("coalesce(scope, '') = ?", filter.scope);
  if (filter.after !== undefined) add("seq > ?", assertTime("after", filter.after));
  return {
    sql: `SELECT seq, json FROM events WHERE ${parts.join(" AND ")} ORDER BY seq LIMIT ?`,
    values: [...values, limitOf(filter.limit, 1000) + 1],
  };
}

/** @internal */
export function limitOf(limit: number | undefined, usual: number): number {
  if (limit === undefined) return usual;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000)
    throw queryError(`\`limit\` is ${limit}, which is no number of rows`, "give a whole number from 1 up");
  return limit;
}

function assertTime(name: string, given: number): number {
  if (typeof given !== "number" || !Number.isFinite(given))
    throw queryError(
      `\`${name}\` is ${String(given)}, which is no number`,
      name === "after" ? "give the number of an event" : "give milliseconds since the epoch",
    );
  return given;
}

/** @internal */
export function queryError(message: string, help: string): AuditError {
  return new AuditError("audit/bad-query", message, help);
}
