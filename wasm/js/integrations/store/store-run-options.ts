/** Options of a run in a store. */
import type { Kinds } from "../../options.js";
import { DURABLE, type DurableOptions } from "../durable/options.js";

/** Options of a run in a store: those of a durable run, and these. */
export type StoreRunOptions = Omit<DurableOptions, "runId"> & {
  /** A known run continues, and needs no `input`. Default: a new id. */
  runId?: string;
  /** If there is no other work, `pause` (default) ends as `paused`, and `wait` waits for decisions. */
  approvals?: "pause" | "wait";
  /** Takes a run from another process at once. */
  takeOver?: boolean;
  /** Ends this call as `cancelled`, or as `paused` if an approval is open. The next `run` continues the run. */
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
