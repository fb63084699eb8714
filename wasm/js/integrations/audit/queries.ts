/**
 * What can be asked of a store, and the SQL for it.
 *
 * Decides what a filter means. Invariants: whatever a caller gives is bound, never put into SQL; every query goes by an
 * index and is bounded.
 */
import { internals } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { SqliteValue } from "./database.js";
import { AuditError } from "./sink.js";

/** How a run stands. `unfinished` is a run whose process is gone, or has said nothing for half a minute. */
export type AuditStatus = "running" | "unfinished" | "completed" | "failed" | "cancelled" | "paused";

/** @internal All of them. */
export const STATUSES: readonly AuditStatus[] = ["running", "unfinished", "completed", "failed", "cancelled", "paused"];

/** Which runs are asked for; all that is given must hold. The newest come first. */
export interface RunFilter {
  /** The plan's name, or its hash or the first six characters of it and more. */
  plan?: string;
  status?: AuditStatus | readonly AuditStatus[];
  /** Runs that came to this node, in whatever graph. */
  node?: string;
  /** What the host called the run. */
  key?: string;
  /** Begun then or later: milliseconds since the epoch. */
  since?: number;
  /** Begun before: milliseconds since the epoch. */
  until?: number;
  /** At most so many; 50 unless given. */
  limit?: number;
  /** The `id` of the last run of the page before. */
  after?: string;
}

/** Which events of a run are asked for; all that is given must hold. */
export interface EventFilter {
  node?: string;
  type?: string | readonly string[];
  /** Of the graph inside a node that has this name, as `fan:1/a`; the empty text is the plan's own graph. */
  scope?: string;
  /** At most so many; 1000 unless given. */
  limit?: number;
  /** The number of the last event of the page before. */
  after?: number;
}

// What is of the right sort and makes no sense has codes of its own.
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

/** @internal Refuses what filters nothing: a filter that is misspelt must not fit all runs. */
export function assertRunFilter(of: string, filter: RunFilter): void {
  internals.assertOptions(of, filter, RUN_FILTER);
}

/** @internal The same of events. */
export function assertEventFilter(of: string, filter: EventFilter): void {
  internals.assertOptions(of, filter, EVENT_FILTER);
}

/** @internal A statement and what is bound in it. */
export interface Query {
  sql: string;
  values: SqliteValue[];
}

/** @internal So long a run that says nothing counts as under way. */
export const LIVENESS_TIMEOUT_MS = 30_000;

/** @internal Who is alive, as far as that can be known here. */
export interface ProcessLiveness {
  now: number;
  /** Where this process runs; processes of other places are judged by when they were last heard of. */
  place: string;
  /** Processes of this place that are gone. */
  gone: readonly number[];
}

/** SQL that says whether a run that has no end is given up. */
function livenessQuery({ now, place, gone }: ProcessLiveness): Query {
  return {
    sql: "(r.seen < ? OR (r.place = ? AND r.pid IN (SELECT value FROM json_each(?))))",
    values: [now - LIVENESS_TIMEOUT_MS, place, JSON.stringify(gone)],
  };
}

/** From so many events on a node is one that most runs come to. */
const COMMON_EVENT_COUNT = 1000;

/**
 * @internal Whether a node is one that most runs come to: then runs are gone through, and looked up there; else its
 * events, and the runs of these.
 */
export function commonQuery(node: string): Query {
  return {
    sql: `SELECT count(*) = ${COMMON_EVENT_COUNT} AS common FROM (SELECT 1 FROM events WHERE node = ? LIMIT ${COMMON_EVENT_COUNT})`,
    values: [node],
  };
}

/** @internal Runs, newest first: one more than asked for, which says whether there are others. */
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

/** @internal Events of a run in their order: one more than asked for. */
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

/** @internal How many are asked for. */
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

/** @internal A query that makes no sense. */
export function queryError(message: string, help: string): AuditError {
  return new AuditError("audit/bad-query", message, help);
}
