/**
 * Converts a run's events as they happen. Closing the result cancels the run at once, also while it waits for a model.
 */
import { internals } from "stepgraph";
import type { CallUpdate, Report, TraceEvent } from "stepgraph";
import type { RunEvents } from "./events.js";

export interface Converter<Out> {
  start(): Out[];
  event(event: TraceEvent | CallUpdate): Out[];
  /** Absent for a stored trace. */
  end(report: Report | undefined): Out[];
  /** The run's stream threw. */
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
    // The generator would first wait for its event.
    return: async () => {
      await close();
      return inner.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

export function assertEvents(of: string, events: RunEvents): void {
  const given = Object(events) as object;
  if (typeof events !== "object" || !(Symbol.asyncIterator in given || Symbol.iterator in given))
    internals.assertKind(of, "events", events, ".next");
}
