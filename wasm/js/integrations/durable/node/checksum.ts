/**
 * Checksums of a journal's entries, each over the one before: a changed, lost, added or moved entry is found.
 *
 * With a key they are HMACs. Then nobody without the key can write an entry that is taken.
 */
import { createHash, createHmac } from "node:crypto";
import { PlanError } from "stepgraph";

/** What the first entry is chained to. */
export const FIRST_CHECKSUM_INPUT = "stepgraph journal 1";

/** Refuses a key that everybody has: a variable that was not set must not pass for one. */
export function assertKey(key: unknown): void {
  if (key === undefined || ((typeof key === "string" || key instanceof Uint8Array) && key.length > 0)) return;
  throw new PlanError("durable/bad-key", "`key` is a text or bytes, and not empty");
}

/** The checksum of an entry after that of the entry before. */
export function checksum(before: string, text: string, key: string | Uint8Array | undefined): string {
  const hash = key === undefined ? createHash("sha256") : createHmac("sha256", key);
  return hash.update(`${before}\n${text}`).digest("hex").slice(0, 32);
}
