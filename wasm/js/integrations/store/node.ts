/** Runs in SQLite or PostgreSQL, with an inbox of approvals. */
import { closeSync, existsSync, fchmodSync, fstatSync, openSync } from "node:fs";
import { internals, PlanError } from "stepgraph";
import type { SqliteDatabase } from "../audit/database.js";
import { sqliteDriver } from "../node/platform.js";
import { type PostgresPool, postgresStore, sqliteStore, type StoreDatabase } from "./database.js";
import { prepareTables } from "./schema.js";
import { RunStore } from "./store.js";

export type { SqliteDatabase, SqliteStatement, SqliteValue } from "../audit/database.js";
export type { PostgresPool } from "./database.js";
export type { StoredRunHost } from "./replayed-run.js";
export type {
  StoredApproval,
  StoredApprovalFilter,
  StoredRun,
  StoredRunFilter,
  StoredRunPage,
  StoredStatus,
} from "./rows.js";
export { RunStore, type StoreRunOptions } from "./store.js";

/** Options of `openStore`. */
export interface OpenStoreOptions {
  /** `false` opens only an existing store. Default true. */
  create?: boolean;
}

/** SQLite would take it for a file name, and errors would show the password. */
const URL_OF_DATABASE = /^[a-z][a-z0-9+.-]*:\/\//i;
const POOL_HELP =
  "`from` of `openStore` is a file. For a URL of PostgreSQL pass `{ pool: new Pool({ connectionString }) }`, with " +
  "`Pool` of the package `pg`";

/**
 * Opens a store: a SQLite file, an open SQLite database, or a pool of the package `pg`. Creates its tables.
 *
 * @throws PlanError `store/not-found` if there is none and `create` is `false`, `store/failed` if the database fails,
 * `store/version` if a later release wrote it, `durable/no-driver` without SQLite.
 * @example
 * const store = await openStore("runs.db");
 * const shared = await openStore({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }) });
 */
export async function openStore(
  from: string | { db: SqliteDatabase } | { pool: PostgresPool },
  options: OpenStoreOptions = {},
): Promise<RunStore> {
  internals.assertKind("openStore", "from", from, "place|map");
  internals.assertOptions("openStore", options, { create: "flag" });
  const { create = true } = options;
  if (typeof from === "string") assertPath(from);
  if (!create && typeof from === "string" && !existsSync(from))
    throw new PlanError("store/not-found", `there is no \`${from}\``);
  const db = await databaseOf(from);
  try {
    await prepareTables(db, create);
    return new RunStore(db);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Memory keeps nothing. SQLite has its own rules for `file:`. */
function assertPath(file: string): void {
  if (/^:memory:|^file:/i.test(file) || file === "")
    throw new PlanError(
      "api/bad-option",
      `\`${file}\` is no path of a file: pass a path, or an open database as \`{ db }\``,
    );
  if (URL_OF_DATABASE.test(file)) throw new PlanError("api/bad-option", POOL_HELP);
}

async function databaseOf(from: string | { db: SqliteDatabase } | { pool: PostgresPool }): Promise<StoreDatabase> {
  if (typeof from === "string") return openFile(from);
  if ("pool" in from) {
    internals.assertOptions("openStore", from, { pool: ".query" });
    return postgresStore(from.pool);
  }
  internals.assertOptions("openStore", from, { db: ".exec.prepare" });
  return sqliteStore(from.db, "the database", () => {});
}

async function openFile(file: string): Promise<StoreDatabase> {
  const Driver = await sqliteDriver();
  if (Driver === undefined)
    throw new PlanError(
      "durable/no-driver",
      "this platform has no SQLite: use Node 22.13 or later, or `npm install libsql`, or hand an open database over",
    );
  restrictToOwner(file);
  try {
    const db = new Driver(file);
    // WAL lets readers and writer work at once. `EXTRA` makes an entry survive a power failure.
    db.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = EXTRA");
    return sqliteStore(db, `\`${file}\``, () => void db.close());
  } catch (error) {
    throw new PlanError("store/failed", `\`${file}\`: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** SQLite would let all users read a new database. */
function restrictToOwner(file: string): void {
  try {
    // Follows a link to a missing file.
    const opened = openSync(file, "a", 0o600);
    try {
      if (fstatSync(opened).size === 0) fchmodSync(opened, 0o600);
    } finally {
      closeSync(opened);
    }
  } catch {
    // SQLite reports the reason.
  }
}
