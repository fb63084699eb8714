/** Encodes options for the engine. */
import { shortHash } from "./value-hash.js";
import type { Approval, RequestedApproval, RunOptions, Snapshot } from "./types.js";

/** Set by the engine only. */
export const RESERVED = new Set(["input", "memory"]);

/** `input` is as in the snapshot. */
export function approvalRecord(
  { call, tool, server }: Approval,
  input: unknown,
  annotations: unknown,
): [string, RequestedApproval] {
  const hash = hashOfInput(input);
  if (tool === undefined) return [call, { hash }];
  const record = { tool, hash, says: shortHash(annotations) };
  return [call, server === undefined ? record : { ...record, server }];
}

/**
 * Resumed runs accept decisions only on requests in their snapshot, which the person has seen. New runs accept
 * decisions known in advance.
 */
export function acceptsDecision(snapshot: Snapshot | undefined, { call, tool, server, input }: Approval): boolean {
  if (snapshot === undefined) return true;
  const { asked: records = {} } = snapshot;
  const then = Object.hasOwn(records, call) ? records[call]! : undefined;
  return then?.hash === hashOfInput(input) && then.tool === tool && then.server === server;
}

/** Equal before and after JSON. Values without JSON share one hash. */
function hashOfInput(input: unknown): string {
  try {
    return shortHash(JSON.parse(JSON.stringify(input)));
  } catch {
    return "";
  }
}

/** Fills the first slots. Returns the rest as JSON, or an empty text. */
export function encodeSettings(options: RunOptions, values: unknown[]): string {
  const { memory, context, outputs, stubs, snapshot } = options;
  if (memory === undefined && context === undefined && !outputs && !stubs && !snapshot) return "";
  if (memory !== undefined) values.push(memory);
  if (context !== undefined) values.push(context);
  const given = Object.entries(outputs ?? {}).filter(([name]) => !RESERVED.has(name));
  for (const [, value] of given) values.push(value === undefined ? null : value);
  if (snapshot) for (const value of snapshot.values) values.push(value);
  return JSON.stringify({
    stubs: stubs ?? null,
    outputs: given.map(([name]) => name),
    memory: memory !== undefined,
    context: context !== undefined,
    frozen: snapshot?.state ?? null,
    values: snapshot?.values.length ?? 0,
  });
}
