/**
 * The record of one run: what is kept of it, how it is written down, and how a file is read as one.
 *
 * Decides which events go when a run has too many: those of its beginning stay, and the last.
 */
import { randomBytes } from "node:crypto";
import type { Approval, Diagnostic, Outcome, Report, Snapshot, TraceEvent } from "../../types.js";

/** How many events of a run are kept: those of its beginning, and the last. */
const EVENTS = 20_000;
const BEGINNING = 2_000;
/** How many go at once where there is no room. */
const BLOCK = 5_000;

/** How a run stands. */
export type Status = "running" | "paused" | "completed" | "failed" | "cancelled";

/** Everything that is kept of a run; JSON but for nothing. */
export interface Kept {
  type: "stepgraph-run";
  format: 1;
  id: string;
  status: Status;
  /** The plan's text, and where it was read. */
  plan: string;
  path: string | null;
  name: string | null;
  planHash: string;
  startedAt: string;
  endedAt: string | null;
  outcome: Outcome | null;
  input: unknown;
  last: unknown;
  outputs: Record<string, unknown>;
  way: string[];
  counts: Report["counts"];
  durationMs: number;
  diagnostics: Diagnostic[];
  /** What it waits for. */
  asked: Approval[];
  snapshot: Snapshot | null;
  events: TraceEvent[];
  /** How many events there was no room for. */
  lost: number;
}

/** A new run. */
export function begun(plan: string, path: string | null, name: string | null, planHash: string, input: unknown): Kept {
  return {
    type: "stepgraph-run",
    format: 1,
    id: `run-${randomBytes(6).toString("hex")}`,
    status: "running",
    plan,
    path,
    name,
    planHash,
    startedAt: new Date().toISOString(),
    endedAt: null,
    outcome: null,
    input,
    last: null,
    outputs: {},
    way: [],
    counts: { steps: 0, calls: 0, retries: 0 },
    durationMs: 0,
    diagnostics: [],
    asked: [],
    snapshot: null,
    events: [],
    lost: 0,
  };
}

/** Writes down an event. */
export function noted(run: Kept, event: TraceEvent): void {
  if (run.events.length >= EVENTS) run.lost += run.events.splice(BEGINNING, BLOCK).length;
  run.events.push(event);
}

/** Writes down how a run ended, or why it rests. Everything is read now, so that the plan's own memory can go. */
export function settled(run: Kept, report: Report): void {
  const { outcome } = report;
  run.status = outcome.type;
  run.outcome = outcome;
  run.endedAt = new Date().toISOString();
  run.last = report.last;
  run.outputs = report.outputs;
  run.way = report.path;
  run.durationMs += report.durationMs;
  run.counts = report.counts;
  run.diagnostics = report.diagnostics;
  run.asked = outcome.type === "paused" ? outcome.approvals : [];
  run.snapshot = report.snapshot;
}

/** A run in a list. */
export interface Listed {
  run: string;
  status: Status | "interrupted" | "unreadable";
  plan: string | null;
  started_at: string;
  asks: number;
}

export function listed({ id, status, name, path, startedAt, asked }: Kept): Listed {
  return { run: id, status, plan: name ?? path, started_at: startedAt, asks: asked.length };
}

/** A run as its file has it; null for anything else. */
export function recognised(text: string, id: string): Kept | null {
  let run: Partial<Kept> | null;
  try {
    run = JSON.parse(text) as Partial<Kept> | null;
  } catch {
    return null;
  }
  const whole =
    run?.type === "stepgraph-run" &&
    run.format === 1 &&
    run.id === id &&
    typeof run.plan === "string" &&
    typeof run.status === "string" &&
    Array.isArray(run.events) &&
    Array.isArray(run.asked) &&
    Array.isArray(run.way) &&
    typeof run.outputs === "object" &&
    run.outputs !== null;
  return whole ? (run as Kept) : null;
}
