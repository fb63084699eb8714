/**
 * Tables and migrations.
 *
 * Invariants: a released migration never changes. `user_version` counts the applied ones. `application_id` protects
 * other programs' databases.
 */
import { queryNumber, transaction, type SqliteDatabase } from "./database.js";
import { AuditError } from "./sink.js";

const APPLICATION_ID = 0x53544750;

/**
 * Row numbers (`run`) stay in the database. `seen` is the time of the last write, `place` and `pid` its process. Rows
 * are in order of arrival: a page for each of a thousand runs would cost more.
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
  `
  ALTER TABLE runs ADD COLUMN usd REAL;
  ALTER TABLE runs ADD COLUMN unreported TEXT;
  `,
];

type Version = number | "empty" | "other" | "store";

/** Another process may create tables between two reads. */
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
  if (queryNumber(db, "SELECT count(*) FROM sqlite_schema") === 0) return "empty";
  return queryNumber(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'stepgraph_runs'") > 0 ? "store" : "other";
}

/**
 * Migrates or creates a database.
 *
 * @throws AuditError `audit/unreadable` for another program's database, `audit/version` for a newer version.
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
    const version = versionOf(db);
    if (isCompatible(version, place, create, steps)) return;
    for (const step of steps.slice(version === "empty" ? 0 : Number(version))) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
  });
}

function isCompatible(version: Version, place: string, create: boolean, steps: readonly string[]): boolean {
  if (version === "store") {
    const help = "export its runs with `stepgraph runs export RUN --store FILE --as cassette`";
    throw new AuditError("audit/unreadable", `\`${place}\` is a store, not an audit database`, help);
  }
  if (version === "other")
    throw new AuditError("audit/unreadable", `\`${place}\` is the database of another program`, "name another file");
  if (version === "empty" && !create)
    throw new AuditError(
      "audit/unreadable",
      `\`${place}\` is not an audit database`,
      "name the file that runs were audited to",
    );
  if (version !== "empty" && version > steps.length) {
    const message = `\`${place}\` was written by a later version of this program: it is of version ${version}, and this one knows ${steps.length}`;
    throw new AuditError("audit/version", message, "use the newer program");
  }
  return version === steps.length;
}
