/** Options of `audited`. */
import { internals, type PlanGraph, type RunOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { AuditError, AuditSink } from "./sink.js";

/** Options of `audited`. */
export interface AuditOptions {
  /** The host's name for the run, which runs may share. */
  key?: string;
  /** The `id` of the run before. */
  continues?: string;
  /** Name of a plan without `id`. */
  name?: string;
  /** The stored text. Default: the plan as YAML. If it is `false`, the store alone can't replay the run. */
  plan?: string | false;
  /** `false` stores no cassette: fewer writes, no replay. */
  cassette?: boolean;
  /** Events and lines in a write. Default 500. */
  batch?: number;
  /** Longest wait for more. Default 100. */
  delayMs?: number;
  /** Longest wait at the end. Default 5000. */
  flushTimeoutMs?: number;
  /** Events and lines that a failing sink leaves in memory. Default 20000. */
  maxPending?: number;
  /** Called when writing starts to fail, and when the code changes. `kept` counts pending events and lines. */
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
  for (const name of ["onEvent", "record"] as const)
    if (options[name] !== undefined) internals.assertKind("audited", name, options[name], "function");
  internals.assertKind("audited", "sink", sink, ".write");
  internals.assertOptions("audited", about, OPTIONS);
}
