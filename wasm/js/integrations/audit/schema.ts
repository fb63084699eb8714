/**
 * The tables, their version, and how a database comes from one version to the next.
 *
 * Invariants: a step, once released, is never changed, and a new one stands at the end; `user_version` is the number of
 * steps that were taken; `application_id` says that the file is ours, so that no other program's database is written
 * into.
 */
import { queryNumber, transaction, type SqliteDatabase } from "./database.js";
import { AuditError } from "./sink.js";

/** `STGP` */
const APPLICATION_ID = 0x53544750;

/**
 * `runs.run` and `events.run` are numbers that never leave the database. `status` is `running` until an end was
 * written; `seen` is when the run was last heard of, `place` and `pid` say by whom it is carried out. Events and lines
 * stand in the order in which they came, and not by their runs: of thousands of runs at a time each would otherwise
 * have a page of its own to be written.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE plans (hash TEXT PRIMARY KEY, name TEXT, text TEXT) WITHOUT ROWID;
  CREATE TABLE runs (
    run INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT, continues TEXT, plan TEXT NOT NULL, name TEXT,
    status TEXT NOT NULL, code TEXT, message TEXT, node TEXT, scope TEXT, outcome TEXT,
    started REAL NOT NULL, ended REAL, duration REAL, steps INTEGER, calls INTEGER, retries INTEGER, tokens INTEGER,
    events INTEGER NOT NULL DEFAULT 0, lines INTEGER NOT NULL DEFAULT 0, place TEXT, pid INTEGER, seen REAL NOT NULL
  );
  CREATE INDEX runs_started ON runs (started);
  CREATE INDEX runs_status ON runs (status, started);
  CREATE INDEX runs_plan ON runs (plan, started);
  CREATE INDEX runs_name ON runs (name, started);
  CREATE INDEX runs_key ON runs (key, started) WHERE key IS NOT NULL;
  CREATE INDEX runs_continues ON runs (continues) WHERE continues IS NOT NULL;
  CREATE TABLE events (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, type TEXT NOT NULL, node TEXT, scope TEXT, visit INTEGER, json TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE INDEX events_node ON events (node, run) WHERE node IS NOT NULL;
  CREATE TABLE lines (run INTEGER NOT NULL, seq INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (run, seq));
  `,
];

/** What stands in a file: nothing yet, another program's tables, or ours of some version. */
type Version = number | "empty" | "other";

/** Reads the version in one transaction: between two reads another process may make the tables. */
function readVersionAtomically(db: SqliteDatabase): Version {
  db.exec("BEGIN");
  try {
    return versionOf(db);
  } finally {
    db.exec("COMMIT");
  }
}

function versionOf(db: SqliteDatabase): Version {
  if (queryNumber(db, "PRAGMA application_id") === APPLICATION_ID) return queryNumber(db, "PRAGMA user_version");
  return queryNumber(db, "SELECT count(*) FROM sqlite_schema") === 0 ? "empty" : "other";
}

/**
 * Brings a database to the version of this program, creating it if need be.
 *
 * @throws AuditError `audit/unreadable` for another program's, `audit/version` for one of a later version; nothing has
 * changed then.
 */
export function prepareSchema(
  db: SqliteDatabase,
  place: string,
  { create, steps = MIGRATIONS }: { create: boolean; steps?: readonly string[] },
): void {
  const found = readVersionAtomically(db);
  if (isCompatible(found, place, create, steps)) return;
  if (found === "empty") db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  transaction(db, () => {
    // Another process may have been faster.
    const version = versionOf(db);
    if (isCompatible(version, place, create, steps)) return;
    for (const step of steps.slice(version === "empty" ? 0 : Number(version))) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
  });
}

function isCompatible(version: Version, place: string, create: boolean, steps: readonly string[]): boolean {
  if (version === "other")
    throw new AuditError("audit/unreadable", `\`${place}\` is the database of another program`, "name another file");
  if (version === "empty" && !create)
    throw new AuditError(
      "audit/unreadable",
      `\`${place}\` holds no audit of runs`,
      "name the file that runs were audited to",
    );
  if (version !== "empty" && version > steps.length) {
    const message = `\`${place}\` was written by a later version of this program: it is of version ${version}, and this one knows ${steps.length}`;
    throw new AuditError("audit/version", message, "use the newer program");
  }
  return version === steps.length;
}
