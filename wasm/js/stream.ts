/** A run as a stream of its events. */
import type { PlanGraph } from "./graph.js";
import { deferred, run } from "./run.js";
import type { Report, RunOptions, TraceEvent } from "./types.js";

/** The events of a run as they happen; `report` settles with the run. Leaving the loop early cancels it. */
export interface RunStream extends AsyncIterable<TraceEvent> {
  readonly report: Promise<Report>;
}

/**
 * Runs a plan and gives its events as they happen.
 *
 * @example
 * for await (const event of run.stream(graph, options)) console.log(event.type);
 */
export function stream(graph: PlanGraph, options: RunOptions = {}): RunStream {
  const queue: TraceEvent[] = [];
  let more = deferred<void>();
  let ended = false;
  const leave = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, leave.signal]) : leave.signal;
  const onEvent = (event: TraceEvent) => {
    queue.push(event);
    options.onEvent?.(event);
    more.resolve();
  };
  const report = run(graph, { ...options, signal, onEvent });
  const end = () => {
    ended = true;
    more.resolve();
  };
  report.then(end, end);
  async function* events(): AsyncGenerator<TraceEvent> {
    try {
      for (;;) {
        while (queue.length > 0) yield queue.shift()!;
        if (ended) break;
        await more.promise;
        more = deferred<void>();
      }
      // A run that could not be driven says why to whoever listens.
      await report;
    } finally {
      leave.abort();
    }
  }
  return { report, [Symbol.asyncIterator]: events };
}
