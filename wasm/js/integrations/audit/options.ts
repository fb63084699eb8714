/** Options of `audited`. */
import { internals, type PlanGraph, type RunOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { AuditError, AuditSink } from "./sink.js";

/** Options of `audited`. */
export interface AuditOptions {
  /** The host's name for the run. Queries find it. Several runs may share a key. */
  key?: string;
  /** The `id` of the run that this one continues. */
  continues?: string;
  /** Name of a plan that has no `id`. */
  name?: string;
  /**
   * The plan's text, stored with its comments. Default: the plan as YAML. `false` stores only the hash, and the run
   * can't be replayed from the store alone.
   */
  plan?: string | false;
  /** `false` stores no cassette: fewer writes, but no replay. */
  cassette?: boolean;
  /** Number of events and lines that are written at once. Default 500. */
  batch?: number;
  /** How long the first event of a batch waits for others, in milliseconds. Default 100. */
  delayMs?: number;
  /** How long the end waits for a sink that is locked or unreachable, in milliseconds. Default 5000. */
  flushTimeoutMs?: number;
  /**
   * Number of events and lines that stay in memory while the sink fails. Default 20000. Above it, the sink spills them
   * if it can.
   */
  maxPending?: number;
  /**
   * Called when writing starts to fail, and when the error code changes. `kept` is the number of pending events and
   * lines.
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

/** @internal */
export function assertAudited(graph: PlanGraph, options: RunOptions, sink: AuditSink, about: AuditOptions): void {
  internals.assertPlan("audited", graph);
  internals.assertKind("audited", "options", options, "map");
  // The run checks the other options.
  for (const name of ["onEvent", "record"] as const)
    if (options[name] !== undefined) internals.assertKind("audited", name, options[name], "function");
  internals.assertKind("audited", "sink", sink, ".write");
  internals.assertOptions("audited", about, OPTIONS);
}
