/** Chained checksums reveal changed, lost, added or moved entries. A key makes them HMACs, which prevent forgery. */
import { createHash, createHmac } from "node:crypto";
import { PlanError } from "stepgraph";

export const FIRST_CHECKSUM_INPUT = "stepgraph journal 1";

/** Such as an unset variable. */
export function assertKey(key: unknown): void {
  if (key === undefined || ((typeof key === "string" || key instanceof Uint8Array) && key.length > 0)) return;
  throw new PlanError("durable/bad-key", "`key` is a text or bytes, and not empty");
}

export function checksum(before: string, text: string, key: string | Uint8Array | undefined): string {
  const hash = key === undefined ? createHash("sha256") : createHmac("sha256", key);
  return hash.update(`${before}\n${text}`).digest("hex").slice(0, 32);
}
