/**
 * A run's record in a worker. Events keep as much of a value as answers show. Values are stored once.
 *
 * Invariant: a record's size is checked before encoding.
 */
import { Redactor } from "../../package-internals.js";
import type { Approval, Diagnostic, Outcome, Report, Snapshot, TraceEvent } from "../../types.js";
import type { RunUpdate } from "./worker-messages.js";
import { CallerError } from "./caller-error.js";
import type { Head } from "./stored-run.js";
import { truncateValue, jsonLength } from "./render.js";

/** The first and last ones stay. */
const MAX_EVENTS = 20_000;
const FIRST_EVENTS = 2_000;
/** Dropped at once at the limit. */
const EVICTED_EVENTS = 5_000;
/** Characters of a value in an event. */
const MAX_COMPARED_VALUE = 4_000;
/** Characters of JSON. */
const MAX_RECORD = 64 * 1024 * 1024;

export interface RunRecord extends Head, RecordDetails {
  plan: string;
}

/** Only workers read these. */
export interface RecordDetails {
  outcome: Outcome | null;
  input: unknown;
  last: unknown;
  outputs: Record<string, unknown>;
  way: string[];
  counts: Report["counts"];
  durationMs: number;
  diagnostics: Diagnostic[];
  /** Open approvals. */
  asked: Approval[];
  events: TraceEvent[];
  lost: number;
}

const NO_DETAILS: RecordDetails = {
  outcome: null,
  input: null,
  last: null,
  outputs: {},
  way: [],
  counts: { steps: 0, calls: 0, retries: 0 },
  durationMs: 0,
  diagnostics: [],
  asked: [],
  events: [],
  lost: 0,
};

/** Throws {@link CallerError}. */
export function parseRecord(head: Head, plan: string, rest: string, updates: readonly RunUpdate[] = []): RunRecord {
  let record: RunRecord;
  try {
    record = { ...NO_DETAILS, ...(JSON.parse(rest) as Partial<RecordDetails>), ...head, plan };
  } catch {
    throw new CallerError("serve/unreadable-run", `the file of the run \`${head.id}\` is incomplete or not a run`);
  }
  const texts = updates.filter(({ events }) => events !== "").map(({ events }) => events);
  record.events = [...record.events, ...(JSON.parse(`[${texts.join(",")}]`) as TraceEvent[])];
  record.lost += updates.reduce((sum, { events, count }) => sum + (events === "" ? count : 0), 0);
  return record;
}

export function recordEvent(run: RunRecord, event: TraceEvent): TraceEvent {
  if (run.events.length >= MAX_EVENTS) run.lost += run.events.splice(FIRST_EVENTS, EVICTED_EVENTS).length;
  const truncated = truncateEvent(event, run.id);
  run.events.push(truncated);
  return truncated;
}

function truncateEvent(event: TraceEvent, id: string): TraceEvent {
  const cut = (value: unknown, node: string) =>
    truncateValue(value, MAX_COMPARED_VALUE, `explain_run with run \`${id}\` and value \`/outputs/${node}\``);
  switch (event.type) {
    case "node-started":
    case "scope-started":
      return { ...event, input: cut(event.input, event.node) };
    case "node-completed":
      return { ...event, output: cut(event.output, event.node) };
    case "edge-decided":
      return {
        ...event,
        verdicts: event.verdicts.map((verdict) => ({
          ...verdict,
          saw: verdict.saw.map((one) => ("value" in one ? { ...one, value: cut(one.value, event.node) } : one)),
        })),
      };
    case "model-replied":
      return { ...event, reply: { text: "", finish: event.reply.finish, usage: event.reply.usage } };
    case "model-asked":
      return { ...event, messages: [] };
    case "run-started":
      return { ...event, input: null };
    case "run-ended":
      return { ...event, outcome: truncateOutcome(event.outcome) };
    case "logged":
      return { ...event, value: cut(event.value, event.node) };
    case "tool-asked":
      return { ...event, arguments: { ...(cut(event.arguments, event.node) as object) } };
    case "tool-answered":
      return "output" in event ? { ...event, output: cut(event.output, event.node) } : event;
    default:
      return event;
  }
}

/** `asked` stores approvals completely. */
function truncateOutcome(outcome: Outcome): Outcome {
  return outcome.type === "paused"
    ? { ...outcome, approval: { ...outcome.approval, input: null }, approvals: [] }
    : outcome;
}

export function recordOutcome(run: RunRecord, report: Report): void {
  const { outcome } = report;
  run.status = outcome.type;
  run.outcome = truncateOutcome(outcome);
  run.last = report.last;
  run.outputs = report.outputs;
  run.way = report.path;
  run.durationMs += report.durationMs;
  run.counts = report.counts;
  run.diagnostics = report.diagnostics;
  run.asked = outcome.type === "paused" ? outcome.approvals : [];
  run.waiting = run.asked.map(({ call }) => call);
}

/** A lost worker reports nothing, so events show how far it got. */
export function recordAbort(run: RunRecord, outcome: Extract<Outcome, { type: "failed" }>, durationMs: number): void {
  run.status = "failed";
  run.outcome = outcome;
  run.asked = [];
  run.waiting = [];
  run.durationMs += durationMs;
  run.way = [];
  run.counts = { ...run.counts, steps: 0 };
  for (const event of run.events) {
    if (event.type !== "node-started") continue;
    if (event.scope === undefined || event.scope === "") run.way.push(event.node);
    run.counts.steps++;
  }
}

/**
 * Redacts secrets and trusted values, but not open approvals, which the user must see unchanged. Throws {@link
 * CallerError} if too long.
 */
export function detailsText(run: RunRecord, context: unknown): string {
  const { outcome, input, last, outputs, way, counts, durationMs, diagnostics, asked, events, lost } = run;
  const rest = { input, last, outputs, way, counts, durationMs, diagnostics, events, lost };
  assertFits(rest);
  const redactor = new Redactor(context);
  const plain = redactor.plain(asked.length === 0 ? { ...rest, outcome } : rest) as object;
  return textOf({ ...plain, ...(asked.length > 0 && { outcome }), asked });
}

export function snapshotText(snapshot: Snapshot | null): string | null {
  return snapshot === null ? null : textOf(snapshot);
}

function textOf(value: object): string {
  assertFits(value);
  return JSON.stringify(value);
}

function assertFits(value: object): void {
  if (jsonLength(value) > MAX_RECORD)
    throw new CallerError(
      "serve/out-of-memory",
      `the run record would take more than ${MAX_RECORD / 1024 / 1024} MiB as JSON`,
    );
}
