/** Runs of an audit database or store, in one shape. */
import type { AuditStatus, AuditStore, StoredRun as AuditedRun } from "../integrations/audit/node.js";
import type { RunStore, StoredRun } from "../integrations/store/node.js";
import { PlanGraph } from "../node.js";
import { isSecret, Redactor, withSecretsOf } from "../package-internals.js";
import type { Snapshot, ToolClient, TraceEvent } from "../types.js";
import type { Io } from "./io.js";
import type { Arguments } from "./options.js";
import { readPairs } from "./parse-values.js";

/** `events` is null if not counted. */
export type PrintedRun = Omit<AuditedRun, "status" | "events"> & {
  readonly status: AuditStatus | "interrupted";
  readonly events: number | null;
};

/** Audit databases have no snapshots. */
export type RunSource = Pick<AuditStore, "trace" | "cassette" | "plan" | "continuations"> & {
  snapshot?(): Snapshot | null;
};

/** Lacks what only the journal says. */
export function printedRun({ id, name, planHash, status, outcome, startedMs, updatedMs }: StoredRun): PrintedRun {
  return {
    ...{ id, key: null, continues: null, plan: { hash: planHash, name }, status, outcome, startedMs },
    ...{ endedMs: null, durationMs: null, counts: null, events: null, lines: 0, seenMs: updatedMs },
  };
}

/** Removes secrets, as an audit database does. */
export async function readStoredRun(
  store: RunStore,
  known: StoredRun,
  args: Arguments,
  io: Io,
): Promise<{ run: PrintedRun; source: RunSource }> {
  const { id } = known;
  const context = readPairs("context", args.all("context"));
  const tools = [secretHolder(io.env)];
  const replayed = await store.replayed(id, { context, tools });
  const redactor = new Redactor(context, { tools });
  const events = replayed.events.map((event) => redactor.plain(event) as TraceEvent);
  const { cassette, snapshot, report } = replayed;
  const graph = await store.plan(id);
  const text = PlanGraph.print(graph);
  graph.free();
  const isPaused = known.status === "paused";
  const { outcome } = redactor.plain({ outcome: isPaused ? report?.outcome : known.outcome }) as Pick<
    PrintedRun,
    "outcome"
  >;
  const isOver = (outcome ?? null) !== null && report !== null;
  const run: PrintedRun = {
    ...printedRun(known),
    ...{ outcome: outcome ?? null, events: events.length, lines: cassette.length },
    durationMs: isOver ? report.durationMs : null,
    counts: isOver ? report.counts : null,
  };
  return {
    run,
    source: {
      *trace(_id, { node, type = [] } = {}) {
        const types = [type].flat();
        for (const event of events) {
          const isNode = node === undefined || ("node" in event && event.node === node);
          if (isNode && (types.length === 0 || types.includes(event.type))) yield event;
        }
      },
      cassette: () => cassette,
      plan: () => text,
      continuations: () => [],
      snapshot: () => snapshot && { ...snapshot, run: id },
    },
  };
}

const KEY_VARIABLE = /^(STEPGRAPH_(SERVER_KEY|CLIENT_SECRET)(_.*)?|(OPENAI|ANTHROPIC|GEMINI)_API_KEY)$/;

/** Never called: its secrets are removed from records. */
export function secretHolder(env: Io["env"]): ToolClient {
  // A short value may occur by chance.
  const isKey = (name: string, value: string) => KEY_VARIABLE.test(name) || (isSecret(name) && value.length >= 8);
  const secrets = Object.entries(env).flatMap(([name, value]) => (value && isKey(name, value) ? [value] : []));
  return {
    ...withSecretsOf(undefined, ...secrets),
    name: "keys",
    list: async () => [],
    call: async () => ({ value: null, isError: false }),
    close: async () => {},
  };
}
