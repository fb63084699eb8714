/**
 * Stores runs of many processes in one SQLite database. A batch is one transaction, and writing it again changes
 * nothing.
 */
import type { TraceEvent } from "stepgraph";
import {
  auditError,
  closedError,
  transaction,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteValue,
} from "./database.js";
import {
  assertEventFilter,
  assertRunFilter,
  queryError,
  commonQuery,
  eventsQuery,
  limitOf,
  runsQuery,
  type EventFilter,
  type ProcessLiveness,
  type Query,
  type RunFilter,
} from "./queries.js";
import { formatSpill, parseSpill } from "./spill.js";
import { eventOf, runOf, type StoredRun, type RunRow, type StoredEvent } from "./rows.js";
import { AuditError, type AuditEnd, type AuditBatch, type AuditSink } from "./sink.js";
import { UPDATE_END, UPDATE_SEEN, INSERT_EVENT, INSERT_LINE, INSERT_PLAN, INSERT_RUN } from "./statements.js";
import type { StorePlatform } from "./store-platform.js";

/** A page of runs, with the `after` of the next one. */
export interface RunPage {
  runs: StoredRun[];
  next: string | null;
}
/** A page of events, with the `after` of the next one. */
export interface EventPage {
  events: StoredEvent[];
  next: number | null;
}

/** A driver's call costs as much as the rest. */
const ROWS_PER_STATEMENT = [32, 8, 1];
/** Other writers wait for one transaction at most. */
const DELETE_BATCH = 100;

/** Runs in a database. */
export class AuditStore implements AuditSink {
  /** The file or database. */
  readonly location: string;
  /** Spills a batch and returns the file's name, unless the database is the host's. */
  readonly spill?: (part: AuditBatch) => string;
  readonly #db: SqliteDatabase;
  readonly #platform: StorePlatform;
  #statements = new Map<string, SqliteStatement>();
  #open = true;

  /** @internal Use `openAudit`. */
  constructor(db: SqliteDatabase, place: string, platform: StorePlatform) {
    this.#db = db;
    this.#platform = platform;
    this.location = place;
    if (platform.spill !== undefined) this.spill = (part) => platform.spill!(part.run.id, formatSpill(part));
  }

  /**
   * Stores a batch, completely or not at all.
   *
   * @throws AuditError `audit/locked`, `audit/full`, `audit/read-only`, `audit/closed` and others.
   */
  write(part: AuditBatch): void {
    this.writeAll([part]);
  }

  /** Stores batches in one transaction. */
  writeAll(parts: readonly AuditBatch[]): void {
    const { place, pid } = this.#platform;
    const by = { place, pid, seen: this.#platform.now() };
    this.#attempt(() => transaction(this.#db, () => this.#insert(parts, by)));
  }

  /** Returns matching runs, newest first. */
  runs(filter: RunFilter = {}): RunPage {
    assertRunFilter("runs", filter);
    return this.#attempt(() => {
      const limit = limitOf(filter.limit, 50);
      const rows = this.#all<RunRow>(
        runsQuery(filter, this.#liveness(), this.#cursor(filter.after), this.#isCommonNode(filter.node)),
      );
      const runs = rows.slice(0, limit).map(runOf);
      return { runs, next: rows.length > limit ? runs.at(-1)!.id : null };
    });
  }

  /** Returns a run, or null. */
  get(id: string): StoredRun | null {
    return this.#attempt(() => this.#findRuns("r.id = ?", [id], 1)[0] ?? null);
  }

  /** Finds at most ten runs by `id`, its beginning, or key. */
  find(text: string): StoredRun[] {
    const exact = this.get(text);
    if (exact !== null) return [exact];
    return this.#attempt(() => {
      const begun = /^[0-9a-z]+$/.test(text) ? this.#findRuns("r.id >= ? AND r.id < ?", [text, `${text}{`], 10) : [];
      return begun.length > 0 ? begun : this.#findRuns("r.key = ?", [text], 10);
    });
  }

  /** Returns the runs that continue this one. */
  continuations(id: string): StoredRun[] {
    return this.#attempt(() => this.#findRuns("r.continues = ?", [id], 100).reverse());
  }

  /**
   * Returns a run's events in order.
   *
   * @throws AuditError `audit/unknown-run`
   */
  events(id: string, filter: EventFilter = {}): EventPage {
    assertEventFilter("events", filter);
    return this.#attempt(() => {
      const limit = limitOf(filter.limit, 1000);
      const rows = this.#all<{ seq: number; json: string }>(eventsQuery(this.#number(id), filter));
      const events = rows.slice(0, limit).map(eventOf);
      return { events, next: rows.length > limit ? events.at(-1)!.seq : null };
    });
  }

  /** Yields all matching events, page by page. */
  *trace(id: string, filter: Omit<EventFilter, "limit"> = {}): Generator<TraceEvent> {
    assertEventFilter("trace", filter);
    for (let after = filter.after; ; ) {
      const { events, next } = this.events(id, { ...filter, ...(after !== undefined && { after }) });
      for (const { seq: _seq, ...event } of events) yield event as TraceEvent;
      if (next === null) return;
      after = next;
    }
  }

  /**
   * Returns the cassette for `run(graph, { replay })` and `fork`, or an empty list.
   *
   * @throws AuditError `audit/unknown-run`
   */
  cassette(id: string): string[] {
    return this.#attempt(() =>
      this.#all<{ json: string }>({
        sql: "SELECT json FROM lines WHERE run = ? ORDER BY seq",
        values: [this.#number(id)],
      }).map(({ json }) => json),
    );
  }

  /** Returns a plan's text, if stored. */
  plan(hash: string): string | null {
    return this.#attempt(
      () =>
        this.#all<{ text: string | null }>({ sql: "SELECT text FROM plans WHERE hash = ?", values: [hash] })[0]?.text ??
        null,
    );
  }

  /** Deletes a run. False for an unknown `id`. */
  delete(id: string): boolean {
    return (
      this.#attempt(() =>
        this.#deleteRuns(
          this.#all<{ run: number }>({ sql: "SELECT run FROM runs WHERE id = ?", values: [id] }).map(({ run }) => run),
        ),
      ) > 0
    );
  }

  /**
   * Deletes matching runs, except running ones, and counts them. Ignores `limit` and `after`. An empty filter is
   * `audit/bad-query`.
   */
  prune(given: RunFilter): number {
    assertRunFilter("prune", given);
    const { limit: _limit, after: _after, ...filter } = given;
    if (Object.values(filter).every((given) => given === undefined))
      throw queryError("no filter selects the runs to delete", "give `until`, or another filter");
    let count = 0;
    for (let after: string | undefined; ; ) {
      const { runs, next } = this.runs({ ...filter, limit: DELETE_BATCH, ...(after !== undefined && { after }) });
      const over = runs.filter(({ status }) => status !== "running").map(({ id }) => id);
      // A deleted run can't be a cursor.
      after = runs.findLast(({ status }) => status === "running")?.id ?? after;
      const rows = this.#attempt(() =>
        this.#all<{ run: number }>({
          sql: "SELECT run FROM runs WHERE id IN (SELECT value FROM json_each(?))",
          values: [JSON.stringify(over)],
        }),
      );
      count += this.#attempt(() => this.#deleteRuns(rows.map(({ run }) => run)));
      if (next === null) return count;
    }
  }

  /** Closes the database. Active runs spill their events. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** @internal Returns unreadable files. */
  importSpills(): string[] {
    const unread: string[] = [];
    for (const { name, text } of this.#platform.spills()) {
      const part = parseSpill(text);
      if (part === null) {
        unread.push(name);
        continue;
      }
      this.#attempt(() =>
        transaction(this.#db, () =>
          this.#insert([part], { place: null, pid: null, seen: part.end?.endedMs ?? part.run.startedMs }),
        ),
      );
      this.#platform.removeSpill(name);
    }
    return unread;
  }

  #insert(parts: readonly AuditBatch[], by: { place: string | null; pid: number | null; seen: number }): void {
    const runs = parts.map(({ run: { id, key, continues, plan, startedMs } }) => {
      this.#run(INSERT_PLAN, plan.hash, plan.name, plan.text);
      this.#run(INSERT_RUN, id, key, continues, plan.hash, plan.name, startedMs, by.place, by.pid, by.seen);
      return this.#number(id);
    });
    this.#rows(
      INSERT_EVENT,
      8,
      parts.flatMap(({ events }, index) =>
        events.map(({ seq, atMs, type, node, scope, visit, json }): SqliteValue[] => [
          runs[index]!,
          seq,
          atMs,
          type,
          node,
          scope,
          visit,
          json,
        ]),
      ),
    );
    this.#rows(
      INSERT_LINE,
      3,
      parts.flatMap(({ lines }, index) => lines.map(({ seq, json }): SqliteValue[] => [runs[index]!, seq, json])),
    );
    for (const [index, { events, lines, end }] of parts.entries()) {
      this.#run(UPDATE_SEEN, by.seen, (events.at(-1)?.seq ?? -1) + 1, (lines.at(-1)?.seq ?? -1) + 1, runs[index]!);
      if (end !== null) this.#updateEnd(runs[index]!, end);
    }
  }

  #updateEnd(run: number, { outcome, endedMs, durationMs, counts }: AuditEnd): void {
    const { steps, calls, retries, tokens, usd, unreported } = counts;
    const { code = null, message = null, node = null, scope = null } = outcome.type === "failed" ? outcome : {};
    this.#run(
      UPDATE_END,
      outcome.type,
      code,
      message,
      node,
      scope,
      JSON.stringify(outcome),
      endedMs,
      durationMs,
      steps,
      calls,
      retries,
      tokens ?? null,
      usd ?? null,
      unreported === undefined ? null : JSON.stringify(unreported),
      run,
    );
  }

  #rows(sql: string, columns: number, rows: readonly SqliteValue[][]): void {
    const places = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
    for (let at = 0; at < rows.length; ) {
      const size = ROWS_PER_STATEMENT.find((max) => rows.length - at >= max)!;
      this.#run(sql + Array.from({ length: size }, () => places).join(", "), ...rows.slice(at, at + size).flat());
      at += size;
    }
  }

  #deleteRuns(runs: readonly number[]): number {
    if (runs.length === 0) return 0;
    const list = JSON.stringify(runs);
    transaction(this.#db, () => {
      for (const table of ["events", "lines", "runs"])
        this.#run(`DELETE FROM ${table} WHERE run IN (SELECT value FROM json_each(?))`, list);
      this.#run("DELETE FROM plans WHERE hash NOT IN (SELECT plan FROM runs)");
    });
    this.#db.exec("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
    return runs.length;
  }

  #isCommonNode(node: string | undefined): boolean {
    return node !== undefined && this.#all<{ common: number }>(commonQuery(node))[0]!.common === 1;
  }

  #cursor(after: string | undefined): { started: number; run: number } | null {
    if (after === undefined) return null;
    const [row] = this.#all<{ started: number; run: number }>({
      sql: "SELECT started, run FROM runs WHERE id = ?",
      values: [after],
    });
    if (row === undefined)
      throw queryError(`there is no run \`${after}\` to continue after`, "pass the `next` of the previous page");
    return row;
  }

  #number(id: string): number {
    const [row] = this.#all<{ run: number }>({ sql: "SELECT run FROM runs WHERE id = ?", values: [id] });
    if (row === undefined)
      throw new AuditError(
        "audit/unknown-run",
        `\`${this.location}\` knows no run \`${id}\``,
        "list the runs that there are",
      );
    return row.run;
  }

  #findRuns(where: string, values: SqliteValue[], limit: number): StoredRun[] {
    const { sql, values: bound } = runsQuery({ limit }, this.#liveness(), null);
    return this.#all<RunRow>({
      sql: sql.replace(" ORDER BY", () => ` WHERE ${where} ORDER BY`),
      values: [...bound.slice(0, -1), ...values, limit],
    }).map(runOf);
  }

  #liveness(): ProcessLiveness {
    const { place } = this.#platform;
    const rows = this.#all<{ pid: number }>({
      sql: "SELECT DISTINCT pid FROM runs WHERE status = 'running' AND place = ?",
      values: [place],
    });
    return {
      now: this.#platform.now(),
      place,
      gone: rows.map(({ pid }) => pid).filter((pid) => pid !== null && !this.#platform.isAlive(pid)),
    };
  }

  #all<Row>({ sql, values }: Query): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  #run(sql: string, ...values: SqliteValue[]): void {
    this.#prepare(sql).run(...values);
  }

  #prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined && this.#statements.size >= 64) this.#statements.clear();
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }

  #attempt<T>(work: () => T): T {
    if (!this.#open) throw closedError(this.location);
    try {
      return work();
    } catch (error) {
      throw auditError(error, this.location);
    }
  }
}
