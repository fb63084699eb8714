/** How a run is audited, looked at before anything is audited. */
import { internals, type PlanGraph, type RunOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { AuditError, AuditSink } from "./sink.js";

/** How a run is audited. */
export interface AuditOptions {
  /** What the host calls the run; queries find it. */
  key?: string;
  /** The `id` of the run that this one goes on from. */
  continues?: string;
  /** What the plan is called, where it has no `id`. */
  name?: string;
  /**
   * The plan's text, to be kept with its comments; `false` keeps only the hash, and the run can't be replayed from the
   * store alone.
   */
  plan?: string | false;
  /** `false` keeps no cassette: less to write, and no replay. */
  cassette?: boolean;
  /** So many events and lines are written at once; 500 unless given. */
  batch?: number;
  /** So long the first of a batch waits for others; 100 unless given. */
  delayMs?: number;
  /** So long the end waits for a sink that is locked or out of reach; 5000 unless given. */
  flushTimeoutMs?: number;
  /** So many events and lines are held in memory while the sink fails; 20000 unless given. */
  maxPending?: number;
  /**
   * Is told when writing begins to fail, once for each kind of failure in a row. `kept` is how many events and lines
   * wait.
   */
  onError?: (error: AuditError, kept: number) => void;
}

const OPTIONS: Kinds<AuditOptions> = {
  key: "text",
  continues: "text",
  name: "text",
  plan: "text|off",
  cassette: "flag",
  batch: "count",
  delayMs: "ms",
  flushTimeoutMs: "ms",
  maxPending: "count",
  onError: "function",
};

/** @internal Refuses what can't be audited, and a way to audit that is none. */
export function assertAudited(graph: PlanGraph, options: RunOptions, sink: AuditSink, about: AuditOptions): void {
  internals.assertPlan("audited", graph);
  internals.assertKind("audited", "options", options, "map");
  // All others the run itself judges: it may be a fork, or a durable one.
  for (const name of ["onEvent", "record"] as const)
    if (options[name] !== undefined) internals.assertKind("audited", name, options[name], "function");
  internals.assertKind("audited", "sink", sink, ".write");
  internals.assertOptions("audited", about, OPTIONS);
}
