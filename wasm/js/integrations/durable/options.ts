/** Options of a durable run. */
import { internals, type RunOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { ResultStore } from "./journal-entry.js";

/** Options of `runDurable`: those of `run`, except some that the journal replaces, and these. */
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
  | "lock"
  | "trace"
  | "snapshot"
  | "onEvent"
  | "onUpdate"
  | "planHash"
  | "runId"
> & {
  /**
   * Retries and timeouts of calls. `plan` (default): by the plan, with timers of the journal. `host`: by the engine,
   * with the plan's rules. A run keeps its first setting.
   */
  retries?: "plan" | "host";
  /**
   * Maximum size of a result in bytes of JSON. Default unlimited. If there is no `store`, a larger one fails its call
   * with `durable/result-too-large`.
   */
  maxResultBytes?: number;
  /** Storage for results above `maxResultBytes`. */
  store?: ResultStore;
  /**
   * `proved`: moves a run to a newer plan of the list, if a comparison proves that. Otherwise the run continues with its
   * own plan, if you passed that too. With an engine such as Restate, a run must begin with this option: it then moves
   * when a decision arrives or a timer ends.
   */
  acceptChangedPlan?: "proved";
  /** Milliseconds since the epoch. Called, and recorded, when a call is answered. */
  now?: () => number;
};

const { signal, onApproval, decisions, onCall, clock, stubs, record, replay, key, ...OTHERS } = internals.runKinds;
const { acceptChangedPlan: _accept, prices, ...SHARED } = OTHERS;
/** @internal */
export const DURABLE: Kinds<DurableOptions> = {
  ...SHARED,
  retries: "=plan|=host",
  acceptChangedPlan: "=proved",
  maxResultBytes: "amount",
  store: ".put.get",
  now: "function",
};


/** Options of `run` that a durable run replaces. */
const ALTERNATIVES: Record<Exclude<keyof RunOptions, keyof DurableOptions>, string> = {
  signal: "cancel the run by its journal",
  onApproval: "the journal requests approvals",
  decisions: "the journal returns the decisions",
  onCall: "use the journal's `begin`, which runs before every call",
  clock: "give `now`; timers are the journal's",
  prices: "give the models their prices: `models: priceModels(models, prices)`",
  stubs: "a journal records real calls; pass stubs as handlers, tools and models",
  record: "the journal is the record; `audited` leaves it out with `cassette: false`",
  replay: "a run on its journal is replayed as it is",
  key: "give it to the journal",
};

/** @internal Rejects options without effect. */
export function assertDurable<T extends DurableOptions = DurableOptions>(
  options: T,
  of = "runDurable",
  known: Kinds<T> = DURABLE as Kinds<T>,
): void {
  internals.assertOptions(of, options, known, ALTERNATIVES);
  internals.assertLimits(options.limits, of);
}
