/** Audit stores in the host's database, for runtimes without files. */
import { assertOpen, openStore, type OpenDatabase, type OpenOptions } from "./open-store.js";
import type { StorePlatform } from "./store-platform.js";
import { AuditError } from "./sink.js";
import type { AuditStore } from "./store.js";

export * from "./index.js";

/**
 * Opens a store in the host's database.
 *
 * @throws AuditError `audit/no-driver` for a file name, `audit/unreadable`, `audit/version` and others.
 */
export async function openAudit(from: string | OpenDatabase, options: OpenOptions = {}): Promise<AuditStore> {
  assertOpen(from, options);
  if (typeof from === "string")
    throw new AuditError("audit/no-driver", "this host has no files", "hand an open database over");
  const platform: StorePlatform = {
    place: crypto.randomUUID(),
    pid: 0,
    now: () => Date.now(),
    isAlive: () => true,
    spills: () => [],
    removeSpill: () => undefined,
  };
  return openStore(() => from.db, "the database", platform, options);
}
