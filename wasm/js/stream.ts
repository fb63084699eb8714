/** Streams events of runs. */
import { assertDecisions } from "./assert-decisions.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { assertLimits, assertOptions, type Kinds, RUN, STORE_OPTIONS } from "./options.js";
import { randomId } from "./random-id.js";
import { run } from "./run.js";
import type { CallUpdate, PlanTypes, Report, RunOptions, TraceEvent } from "./types.js";

/** A run's events. Leaving the loop early cancels the run. */
export interface RunStream<Item = TraceEvent, T extends PlanTypes = PlanTypes> extends AsyncIterable<Item> {
  /** Settles at the run's end. */
  readonly report: Promise<Report<T>>;
  /** Default: random, or the snapshot's. */
  readonly runId: string;
  /** @internal Approvals of the snapshot, unknown for runs of a store. */
  readonly waiting?: readonly string[];
}

/** `updates` adds updates of open calls. */
export type StreamOptions = RunOptions & { updates?: boolean };

const OPTIONS: Kinds<StreamOptions> = { ...RUN, updates: "flag" };

/** @internal Users see `StreamFunction`. */
export function stream(graph: PlanGraph, given: StreamOptions = {}): RunStream<TraceEvent | CallUpdate> {
  assertPlan("run.stream", graph);
  assertOptions("run.stream", given, OPTIONS, STORE_OPTIONS);
  assertLimits(given.limits, "run.stream");
  assertDecisions(given, "run.stream");
  const { updates = false, ...options } = given;
  const { snapshot, store, runId = snapshot?.run ?? randomId() } = options;
  const queue: (TraceEvent | CallUpdate)[] = [];
  let more = deferred<void>();
  let ended = false;
  const leave = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, leave.signal]) : leave.signal;
  const onEvent = (event: TraceEvent) => {
    queue.push(event);
    more.resolve();
    return options.onEvent?.(event);
  };
  const onUpdate = (update: CallUpdate) => {
    queue.push(update);
    more.resolve();
    return options.onUpdate?.(update);
  };
  const report = run(graph, { ...options, runId, signal, onEvent, ...(updates && { onUpdate }) });
  const end = () => {
    ended = true;
    more.resolve();
  };
  report.then(end, end);
  async function* events(): AsyncGenerator<TraceEvent | CallUpdate> {
    try {
      for (;;) {
        while (queue.length > 0) yield queue.shift()!;
        if (ended) break;
        await more.promise;
        more = deferred<void>();
      }
      // Throws if the driver failed.
      await report;
    } finally {
      leave.abort();
    }
  }
  const waiting = store === undefined ? { waiting: Object.keys(snapshot?.asked ?? {}) } : {};
  return { report, runId, ...waiting, [Symbol.asyncIterator]: () => closable(events(), leave) };
}

/** A generator closes only after its pending event, which may take minutes. */
function closable<T>(events: AsyncGenerator<T>, leave: AbortController): AsyncIterableIterator<T> {
  return {
    next: () => events.next(),
    return: (value) => {
      leave.abort();
      return events.return(value);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
