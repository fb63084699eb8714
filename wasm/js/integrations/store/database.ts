/**
 * The database of a store: SQLite or PostgreSQL behind one function.
 *
 * Each statement is atomic, so a pool needs no transactions.
 */
import { PlanError } from "stepgraph";
import type { SqliteDatabase } from "../audit/database.js";

/** A value in a statement. */
export type StoreValue = string | number | null;

/** A `Pool` of `pg`, or any object with such a `query`. */
export interface PostgresPool {
  /** Has the placeholders `$1`, `$2`, … */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** @internal */
export interface StoreDatabase {
  readonly location: string;
  /** Has the placeholders `?`. */
  all<Row>(sql: string, ...values: StoreValue[]): Promise<Row[]>;
  /** Ends a subquery to lock its row until the statement is done. */
  readonly lock: string;
  /** Milliseconds since the epoch: one clock for all machines. */
  readonly clock: string;
  /** Query of a JSON list's texts. */
  readonly texts: string;
  close(): Promise<void>;
}

/** @internal */
export function sqliteStore(db: SqliteDatabase, location: string, close: () => void): StoreDatabase {
  return {
    location,
    // A statement takes the only write lock.
    lock: "",
    clock: "((julianday('now') - 2440587.5) * 86400000.0)",
    texts: "SELECT value FROM json_each(?)",
    async all<Row>(sql: string, ...values: StoreValue[]) {
      try {
        const statement = db.prepare(sql);
        // Some drivers refuse `all` without rows.
        if (/^SELECT|RETURNING/.test(sql)) return statement.all(...values) as Row[];
        statement.run(...values);
        return [];
      } catch (error) {
        throw failed(location, error);
      }
    },
    close: async () => close(),
  };
}

/** @internal */
export function postgresStore(pool: PostgresPool): StoreDatabase {
  const location = "the PostgreSQL database";
  return {
    location,
    lock: " FOR SHARE",
    clock: "(extract(epoch FROM clock_timestamp()) * 1000)::double precision",
    texts: "SELECT jsonb_array_elements_text(CAST(? AS jsonb))",
    async all<Row>(sql: string, ...values: StoreValue[]) {
      let place = 0;
      try {
        return (
          await pool.query(
            sql.replaceAll("?", () => `$${++place}`),
            values,
          )
        ).rows as Row[];
      } catch (error) {
        throw failed(location, error);
      }
    },
    // The host opened the pool.
    close: async () => {},
  };
}

function failed(location: string, error: unknown): PlanError {
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new PlanError("store/failed", `${location}: ${message}`), { cause: error });
}
