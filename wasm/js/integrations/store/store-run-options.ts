/** Options of a run in a store. */
import type { Kinds } from "../../options.js";
import { DURABLE, type DurableOptions } from "../durable/options.js";

/** Options of a run in a store: those of a durable run, and these. */
export type StoreRunOptions = Omit<DurableOptions, "runId"> & {
  /** The run's id. A known run continues, and needs no `input`. Default: a new one. */
  runId?: string;
  /** `pause` (default) ends with the outcome `paused` if only decisions are missing. `wait` waits for them. */
  approvals?: "pause" | "wait";
  /** Takes a run from a process that may still have it, without waiting for its lease to end. */
  takeOver?: boolean;
  /**
   * Aborting it ends this call with the outcome `cancelled`, or `paused` if an approval is open. The run itself is then
   * `interrupted`: the next `run` continues it.
   */
  signal?: AbortSignal;
};

/** @internal */
export const RUN_OPTIONS: Kinds<StoreRunOptions> = {
  ...DURABLE,
  approvals: "=pause|=wait",
  takeOver: "flag",
  signal: "signal",
  // SQLite drivers end the process on NUL.
  runId: "place",
};
