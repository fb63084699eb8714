/**
 * Interface between a recorded run and the destination of its audit.
 *
 * A retry may send a batch twice. The run's `id` and each `seq` identify duplicates. All content is text without
 * secrets (`redact.ts`).
 */
import type { Outcome, Report } from "stepgraph";

/** The run of a batch. */
export interface AuditRun {
  /** Random id of the run: 16 letters and digits. */
  readonly id: string;
  /** The host's name for the run, such as an order. Several runs may share it. */
  readonly key: string | null;
  /** The `id` of the run that this one continues. */
  readonly continues: string | null;
  readonly plan: {
    readonly hash: string;
    /** The plan's `id`, or the host's name for it. */
    readonly name: string | null;
    /** YAML or JSON. Null if only the hash is stored. */
    readonly text: string | null;
  };
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

/** One event, with the fields that queries filter. */
export interface AuditEvent {
  /** Number from 0, without gaps. */
  readonly seq: number;
  /** Milliseconds by the run's clock, usually since the epoch. */
  readonly atMs: number;
  readonly type: string;
  readonly node: string | null;
  readonly scope: string | null;
  readonly visit: number | null;
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

/** New data of a run. An empty batch shows that the run is alive. */
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
  /** Stores batches of several runs, completely or not at all. Concurrent runs then share writes. */
  writeAll?(parts: readonly AuditBatch[]): void | Promise<void>;
  /** Stores a batch that could not be written, for a later import. Returns its location. */
  spill?(part: AuditBatch): string | Promise<string>;
}

/** Stable error codes. */
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
  /** A newer version wrote the database. */
  | "audit/version"
  /** A folder or a permission is missing. */
  | "audit/not-opened"
  /** The file does not exist. */
  | "audit/no-database"
  /** This platform has no SQLite. */
  | "audit/no-driver"
  | "audit/io"
  /** No run has this `id`. */
  | "audit/unknown-run"
  /** The filter is invalid. */
  | "audit/bad-query"
  /** The data could be neither written nor spilled. */
  | "audit/not-kept"
  /** Any other error. */
  | "audit/failed";

/** Error of writing or reading an audit. */
export class AuditError extends Error {
  /** Stable error code. */
  readonly code: AuditCode;
  /** Advice in one sentence. */
  readonly help: string;

  constructor(code: AuditCode, message: string, help: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AuditError";
    this.code = code;
    this.help = help;
  }
}
