/**
 * Interface between a recorded run and the sink that stores its audit.
 *
 * Invariants: a sink may receive the same batch twice, because a retry can't know how much was written. The run's `id`
 * and the `seq` of events and lines identify duplicates. All content is text without secrets (see `redact.ts`).
 */
import type { Outcome, Report } from "stepgraph";

/** A run. Each of its batches repeats these fields. */
export interface AuditRun {
  /** Random id of the run: 16 letters and digits. */
  readonly id: string;
  /**
   * The host's name for the run: an order, a user's request, a workflow of a durable engine. Several runs may share a
   * key.
   */
  readonly key: string | null;
  /** The `id` of the run that this one continues. */
  readonly continues: string | null;
  readonly plan: {
    readonly hash: string;
    /** The plan's `id`, or the host's name for it. */
    readonly name: string | null;
    /** The plan as YAML or JSON. Null if only the hash is stored. */
    readonly text: string | null;
  };
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

/** One event: its JSON, and the fields that queries filter. */
export interface AuditEvent {
  /** Number from 0, without gaps. */
  readonly seq: number;
  /** Milliseconds by the run's clock. Since the epoch, unless the host set another clock. */
  readonly atMs: number;
  readonly type: string;
  readonly node: string | null;
  readonly scope: string | null;
  readonly visit: number | null;
  /** The event as JSON. */
  readonly json: string;
}

/** One line of the run's cassette. */
export interface AuditLine {
  /** Number from 0, without gaps. */
  readonly seq: number;
  readonly json: string;
}

/** The end of a run. */
export interface AuditEnd {
  readonly outcome: Outcome;
  /** Milliseconds since the epoch. */
  readonly endedMs: number;
  readonly durationMs: number;
  readonly counts: Report["counts"];
}

/** Data of a run since its previous batch. An empty batch shows that the run is still running. */
export interface AuditBatch {
  readonly run: AuditRun;
  readonly events: readonly AuditEvent[];
  readonly lines: readonly AuditLine[];
  /** Set only in the last batch. */
  readonly end: AuditEnd | null;
}

/**
 * Destination of audits.
 *
 * @example
 * const sink = { write: ({ run, events }) => queue.send(events.map(({ json }) => ({ run: run.id, json }))) };
 */
export interface AuditSink {
  /**
   * Stores a batch, completely or not at all. It may receive the same batch again. Errors other than `AuditError` count
   * as `audit/failed`.
   */
  write(part: AuditBatch): void | Promise<void>;
  /** Stores batches of several runs, completely or not at all. With it, concurrent runs share writes. */
  writeAll?(parts: readonly AuditBatch[]): void | Promise<void>;
  /** Stores a batch that could not be written, for a later import. Returns its location. */
  spill?(part: AuditBatch): string | Promise<string>;
}

/** Error code of an audit. Codes never change. */
export type AuditCode =
  /** Another process holds the database. */
  | "audit/locked"
  /** The disk or the database is full. */
  | "audit/full"
  | "audit/read-only"
  /** The store was closed. */
  | "audit/closed"
  /** The file is not a database, is damaged, or belongs to another program. */
  | "audit/unreadable"
  /** A newer version of Stepgraph wrote the database. */
  | "audit/version"
  /** The file can't be opened: its folder or a permission is missing. */
  | "audit/not-opened"
  /** The file does not exist. */
  | "audit/no-database"
  /** This platform has no SQLite. */
  | "audit/no-driver"
  /** The disk failed. */
  | "audit/io"
  /** The database has no run with this `id`. */
  | "audit/unknown-run"
  /** The filter is invalid. */
  | "audit/bad-query"
  /** The data could be neither written nor spilled. */
  | "audit/not-kept"
  /** Any other error. */
  | "audit/failed";

/** Error of writing or reading an audit. */
export class AuditError extends Error {
  /** Error code. Codes never change. */
  readonly code: AuditCode;
  /** What to do, in one sentence. */
  readonly help: string;

  constructor(code: AuditCode, message: string, help: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AuditError";
    this.code = code;
    this.help = help;
  }
}
