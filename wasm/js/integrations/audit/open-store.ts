/**
 * Opening a store: waits for whoever holds the database, makes the tables, and takes in what earlier runs could not
 * write.
 *
 * Decides how the database is set up. Invariant: whatever goes wrong, the database is closed again.
 */
import { internals } from "stepgraph";
import type { Kinds } from "../../options.js";
import { auditError, type SqliteDatabase } from "./database.js";
import { prepareSchema } from "./schema.js";
import type { AuditError } from "./sink.js";
import { AuditStore } from "./store.js";
import type { StorePlatform } from "./store-platform.js";

/** How a store is opened. */
export interface OpenOptions {
  /** `false` refuses a file that is not there yet. */
  create?: boolean;
  /** Nothing is written, and the file may be one that nobody may write. */
  readOnly?: boolean;
  /** So long is waited for a database that somebody else holds; 5000 unless given, in milliseconds. */
  waitMs?: number;
  /** The folder for what can't be written to the database; the database's own unless given. */
  spill?: string;
  /** Is told of what lies beside the database and can't be taken in. */
  onWarning?: (message: string) => void;
}

/** A database that the host has opened, in the place of a file. What can't be written is then left to the host. */
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

/** @internal Refuses what is no database, or no way to open one. */
export function assertOpen(from: string | OpenDatabase, options: OpenOptions): void {
  internals.assertKind("openAudit", "from", from, "place|map");
  if (typeof from === "object") internals.assertKind("openAudit", "db", from.db, ".exec.prepare");
  internals.assertOptions("openAudit", options, OPTIONS);
}

/** A batch waits so long for another process; the run waits with it. */
const BUSY_TIMEOUT_MS = 100;

/** @internal Opens a store on a database that was opened by somebody. */
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
      // Not every driver opens a file for reading only when it is asked to.
      db.exec("PRAGMA query_only = ON");
      return store;
    }
    // Readers and one writer don't wait for each other; a power cut may cost the last batches, a crash of the process
    // none. What is forgotten is written over.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    for (const name of importSpills(store)) onWarning?.(`\`${name}\` is none of what runs leave beside their database`);
    return store;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Takes in what others left, if that can be done now; else the next opening will. */
function importSpills(store: AuditStore): string[] {
  try {
    return store.importSpills();
  } catch (error) {
    if (["audit/locked", "audit/read-only", "audit/full"].includes((error as AuditError).code)) return [];
    throw error;
  }
}
