/**
 * SQLite as far as it is used here, whoever brings it: `node:sqlite`, libsql, better-sqlite3 and `bun:sqlite` all have
 * these functions.
 *
 * Decides by which code a failure of SQLite is told. Source: the result codes of SQLite (sqlite.org/rescode.html), of
 * which the lowest eight bits are the primary code; drivers tell them as `errcode` (`node:sqlite`), `rawCode` (libsql),
 * `errno` (Bun) or by name.
 */
import { AuditError, type AuditCode } from "./sink.js";

/** What SQLite takes and gives. */
export type SqliteValue = string | number | null;

/** A statement that is ready to be run. */
export interface SqliteStatement {
  /** Runs it for what it does. */
  run(...values: SqliteValue[]): unknown;
  /** Runs it, and gives all rows as objects. */
  all(...values: SqliteValue[]): unknown[];
}

/** An open database. */
export interface SqliteDatabase {
  /** Runs statements for what they do. */
  exec(sql: string): unknown;
  /** Makes a statement ready. */
  prepare(sql: string): SqliteStatement;
  /** Lets the file go. */
  close(): unknown;
}

interface SqliteErrorText {
  code: AuditCode;
  message: string;
  help: string;
}

const SQLITE_ERRORS: Record<number, SqliteErrorText> = {
  5: {
    code: "audit/locked",
    message: "another process holds the database",
    help: "wait until it is done, or find out who holds it",
  },
  6: { code: "audit/locked", message: "another statement holds the database", help: "wait until it is done" },
  8: {
    code: "audit/read-only",
    message: "the database can't be written",
    help: "see who may write the file and its folder",
  },
  10: { code: "audit/io", message: "the disk failed", help: "see whether the disk is full or gone" },
  11: {
    code: "audit/unreadable",
    message: "the database is damaged",
    help: "take what can be saved by `sqlite3 FILE .recover`, or name another file",
  },
  13: { code: "audit/full", message: "there is no room left", help: "make room, or delete old runs" },
  14: {
    code: "audit/not-opened",
    message: "the file can't be opened",
    help: "see that its folder is there and may be written",
  },
  26: { code: "audit/unreadable", message: "this is no SQLite database", help: "name another file" },
};
const NAMES: Record<string, number> = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};

/** @internal A failure of SQLite as one of ours; `place` is the file. */
export function auditError(error: unknown, place: string): AuditError {
  if (error instanceof AuditError) return error;
  const message = (error as { message?: string } | null)?.message ?? String(error);
  // libsql tells only in words that it could not open a file.
  const known = SQLITE_ERRORS[errorNumber(error) || (/unable to open/i.test(message) ? 14 : 0)];
  if (known !== undefined)
    return new AuditError(known.code, `\`${place}\`: ${known.message}`, known.help, { cause: error });
  if (/not open|closed/i.test(message)) return closedError(place);
  return new AuditError("audit/failed", `\`${place}\`: ${message}`, "see what SQLite says", { cause: error });
}

/** @internal What is told of a store that was closed. */
export function closedError(place: string): AuditError {
  return new AuditError("audit/closed", `\`${place}\` was closed`, "open it again");
}

function errorNumber(error: unknown): number {
  const { errcode, rawCode, errno, code } = (error ?? {}) as Record<string, unknown>;
  const number = [errcode, rawCode, errno].find((given) => typeof given === "number") as number | undefined;
  if (number !== undefined && number > 0) return number & 0xff;
  const name = /^SQLITE_([A-Z]+)/.exec(String(code))?.[1] ?? "";
  return NAMES[name] ?? 0;
}

/**
 * @internal Does something as a whole or not at all. Takes the lock at once: a reader that wants to write later may
 * never get it.
 */
export function transaction<T>(db: SqliteDatabase, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const done = work();
    db.exec("COMMIT");
    return done;
  } catch (error) {
    // After some failures SQLite has rolled back by itself.
    try {
      db.exec("ROLLBACK");
    } catch {
      /* it has */
    }
    throw error;
  }
}

/** @internal The single number that a statement gives. */
export function queryNumber(db: SqliteDatabase, sql: string): number {
  const [row] = db.prepare(sql).all() as Record<string, unknown>[];
  return Number(Object.values(row ?? {})[0] ?? 0);
}
