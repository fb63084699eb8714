/**
 * The entry for browsers and runtimes without files: the same, on a database that the host hands over.
 */
import { assertOpen, openStore, type OpenDatabase, type OpenOptions } from "./open-store.js";
import type { StorePlatform } from "./store-platform.js";
import { AuditError } from "./sink.js";
import type { AuditStore } from "./store.js";

export * from "./index.js";

/**
 * Opens a store on a database that the host has opened.
 *
 * @throws AuditError `audit/no-driver` for the name of a file, `audit/unreadable`, `audit/version` and so on.
 */
export async function openAudit(from: string | OpenDatabase, options: OpenOptions = {}): Promise<AuditStore> {
  assertOpen(from, options);
  if (typeof from === "string")
    throw new AuditError("audit/no-driver", "there are no files here", "hand an open database over");
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
