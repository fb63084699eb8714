/** The events of a stored run, from its journal and without its host. */
import type { PlanGraph, ToolClient, TraceEvent } from "stepgraph";
import { runDurable } from "../durable/driver.js";
import { replayedLines } from "../durable/memory-journal.js";
import { HEAD, readHead } from "../durable/journal-entry.js";
import type { Journal, JournalAnswer } from "../durable/journal.js";
import type { StartValues } from "./run-rows.js";
import type { DurableOptions } from "../durable/options.js";

export async function replayedEvents(
  graph: PlanGraph,
  start: StartValues,
  lines: readonly string[],
): Promise<TraceEvent[]> {
  const answers = replayedLines(lines).map((line) => JSON.parse(line) as JournalAnswer | { cancelled: true });
  const [head] = answers;
  if (head === undefined || !("name" in head) || head.name !== HEAD) return [];
  const events: TraceEvent[] = [];
  let next = 0;
  const journal: Journal = {
    begin() {},
    abandon() {},
    // Without further entries, the run stands where it stood.
    race: async () => {
      const answer = answers[next++];
      return answer === undefined ? "paused" : "name" in answer ? answer : null;
    },
  };
  const onEvent = (event: TraceEvent) => void events.push(event);
  await runDurable(graph, journal, { ...start, ...namesOf(head), onEvent });
  return events;
}

/** Returns the names of a run's host, or null if the run has no entry yet. */
export function hostOf(lines: readonly string[]): DurableOptions | null {
  const [line] = replayedLines(lines);
  return line === undefined ? null : namesOf(JSON.parse(line) as JournalAnswer);
}

/** The host's names. Nothing calls them, because every answer is recorded. */
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
    models: named(host.models),
    tools: (host.servers ?? []).map(client),
    allow: host.allow,
    limits: host.limits,
    retries: host.retries,
    ...(run !== undefined && { runId: run }),
  };
}
