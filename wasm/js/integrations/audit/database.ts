/**
 * Interface to SQLite (`node:sqlite`, libsql, better-sqlite3, `bun:sqlite`), and its errors.
 *
 * The lowest eight bits of result codes (sqlite.org/rescode.html) are the primary code. Drivers report it as `errcode`
 * (`node:sqlite`), `rawCode` (libsql), `errno` (Bun) or by name.
 */
import { AuditError, type AuditCode } from "./sink.js";

/** A value. */
export type SqliteValue = string | number | null;

/** A prepared statement. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/** An open database. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
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
    message: "another process has locked the database",
    help: "wait until it has ended, or find the process that holds the lock",
  },
  6: { code: "audit/locked", message: "another statement has locked the database", help: "wait until it is done" },
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

/** @internal */
export function auditError(error: unknown, place: string): AuditError {
  if (error instanceof AuditError) return error;
  const message = (error as { message?: string } | null)?.message ?? String(error);
  // libsql reports this only in its message.
  const known = SQLITE_ERRORS[errorNumber(error) || (/unable to open/i.test(message) ? 14 : 0)];
  if (known !== undefined)
    return new AuditError(known.code, `\`${place}\`: ${known.message}`, known.help, { cause: error });
  if (/not open|closed/i.test(message)) return closedError(place);
  return new AuditError("audit/failed", `\`${place}\`: ${message}`, "see the message of SQLite", { cause: error });
}

/** @internal */
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

/** @internal Locks at once: a later request for the write lock may starve. */
export function transaction<T>(db: SqliteDatabase, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const done = work();
    db.exec("COMMIT");
    return done;
  } catch (error) {
    // SQLite may have rolled back already.
    try {
      db.exec("ROLLBACK");
    } catch {
      /* it has */
    }
    throw error;
  }
}

/** @internal */
export function queryNumber(db: SqliteDatabase, sql: string): number {
  const [row] = db.prepare(sql).all() as Record<string, unknown>[];
  return Number(Object.values(row ?? {})[0] ?? 0);
}
