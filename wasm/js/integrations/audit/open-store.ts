/** Opens a store: waits for locks, creates tables, imports spilled batches. */
import { internals } from "stepgraph";
import type { Kinds } from "../../options.js";
import { auditError, type SqliteDatabase } from "./database.js";
import { prepareSchema } from "./schema.js";
import type { AuditError } from "./sink.js";
import { AuditStore } from "./store.js";
import type { StorePlatform } from "./store-platform.js";

/** Options of `openAudit`. */
export interface OpenOptions {
  /** `false` rejects a missing file. Default true. */
  create?: boolean;
  /** Never writes. Default false. */
  readOnly?: boolean;
  /** Longest wait for a lock. Default 5000. */
  waitMs?: number;
  /** Folder for unwritten batches. Default: the database's. */
  spill?: string;
  /** Called for unreadable spill files. */
  onWarning?: (message: string) => void;
}

/** The host's database. Unwritten batches stay in `Audited.unwritten`. */
export interface OpenDatabase {
  db: SqliteDatabase;
}

const OPTIONS: Kinds<OpenOptions> = {
  create: "flag",
  readOnly: "flag",
  waitMs: "ms",
  spill: "text",
  onWarning: "function",
};

/** @internal */
export function assertOpen(from: string | OpenDatabase, options: OpenOptions): void {
  internals.assertKind("openAudit", "from", from, "place|map");
  if (typeof from === "object") internals.assertKind("openAudit", "db", from.db, ".exec.prepare");
  internals.assertOptions("openAudit", options, OPTIONS);
}

/** The run waits too. */
const BUSY_TIMEOUT_MS = 100;

/** @internal */
export async function openStore(
  open: () => SqliteDatabase,
  place: string,
  platform: StorePlatform,
  options: OpenOptions,
): Promise<AuditStore> {
  const until = performance.now() + (options.waitMs ?? 5000);
  for (let wait = 20; ; wait = Math.min(500, wait * 2)) {
    try {
      return tryOpen(open, place, platform, options);
    } catch (error) {
      const failure = auditError(error, place);
      if (failure.code !== "audit/locked" || performance.now() + wait > until) throw failure;
    }
    await new Promise<void>((done) => setTimeout(done, wait));
  }
}

function tryOpen(
  open: () => SqliteDatabase,
  place: string,
  platform: StorePlatform,
  { readOnly = false, create = true, onWarning }: OpenOptions,
): AuditStore {
  const db = open();
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    prepareSchema(db, place, { create: create && !readOnly });
    const store = new AuditStore(db, place, platform);
    if (readOnly) {
      // Some drivers ignore the option.
      db.exec("PRAGMA query_only = ON");
      return store;
    }
    // WAL lets readers and writer work at once. Only a power failure may lose the last batches. `secure_delete`
    // overwrites deleted rows.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    for (const name of importSpills(store)) onWarning?.(`\`${name}\` is not a spill file of the database`);
    return store;
  } catch (error) {
    db.close();
    throw error;
  }
}

function importSpills(store: AuditStore): string[] {
  try {
    return store.importSpills();
  } catch (error) {
    if (["audit/locked", "audit/read-only", "audit/full"].includes((error as AuditError).code)) return [];
    throw error;
  }
}
