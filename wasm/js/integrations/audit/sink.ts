/**
 * What is handed from a run to wherever its audit is kept: the shapes, and nothing that does anything.
 *
 * A sink has one method that must be there, `write`. It is given parts of runs and may be given the same part twice,
 * since whoever tries again can't know how far the first try came: a part is known by the run's `id` and by the numbers
 * of what stands in it. Everything in a part is text already, without secrets (`redact.ts`).
 */
import type { Outcome, Report } from "stepgraph";

/** A run, as its first part tells it and every further one repeats it. */
export interface AuditRun {
  /** The run's own name: 16 letters and digits, random. */
  readonly id: string;
  /**
   * What the host calls it: an order, a user's request, a workflow of a durable engine. Several runs may have the same.
   */
  readonly key: string | null;
  /** The run that this one goes on from. */
  readonly continues: string | null;
  readonly plan: {
    readonly hash: string;
    /** The plan's `id`, or what the host calls it. */
    readonly name: string | null;
    /** The plan as YAML or JSON; null where only the hash is kept. */
    readonly text: string | null;
  };
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

/** One event, as text and as what queries ask for. */
export interface AuditEvent {
  /** From 0, without gaps. */
  readonly seq: number;
  /** Milliseconds, as the run's clock has them; since the epoch unless the host gave it another. */
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
  /** From 0, without gaps. */
  readonly seq: number;
  readonly json: string;
}

/** How a run ended. */
export interface AuditEnd {
  readonly outcome: Outcome;
  /** Milliseconds since the epoch. */
  readonly endedMs: number;
  readonly durationMs: number;
  readonly counts: Report["counts"];
}

/**
 * A part of a run: what has come since the last one. All of it may be empty; then it says that the run is still under
 * way.
 */
export interface AuditBatch {
  readonly run: AuditRun;
  readonly events: readonly AuditEvent[];
  readonly lines: readonly AuditLine[];
  /** Only in the last part. */
  readonly end: AuditEnd | null;
}

/**
 * Where audits are kept.
 *
 * @example
 * const sink = { write: ({ run, events }) => queue.send(events.map(({ json }) => ({ run: run.id, json }))) };
 */
export interface AuditSink {
  /** Keeps a part, as a whole or not at all. May be given the same part again. What it throws is told by its `code`. */
  write(part: AuditBatch): void | Promise<void>;
  /**
   * Keeps parts of several runs, as a whole or not at all: with it, runs that are under way at the same time share
   * their writes.
   */
  writeAll?(parts: readonly AuditBatch[]): void | Promise<void>;
  /** Puts a part that could not be written somewhere else, to be taken in later; gives where that is. */
  spill?(part: AuditBatch): string | Promise<string>;
}

/** What kind of failure it is, stable for ever. */
export type AuditCode =
  /** Another process holds the database. */
  | "audit/locked"
  /** There is no room on the disk, or in the database. */
  | "audit/full"
  | "audit/read-only"
  /** It was closed before. */
  | "audit/closed"
  /** It is no database, it is damaged, or it is one of another program. */
  | "audit/unreadable"
  /** It was written by a later version of this program. */
  | "audit/version"
  /** The file can't be opened: no folder, no leave. */
  | "audit/not-opened"
  /** There is no file of that name. */
  | "audit/no-database"
  /** This platform has no SQLite. */
  | "audit/no-driver"
  /** The disk failed. */
  | "audit/io"
  /** A run that the database does not know. */
  | "audit/unknown-run"
  /** A query that makes no sense. */
  | "audit/bad-query"
  /** What was written nowhere, and could be kept nowhere else. */
  | "audit/not-kept"
  /** Anything else. */
  | "audit/failed";

/** What is thrown, and told, of an audit that can't be kept or read. */
export class AuditError extends Error {
  /** What kind of failure it is, stable for ever. */
  readonly code: AuditCode;
  /** What to do about it, in one sentence. */
  readonly help: string;

  constructor(code: AuditCode, message: string, help: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AuditError";
    this.code = code;
    this.help = help;
  }
}
