/**
 * What a span is to whoever watches a run, whatever becomes of it: a receiver's or the host's own.
 *
 * Invariants: ended once; after that nothing changes; a span ends no earlier than it begins.
 */
import type { Place } from "./span-context.js";
import type { Attributes, TelemetryStats } from "./types.js";

/** `INTERNAL` is what happens here, `CLIENT` what somebody else is asked for. The numbers are those of OTLP. */
export const INTERNAL = 1;
export const CLIENT = 3;

/** How a span begins. */
export interface Begin {
  name: string;
  kind: typeof INTERNAL | typeof CLIENT;
  /** Milliseconds since the epoch. */
  startMs: number;
  parent: Span | Place | undefined;
  attributes: Attributes;
  links?: readonly Place[];
}

/** A span under way. */
export interface Span {
  readonly place: Place;
  set(attributes: Attributes): void;
  event(name: string, ms: number, attributes: Attributes): void;
  /** It failed: sets the status. */
  fail(message: string | undefined): void;
  end(ms: number): void;
  /** Calls what belongs to it. */
  within<T>(call: () => T): T;
}

/** What makes spans, and sees to it that they get somewhere. */
export interface Sink {
  begin(how: Begin): Span;
  /** What goes out with calls unless the host says otherwise. */
  readonly propagate: "all" | "meta";
  readonly stats: TelemetryStats;
  /** A run is over: no need to wait for more. */
  hurry(): void;
  flush(): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

/** Whether a parent is one of ours. */
export function isSpan(parent: Span | Place): parent is Span {
  return "within" in parent;
}
