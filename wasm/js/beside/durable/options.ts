/** What a durable run is given by its host. */
import type { RunOptions } from "stepgraph";
import type { ResultStore } from "./entry.js";

/** What a durable run is given: what `run` is given, but for what has its own way here. */
export type DurableOptions = Pick<
  RunOptions,
  | "input"
  | "outputs"
  | "memory"
  | "context"
  | "handlers"
  | "byId"
  | "tools"
  | "models"
  | "limits"
  | "allow"
  | "trace"
  | "snapshot"
  | "onEvent"
  | "onUpdate"
> & {
  /**
   * Who tries calls again and ends those that take too long: `plan`, unless given, whose waits are timers of the
   * journal; `host`, to which the steps tell what the plan says. A run keeps to what it began with.
   */
  retries?: "plan" | "host";
  /**
   * The largest result, in bytes of JSON, that fits the journal; unbounded unless given. A larger one fails its call
   * with `durable/result-too-large`.
   */
  maxResultBytes?: number;
  /** Where results that are larger than that are kept. */
  store?: ResultStore;
  /** Milliseconds since the epoch; read when a call is answered, and written down. */
  now?: () => number;
};
