/**
 * The record of one run as the server keeps it: a head that it reads, and texts that only workers do.
 *
 * Decides how a run is written down: as JSON of four lines, so that its head, its plan and its snapshot are found
 * without reading what the run saw, which may be large.
 */
import { randomBytes } from "node:crypto";
import type { PlanIdentity, RunUpdate } from "./worker-messages.js";

const PLAN = '"plan":';
const SNAPSHOT = '"snapshot":';
/** How much of a file is looked at for its head. */
export const MAX_HEAD_BYTES = 256 * 1024;
/** How much of a plan's name is kept. */
const MAX_NAME = 200;
/** How long a file may be that has to be read as a whole to find its head. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/** How a run stands. */
export type Status = "running" | "paused" | "completed" | "failed" | "cancelled";

/** What the server itself knows of a run. */
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
  /** The names under which it waits for a person. */
  waiting: string[];
}

/** A run that is kept. */
export interface StoredRun extends Head {
  /** The plan's text. */
  plan: string;
  /** What it can be gone on with from, as JSON. */
  snapshot: string | null;
  /** Everything else, as JSON of an object. */
  rest: string;
  /** What came after that, of a run that is under way. */
  updates: RunUpdate[];
}

/** A new run. */
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

/** Writes down what is known once the plan is read. */
export function setIdentity(run: StoredRun, { planHash, name }: PlanIdentity): void {
  run.planHash = planHash;
  run.name = name === null ? null : name.slice(0, MAX_NAME);
}

/** A run in a list. */
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

/** The head alone, as workers are given it. */
export function headOf(run: StoredRun): Head {
  const { type, format, id, status, path, name, planHash, startedAt, endedAt, waiting } = run;
  return { type, format, id, status, path, name, planHash, startedAt, endedAt, waiting };
}

/** About how much room a run takes, in characters. */
export function sizeOf({ plan, snapshot, rest, updates }: StoredRun): number {
  return (
    plan.length + (snapshot?.length ?? 0) + rest.length + updates.reduce((sum, { events }) => sum + events.length, 0)
  );
}

/** A run as its file has it. */
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

/** The head of a file, by how it begins and ends; null for anything else. */
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
  // Files of earlier versions have what they wait for elsewhere.
  const waiting = head.waiting ?? (head.asked ?? []).map(({ call }) => call);
  return headOf({ ...(head as StoredRun), waiting });
}

/** A run as its file has it; null for anything else. */
export function parseRun(text: string, id: string): StoredRun | null {
  const [first = "", plan = "", snapshot = "", rest, ...more] = text.trimEnd().split(",\n");
  // Somebody may have formatted the file.
  if (rest === undefined || more.length > 0)
    return text.length <= MAX_WHOLE_BYTES ? reassembleRun(parseJson(text), id) : null;
  const head = text.trimEnd().endsWith("}") ? toHead(parseJson(`${first}}`), id) : null;
  const source = plan.startsWith(PLAN) ? parseJson(plan.slice(PLAN.length)) : null;
  if (head === null || typeof source !== "string" || !snapshot.startsWith(SNAPSHOT)) return null;
  const state = snapshot.slice(SNAPSHOT.length);
  return { ...head, plan: source, snapshot: state === "null" ? null : state, rest: `{${rest}`, updates: [] };
}

/** A run from a file that has other lines than we write. */
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
