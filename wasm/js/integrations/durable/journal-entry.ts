/** Format of journal entries (version 1). Invariant: a run gets JSON values, so that a replay gets the same. */
import {
  CallError,
  PlanError,
  type ChatReply,
  type Decision,
  type Fingerprint,
  type Limits,
  type ToolInfo,
} from "stepgraph";
import { internals } from "stepgraph";

/** @internal */
export const FORMAT = 1;

/** @internal */
export const HEAD = "head";

/** @internal Later changes of the host don't affect decisions. */
export interface Head {
  format: number;
  plan: Fingerprint;
  /** Hash of the start values. */
  given: string;
  host: HostNames;
  /** For tool servers. Older journals have none. */
  run?: string;
  /** Steps record the plan to go on with. */
  moves?: true;
  atMs: number;
}

/** @internal */
export type ToolsEntry = { atMs?: number } & ({ tools: ToolInfo[][] } | { error: Failure });

/** @internal Names that affect the run's calls. */
export interface HostNames {
  types: string[];
  ids: string[];
  models: string[];
  clients: number;
  /** An approval holds for one server only. Older journals have none. */
  servers?: string[];
  allow: boolean | readonly string[];
  limits: Limits;
  retries: "plan" | "host";
}

/** @internal */
export interface Failure {
  code: string;
  message: string;
}

/** @internal */
export type CallEntry = { atMs?: number } & (
  | { output: unknown; writes?: Record<string, unknown> }
  | { reply: ChatReply }
  | { error: Failure }
);

/** @internal */
export type DecisionEntry = { atMs?: number } & ({ decision: Decision } | { error: Failure });

/** Stores results that are too large for a journal. */
export interface ResultStore {
  /** Stores JSON and returns a reference. A name may be replaced. */
  put(call: string, text: string): Promise<string>;
  /** Returns a reference's JSON. */
  get(reference: string): Promise<string>;
}

/** @internal */
export interface EntryEncoding {
  maxBytes: number;
  store?: ResultStore | undefined;
}

const encoder = new TextEncoder();

/** @internal Returns JSON that fits, or a failure entry. */
export async function encodeEntry(
  name: string,
  entry: { atMs: number },
  { maxBytes, store }: EntryEncoding,
): Promise<unknown> {
  let text: string;
  try {
    text = JSON.stringify(entry);
    // A reply without JSON would make the journal unreadable.
    if (isAnswer(entry)) readCall(name, JSON.parse(text) as Record<string, unknown>);
  } catch (error) {
    return failureEntry(
      entry.atMs,
      "durable/not-json",
      `the result of call \`${name}\` can't be written as JSON: ${
        error instanceof PlanError ? "it has none, or is no reply of a model" : internals.toFailure(error, "").message
      }`,
    );
  }
  // A UTF-16 unit has three bytes at most.
  const bytes = text.length * 3 > maxBytes ? encoder.encode(text).length : 0;
  if (bytes <= maxBytes) return JSON.parse(text) as unknown;
  if (store === undefined)
    return failureEntry(
      entry.atMs,
      "durable/result-too-large",
      `the result of call \`${name}\` has ${bytes} bytes, and the journal allows ${maxBytes}`,
    );
  try {
    return { kept: await store.put(name, text), atMs: entry.atMs };
  } catch (error) {
    return failureEntry(
      entry.atMs,
      "durable/store-failed",
      `the result of call \`${name}\` could not be stored: ${internals.toFailure(error, "").message}`,
    );
  }
}

function isAnswer(entry: object): boolean {
  return "output" in entry || "reply" in entry;
}

function failureEntry(atMs: number, code: string, message: string): CallEntry {
  return { error: { code, message }, atMs };
}

/** @internal */
export async function decodeEntry(
  name: string,
  value: unknown,
  store: ResultStore | undefined,
): Promise<Record<string, unknown>> {
  const entry = objectOf(name, value);
  if (typeof entry.kept !== "string") return entry;
  if (store === undefined)
    throw new PlanError(
      "durable/value-lost",
      `the answer to \`${name}\` is in a store, and there is no option \`store\``,
    );
  let text: string;
  try {
    text = await store.get(entry.kept);
  } catch (error) {
    throw new CallError(
      "durable/value-lost",
      `the answer to \`${name}\` can't be fetched: ${internals.toFailure(error, "").message}`,
      { cause: error },
    );
  }
  try {
    return objectOf(name, JSON.parse(text));
  } catch {
    throw invalidEntry(name, "what the store has is not the JSON that it was given");
  }
}

/** @internal */
export function readHead(name: string, entry: Record<string, unknown>): Head {
  const { format, plan, given, host, run, moves, atMs } = entry as Partial<Head>;
  if (isFailure(entry.error)) throw new PlanError(entry.error.code, entry.error.message);
  if (format !== FORMAT) {
    throw new PlanError(
      "durable/entry-version",
      `the journal is of version ${describeValue(format)}, and this release reads version ${FORMAT}; run it with the release that began it`,
    );
  }
  const named =
    typeof plan?.hash === "string" &&
    typeof plan.parts === "string" &&
    typeof given === "string" &&
    Number.isFinite(atMs);
  const known =
    [host?.types, host?.ids, host?.models].every(isStringArray) &&
    Number.isInteger(host?.clients) &&
    (host?.servers === undefined || isStringArray(host.servers)) &&
    (typeof host?.allow === "boolean" || isStringArray(host?.allow)) &&
    (host?.retries === "plan" || host?.retries === "host") &&
    (run === undefined || typeof run === "string") &&
    (moves === undefined || moves === true);
  if (!named || !known) throw invalidEntry(name, "it lacks the plan, the start time or the host's capabilities");
  return entry as unknown as Head;
}

/** @internal */
export function readTools(name: string, entry: Record<string, unknown>): ToolsEntry {
  const { tools, error } = entry as { tools?: unknown; error?: unknown };
  const listed = Array.isArray(tools) && tools.every((list) => Array.isArray(list) && list.every(isTool));
  if (!listed && !isFailure(error)) throw invalidEntry(name, "it lists no tools");
  return entry as unknown as ToolsEntry;
}

/** @internal */
export function readCall(name: string, entry: Record<string, unknown>): CallEntry {
  assertTime(name, entry);
  if ("output" in entry || isFailure(entry.error)) return entry as unknown as CallEntry;
  if (typeof (entry.reply as ChatReply | null | undefined)?.text === "string") return entry as unknown as CallEntry;
  throw invalidEntry(name, "an answer has `output`, `reply` or `error`");
}

/** @internal An invalid decision fails the call, not the journal. */
export function readDecision(name: string, entry: Record<string, unknown>): DecisionEntry {
  assertTime(name, entry);
  const { decision } = entry;
  if (isFailure(entry.error)) return entry as unknown as DecisionEntry;
  if (
    decision === "approved" ||
    decision === "rejected" ||
    (typeof decision === "object" && decision !== null && "value" in decision)
  )
    return entry as unknown as DecisionEntry;
  return {
    ...entry,
    error: { code: "approval/failed", message: "a decision is `approved`, `rejected` or `{ value }`" },
  };
}

function assertTime(name: string, { atMs }: Record<string, unknown>): void {
  if (atMs !== undefined && !Number.isFinite(atMs)) throw invalidEntry(name, "`atMs` is a number");
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isTool(value: unknown): value is ToolInfo {
  const { name, input_schema: schema } = (value ?? {}) as Partial<ToolInfo>;
  return typeof name === "string" && typeof schema === "object" && schema !== null;
}

function isFailure(value: unknown): value is Failure {
  const { code, message } = (value ?? {}) as Partial<Failure>;
  return typeof code === "string" && typeof message === "string";
}

function objectOf(name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidEntry(name, "an entry is a map");
  return value as Record<string, unknown>;
}

/** @internal */
export function invalidEntry(name: string, why: string): PlanError {
  return new PlanError("durable/bad-entry", `the journal's entry \`${name}\` can't be read: ${why}`);
}

function describeValue(value: unknown): string {
  return value === undefined ? "unknown" : JSON.stringify(value);
}

/** @internal Two 32-bit FNV-1a hashes, against mistakes, not attacks. */
export function shortHash(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  let [one, two] = [0x811c9dc5, 0x01234567];
  for (let i = 0; i < text.length; i++) {
    one = Math.imul(one ^ text.charCodeAt(i), 0x01000193);
    two = Math.imul(two ^ text.charCodeAt(i), 0x01000193);
  }
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** @internal Checked as a replay will read it. */
export function plainDecision(call: string, decision: Decision): object {
  const read = readDecision(call, { decision });
  if ("error" in read) return { error: read.error };
  if (typeof read.decision === "string") return read;
  const { value } = read.decision;
  return { decision: { value: value === undefined ? null : value } };
}
