/**
 * The file of a run. Only workers parse its texts. JSON on four lines lets the server read head, plan and snapshot
 * without the rest, which may be large.
 */
import { randomBytes } from "node:crypto";
import type { PlanIdentity, RunUpdate } from "./worker-messages.js";

const PLAN = '"plan":';
const SNAPSHOT = '"snapshot":';
/** Searched for the head. */
export const MAX_HEAD_BYTES = 256 * 1024;
const MAX_NAME = 200;
/** A reformatted file must be parsed completely. */
const MAX_WHOLE_BYTES = 1024 * 1024;

export type Status = "running" | "paused" | "completed" | "failed" | "cancelled";

export interface Head {
  type: "stepgraph-run";
  format: 1;
  id: string;
  status: Status;
  path: string | null;
  name: string | null;
  planHash: string;
  startedAt: string;
  endedAt: string | null;
  /** Open approvals. */
  waiting: string[];
}

export interface StoredRun extends Head {
  plan: string;
  /** JSON, or null. */
  snapshot: string | null;
  /** All other fields as JSON. */
  rest: string;
  /** Not yet part of `rest`. */
  updates: RunUpdate[];
}

export function newStoredRun(plan: string, path: string | null, input: unknown): StoredRun {
  return {
    type: "stepgraph-run",
    format: 1,
    id: `run-${randomBytes(6).toString("hex")}`,
    status: "running",
    path,
    name: null,
    planHash: "",
    startedAt: new Date().toISOString(),
    endedAt: null,
    waiting: [],
    plan,
    snapshot: null,
    rest: JSON.stringify({ input: input ?? null, outputs: {}, way: [], events: [] }),
    updates: [],
  };
}

export function setIdentity(run: StoredRun, { planHash, name }: PlanIdentity): void {
  run.planHash = planHash;
  run.name = name === null ? null : name.slice(0, MAX_NAME);
}

export interface RunSummary {
  run: string;
  status: Status | "interrupted" | "unreadable";
  plan: string | null;
  started_at: string;
  asks: number;
}

export function toSummary({ id, status, name, path, startedAt, waiting }: Head): RunSummary {
  return { run: id, status, plan: name ?? path, started_at: startedAt, asks: waiting.length };
}

export function headOf(run: StoredRun): Head {
  const { type, format, id, status, path, name, planHash, startedAt, endedAt, waiting } = run;
  return { type, format, id, status, path, name, planHash, startedAt, endedAt, waiting };
}

/** Characters in memory. */
export function sizeOf({ plan, snapshot, rest, updates }: StoredRun): number {
  return (
    plan.length + (snapshot?.length ?? 0) + rest.length + updates.reduce((sum, { events }) => sum + events.length, 0)
  );
}

export function formatRun(run: StoredRun): string {
  const head = JSON.stringify(headOf(run));
  const lines = [
    `${head.slice(0, -1)},`,
    `${PLAN}${JSON.stringify(run.plan)},`,
    `${SNAPSHOT}${run.snapshot ?? "null"},`,
    run.rest.slice(1),
  ];
  return `${lines.join("\n")}\n`;
}

/** Reads a file's start and end. Null if invalid. */
export function parseHead(begins: string, ends: string, id: string): Head | null {
  if (!ends.trimEnd().endsWith("}")) return null;
  const end = begins.indexOf(",\n");
  return toHead(parseJson(end === -1 ? begins : `${begins.slice(0, end)}}`), id);
}

function toHead(value: unknown, id: string): Head | null {
  const head = value as (Partial<StoredRun> & { asked?: { call: string }[] }) | null;
  const fits =
    head?.type === "stepgraph-run" &&
    head.format === 1 &&
    head.id === id &&
    typeof head.status === "string" &&
    typeof head.startedAt === "string";
  if (!fits) return null;
  // Earlier versions store open approvals under `asked`.
  const waiting = head.waiting ?? (head.asked ?? []).map(({ call }) => call);
  return headOf({ ...(head as StoredRun), waiting });
}

/** Null if invalid. */
export function parseRun(text: string, id: string): StoredRun | null {
  const [first = "", plan = "", snapshot = "", rest, ...more] = text.trimEnd().split(",\n");
  // The user may have reformatted it.
  if (rest === undefined || more.length > 0)
    return text.length <= MAX_WHOLE_BYTES ? reassembleRun(parseJson(text), id) : null;
  const head = text.trimEnd().endsWith("}") ? toHead(parseJson(`${first}}`), id) : null;
  const source = plan.startsWith(PLAN) ? parseJson(plan.slice(PLAN.length)) : null;
  if (head === null || typeof source !== "string" || !snapshot.startsWith(SNAPSHOT)) return null;
  const state = snapshot.slice(SNAPSHOT.length);
  return { ...head, plan: source, snapshot: state === "null" ? null : state, rest: `{${rest}`, updates: [] };
}

function reassembleRun(value: unknown, id: string): StoredRun | null {
  const head = toHead(value, id);
  if (head === null) return null;
  const { plan, snapshot, ...rest } = value as { plan?: unknown; snapshot?: unknown };
  if (typeof plan !== "string") return null;
  const state = snapshot ? JSON.stringify(snapshot) : null;
  return { ...head, plan, snapshot: state, rest: JSON.stringify(rest), updates: [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
