/** A stored run, replayed from its journal without its host. */
import { PlanError, type PlanGraph, type Report, type Snapshot, type ToolClient, type TraceEvent } from "stepgraph";
import { Redactor } from "../../redact.js";
import { drive } from "../durable/driver.js";
import { HEAD, invalidEntry, readHead } from "../durable/journal-entry.js";
import type { Journal, JournalAnswer } from "../durable/journal.js";
import { replayedLines } from "../durable/journal-lines.js";
import type { DurableOptions } from "../durable/options.js";
import { pricedForReplay } from "../durable/replay-prices.js";
import type { StartValues } from "./run-rows.js";

/**
 * The parts of a host that a store does not keep: the `context` that the plan reads, the `store` of large results, and
 * `tools` and `models`, whose keys are removed from cassettes and snapshots.
 */
export type StoredRunHost = Pick<DurableOptions, "context" | "tools" | "models" | "store">;

/** @internal */
export interface ReplayedRun {
  /** Null before the first entry. */
  report: Report | null;
  events: TraceEvent[];
  cassette: string[];
  /** Null after the end. A cancelled run has the last one. */
  snapshot: Snapshot | null;
}

/** @internal */
export interface StoredJournal {
  graph: PlanGraph;
  start: StartValues;
  lines: readonly string[];
}

type Entry = JournalAnswer | { cancelled: true };

/** @internal */
export async function replayedRun(journal: StoredJournal, host: StoredRunHost): Promise<ReplayedRun> {
  const entries = replayedLines(journal.lines).map(readEntry);
  const whole = await replayEntries(journal, entries, host);
  const last = entries.at(-1);
  if (last === undefined || "name" in last) return whole;
  const { snapshot } = await replayEntries(journal, entries.slice(0, -1), host);
  return { ...whole, snapshot };
}

function readEntry(line: string, at: number): Entry {
  try {
    const entry = JSON.parse(line) as Partial<JournalAnswer & { cancelled: true }> | null;
    if (typeof entry?.name === "string" || entry?.cancelled === true) return entry as Entry;
  } catch {
    // Refused below.
  }
  throw invalidEntry(`line ${at + 1}`, "it is no answer");
}

async function replayEntries(
  { graph, start }: StoredJournal,
  entries: readonly Entry[],
  host: StoredRunHost,
): Promise<ReplayedRun> {
  const [head] = entries;
  const events: TraceEvent[] = [];
  const cassette: string[] = [];
  if (head === undefined || !("name" in head) || head.name !== HEAD)
    return { report: null, events, cassette, snapshot: null };
  const { context, tools, models, store } = host;
  const own = { ...(context !== undefined && { context }), ...(store !== undefined && { store }) };
  const clients = { ...(tools !== undefined && { tools }), ...(models !== undefined && { models }) };
  const options = { ...start, ...namesOf(head), ...own, onEvent: (event: TraceEvent) => void events.push(event) };
  const recording = { ...clients, record: (line: string) => void cassette.push(withoutReads(line)) };
  const journal = journalOf(entries);
  const report = await drive([graph], journal, options, recording);
  if (journal.hasUnread()) throw divergedError();
  const snapshot = report.snapshot && new Redactor(undefined, clients).snapshot(report.snapshot);
  return { report, events, cassette, snapshot };
}

function journalOf(entries: readonly Entry[]): Journal & { hasUnread(): boolean } {
  let next = 0;
  return {
    hasUnread: () => next < entries.length,
    begin() {},
    abandon() {},
    race: async () => {
      const answer = entries[next++];
      return answer === undefined ? "paused" : "name" in answer ? answer : null;
    },
  };
}

/** @internal */
export function divergedError(): PlanError {
  const message = "the run does not follow from its journal: pass the same `context` as the run had";
  return new PlanError("durable/diverged", message);
}

/** A replay executes no handler, so its reads are unknown. */
function withoutReads(line: string): string {
  if (!line.includes('"reads":')) return line;
  const { reads: _reads, ...rest } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(rest);
}

/** @internal Returns the host as the journal records it. */
export function hostOf(lines: readonly string[]): DurableOptions | null {
  const [line] = replayedLines(lines);
  return line === undefined ? null : namesOf(JSON.parse(line) as JournalAnswer);
}

/** A replay never calls these. */
function namesOf({ value }: JournalAnswer): DurableOptions {
  const { host, run } = readHead(HEAD, value as Record<string, unknown>);
  const nothing = () => "";
  const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, nothing]));
  const client = (name: string): ToolClient => ({
    name,
    list: async () => [],
    call: async () => ({ value: null, isError: false }),
    close: async () => {},
  });
  return {
    handlers: named(host.types),
    byId: named(host.ids),
    models: pricedForReplay(named(host.models)),
    tools: (host.servers ?? []).map(client),
    allow: host.allow,
    limits: host.limits,
    retries: host.retries,
    ...(run !== undefined && { runId: run }),
  };
}
