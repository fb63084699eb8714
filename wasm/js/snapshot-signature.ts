/** Signs snapshots with an HMAC. A forged one could make a run do what no user approved. */
import { sortedText } from "./value-hash.js";
import { PlanError } from "./errors.js";
import type { RunOptions, Snapshot } from "./types.js";

type Key = NonNullable<RunOptions["key"]>;

export async function signSnapshot(snapshot: Snapshot, key: Key | undefined): Promise<Snapshot> {
  if (key === undefined) return snapshot;
  return { ...snapshot, mac: await computeMac(snapshot, key) };
}

export async function verifySnapshot(snapshot: Snapshot, key: Key): Promise<void> {
  // Hash both again, so that the comparison's duration reveals nothing.
  const [given, own] = await Promise.all(
    [snapshot.mac ?? "", await computeMac(snapshot, key)].map((text) => hmac(String(text), key)),
  );
  if (given === own) return;
  const why = snapshot.mac === undefined ? "it has no `mac`, but the run has a key" : "its `mac` is not by this key";
  throw new PlanError("snapshot/unusable", `the snapshot can't be resumed: ${why}`);
}

async function computeMac({ type, format, plan, state, values, run, asked }: Snapshot, key: Key): Promise<string> {
  const data = JSON.stringify({ type, format, plan, state, values, run, asked });
  return hmac(sortedText(JSON.parse(data)), key);
}

async function hmac(text: string, key: Key): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined)
    throw new PlanError("api/no-crypto", "`key` needs Web Crypto, which pages have over HTTPS and on localhost only");
  const encoder = new TextEncoder();
  const bytes = typeof key === "string" ? encoder.encode(key) : Uint8Array.from(key);
  const ready = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = new Uint8Array(await subtle.sign("HMAC", ready, encoder.encode(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
