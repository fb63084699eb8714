/** Options of a durable run. */
import { internals, type RunOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { ResultStore } from "./journal-entry.js";

/** Options of `runDurable`: most of `run`, and these. */
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
   * The journal (`plan`, default) or the engine (`host`) retries and times out calls by the plan's rules. A run
   * keeps its first setting.
   */
  retries?: "plan" | "host";
  /**
   * Bytes of JSON. Default unlimited. If `store` is missing, a larger result fails its call with
   * `durable/result-too-large`.
   */
  maxResultBytes?: number;
  /** For results above `maxResultBytes`. */
  store?: ResultStore;
  /**
   * `proved` moves a run to a newer plan of the list if a comparison proves that. Otherwise the run needs its own plan.
   * If the run is on an engine such as Restate, it must begin with this option, and moves when a decision arrives or a
   * timer ends.
   */
  acceptChangedPlan?: "proved";
  /** Milliseconds since the epoch, recorded when a call is answered. */
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

/** Replacements for options of `run`. */
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
