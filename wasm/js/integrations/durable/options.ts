/** What a durable run is given by its host. */
import { internals, type RunOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { ResultStore } from "./journal-entry.js";

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
  | "planHash"
  | "runId"
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

const { signal, onApproval, decisions, onCall, clock, stubs, record, replay, key, acceptChangedPlan, ...SHARED } =
  internals.runKinds;
/** @internal The kinds of all. */
export const DURABLE: Kinds<DurableOptions> = {
  ...SHARED,
  retries: "=plan|=host",
  maxResultBytes: "amount",
  store: ".put.get",
  now: "function",
};

/** What `run` takes and has another way here. */
const ALTERNATIVES: Record<Exclude<keyof RunOptions, keyof DurableOptions>, string> = {
  signal: "cancel the run by its journal",
  onApproval: "the journal asks a person",
  decisions: "the journal says what was decided",
  onCall: "the journal's `begin` sees every call before it is made",
  clock: "give `now`; timers are the journal's",
  stubs: "a journal is of real calls; give handlers, tools and models that stand in for them",
  record: "the journal is the record; `audited` leaves it out with `cassette: false`",
  replay: "a run on its journal is replayed as it is",
  key: "give it to the journal",
  acceptChangedPlan: "give the plans that runs may have begun with: `runDurable([plan, older], …)`",
};

/** @internal Refuses what a durable run would not heed. */
export function assertDurable<T extends DurableOptions = DurableOptions>(
  options: T,
  of = "runDurable",
  known: Kinds<T> = DURABLE as Kinds<T>,
): void {
  internals.assertOptions(of, options, known, ALTERNATIVES);
  internals.assertLimits(options.limits, of);
}
