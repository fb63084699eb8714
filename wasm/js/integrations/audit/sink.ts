/**
 * Interface between a recorded run and its audit's destination. Content is text without secrets.
 *
 * A retry may send a batch twice: a run's `id` and each `seq` identify duplicates.
 */
import type { Outcome, Report } from "stepgraph";

/** The run of a batch. */
export interface AuditRun {
  /** Random: 16 letters and digits. */
  readonly id: string;
  /** The host's name, such as an order, which runs may share. */
  readonly key: string | null;
  /** The `id` of the run before. */
  readonly continues: string | null;
  readonly plan: {
    readonly hash: string;
    /** The plan's `id`, or the host's name for it. */
    readonly name: string | null;
    /** Null if only the hash is stored. */
    readonly text: string | null;
  };
  /** Since the epoch. */
  readonly startedMs: number;
}

/** An event, with fields for queries. */
export interface AuditEvent {
  /** Counts from 0, without gaps. */
  readonly seq: number;
  /** Time of the run's clock, usually since the epoch. */
  readonly atMs: number;
  readonly type: string;
  readonly node: string | null;
  readonly scope: string | null;
  readonly visit: number | null;
  readonly json: string;
}

/** A line of the run's cassette. */
export interface AuditLine {
  /** Counts from 0, without gaps. */
  readonly seq: number;
  readonly json: string;
}

/** A run's end. */
export interface AuditEnd {
  readonly outcome: Outcome;
  /** Since the epoch. */
  readonly endedMs: number;
  readonly durationMs: number;
  readonly counts: Report["counts"];
}

/** New data of a run. An empty batch shows that it is alive. */
export interface AuditBatch {
  readonly run: AuditRun;
  readonly events: readonly AuditEvent[];
  readonly lines: readonly AuditLine[];
  /** In the last batch only. */
  readonly end: AuditEnd | null;
}

/**
 * Destination of audits.
 *
 * @example
 * const sink = { write: ({ run, events }) => queue.send(events.map(({ json }) => ({ run: run.id, json }))) };
 */
export interface AuditSink {
  /** Stores a batch, completely or not at all, maybe twice. Errors but `AuditError` count as `audit/failed`. */
  write(part: AuditBatch): void | Promise<void>;
  /** Stores batches of several runs, completely or not at all. */
  writeAll?(parts: readonly AuditBatch[]): void | Promise<void>;
  /** Stores a failed batch for a later import. Returns its location. */
  spill?(part: AuditBatch): string | Promise<string>;
}

/** Stable error codes. */
export type AuditCode =
  | "audit/locked"
  | "audit/full"
  | "audit/read-only"
  | "audit/closed"
  /** No database, a damaged one, or another program's. */
  | "audit/unreadable"
  /** The database is newer. */
  | "audit/version"
  /** A folder or a permission is missing. */
  | "audit/not-opened"
  | "audit/no-database"
  | "audit/no-driver"
  | "audit/io"
  | "audit/unknown-run"
  | "audit/bad-query"
  /** A batch was not written and not spilled. */
  | "audit/not-kept"
  | "audit/failed";

/** An error of an audit. */
export class AuditError extends Error {
  /** The code of the failure. */
  readonly code: AuditCode;
  /** Advice. */
  readonly help: string;

  constructor(code: AuditCode, message: string, help: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AuditError";
    this.code = code;
    this.help = help;
  }
}
