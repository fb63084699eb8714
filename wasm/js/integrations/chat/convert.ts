/**
 * Converts the events of a run while they happen.
 *
 * Invariant: closing the result closes the run's stream at once, also while the run waits for a model. The stream then
 * cancels the run.
 */
import { internals } from "stepgraph";
import type { CallUpdate, Report, TraceEvent } from "stepgraph";
import type { RunEvents } from "./events.js";

/** Converts one event at a time. It neither waits nor reads a clock. */
export interface Converter<Out> {
  start(): Out[];
  event(event: TraceEvent | CallUpdate): Out[];
  /** The report is absent if a stored trace is converted. */
  end(report: Report | undefined): Out[];
  /** The run's stream threw an error. */
  fail(failure: { code: string; message: string }): Out[];
}

type Source = AsyncIterator<TraceEvent | CallUpdate> | Iterator<TraceEvent | CallUpdate>;

export function convert<Out>(events: RunEvents, converter: Converter<Out>): AsyncIterableIterator<Out> {
  const source: Source = Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  let closed = false;
  const close = async () => {
    closed = true;
    await source.return?.();
  };
  async function* outputs(): AsyncGenerator<Out> {
    try {
      yield* converter.start();
      for (;;) {
        const step = await source.next();
        if (closed) return;
        if (step.done === true) break;
        yield* converter.event(step.value);
      }
      yield* converter.end(await events.report);
    } catch (error) {
      if (closed) return;
      await close();
      yield* converter.fail(internals.toFailure(error, "run/failed"));
      throw error;
    }
  }
  const inner = outputs();
  return {
    next: () => inner.next(),
    // The generator would first wait for the event that it is waiting for.
    return: async () => {
      await close();
      return inner.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Refuses values that are no events of a run. */
export function assertEvents(of: string, events: RunEvents): void {
  const given = Object(events) as object;
  if (typeof events !== "object" || !(Symbol.asyncIterator in given || Symbol.iterator in given))
    internals.assertKind(of, "events", events, ".next");
}
