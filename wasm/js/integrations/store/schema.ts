/**
 * A store's tables. The entries are the journal. Rows of runs and approvals exist to be listed.
 *
 * Invariant: a released statement never changes. A new version adds statements.
 */
import { PlanError } from "stepgraph";
import type { StoreDatabase } from "./database.js";

const VERSION = 1;

/**
 * Times are in milliseconds since the epoch. `given` has start values. After `lease`, another process may take the run.
 */
const TABLES = [
  "CREATE TABLE IF NOT EXISTS stepgraph_version (version INTEGER PRIMARY KEY)",
  "CREATE TABLE IF NOT EXISTS stepgraph_plans (hash TEXT PRIMARY KEY, name TEXT, text TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS stepgraph_runs (
    id TEXT PRIMARY KEY, plan TEXT NOT NULL, given TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT,
    started DOUBLE PRECISION NOT NULL, updated DOUBLE PRECISION NOT NULL,
    epoch INTEGER NOT NULL, holder TEXT, lease DOUBLE PRECISION NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS stepgraph_runs_started ON stepgraph_runs (started, id)",
  `CREATE TABLE IF NOT EXISTS stepgraph_entries (
    run TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, number)
  )`,
  `CREATE TABLE IF NOT EXISTS stepgraph_approvals (
    run TEXT NOT NULL, call TEXT NOT NULL, approval TEXT NOT NULL, asked DOUBLE PRECISION NOT NULL,
    due DOUBLE PRECISION, open INTEGER NOT NULL, decision TEXT, decided DOUBLE PRECISION, decided_by TEXT,
    PRIMARY KEY (run, call)
  )`,
  "CREATE INDEX IF NOT EXISTS stepgraph_approvals_open ON stepgraph_approvals (open, asked)",
];

/** @internal */
export async function prepareTables(db: StoreDatabase, create: boolean): Promise<void> {
  if (!create) await assertTables(db);
  for (const statement of TABLES) await createTable(db, statement);
  await db.all(`INSERT INTO stepgraph_version (version) VALUES (${VERSION}) ON CONFLICT DO NOTHING`);
  const [row] = await db.all<{ version: number }>("SELECT max(version) AS version FROM stepgraph_version");
  if (row!.version > VERSION)
    throw new PlanError(
      "store/version",
      `${db.location} was written by a later release: it is of version ${row!.version}, and this one knows ${VERSION}`,
    );
}

async function assertTables(db: StoreDatabase): Promise<void> {
  try {
    await db.all("SELECT version FROM stepgraph_version LIMIT 1");
  } catch (error) {
    if (!/no such table|does not exist|not a database/i.test((error as Error).message)) throw error;
    throw new PlanError("store/not-found", `${db.location} has no store`);
  }
}

/** In PostgreSQL, two processes that create a table may collide. Then it is there. */
async function createTable(db: StoreDatabase, statement: string): Promise<void> {
  try {
    await db.all(statement);
  } catch {
    await db.all(statement);
  }
}
