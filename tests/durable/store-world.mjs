// The package with SQLite, and a real PostgreSQL, for tests of stores.

import { startPostgres } from "../servers/postgres.mjs";
import { createSqliteFolder } from "../servers/sqlite.mjs";

export async function packageWorld() {
  const fixture = await createSqliteFolder();
  const entry = (name) => import(new URL(`integrations/${name}/node.js`, fixture.entry()).href);
  const [library, keeper, durable] = [await fixture.library(), await entry("store"), await entry("durable")];
  return { fixture, library, keeper, durable };
}

export async function storeWorld() {
  const { fixture, ...entries } = await packageWorld();
  const postgres = await startPostgres();
  const pool = new postgres.pg.Pool({ connectionString: postgres.url });
  // A stopping server ends its connections.
  pool.on("error", () => {});
  const close = async () => {
    await pool.end();
    await postgres.stop();
    fixture.remove();
  };
  return { fixture, ...entries, postgres, pool, close };
}

/** Calls `before` with each statement. Returns `{ db }` or `{ pool }`. */
export function watched(database, before) {
  if ("pool" in database)
    return { pool: { query: async (sql, values) => (await before(sql), database.pool.query(sql, values)) } };
  const { db } = database;
  const prepare = (sql) => {
    const statement = db.prepare(sql);
    const run =
      (method) =>
      (...values) => (before(sql), statement[method](...values));
    return { all: run("all"), run: run("run") };
  };
  return { db: { exec: (sql) => db.exec(sql), prepare } };
}
