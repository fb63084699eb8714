/**
 * What a span is to whoever watches a run, whatever becomes of it: a receiver's or the host's own.
 *
 * Invariants: ended once; after that nothing changes; a span ends no earlier than it begins.
 */
import type { SpanContext } from "./span-context.js";
import type { Attributes, TelemetryStats } from "./types.js";

/** `INTERNAL` is what happens here, `CLIENT` what somebody else is asked for. The numbers are those of OTLP. */
export const INTERNAL = 1;
export const CLIENT = 3;

/** How a span begins. */
export interface SpanStart {
  name: string;
  kind: typeof INTERNAL | typeof CLIENT;
  /** Milliseconds since the epoch. */
  startMs: number;
  parent: Span | SpanContext | undefined;
  attributes: Attributes;
  links?: readonly SpanContext[];
}

/** A span under way. */
export interface Span {
  readonly context: SpanContext;
  set(attributes: Attributes): void;
  event(name: string, ms: number, attributes: Attributes): void;
  /** It failed: sets the status. */
  fail(message: string | undefined): void;
  end(ms: number): void;
  /** Calls what belongs to it. */
  within<T>(call: () => T): T;
}

/** What makes spans, and sees to it that they get somewhere. */
export interface SpanBackend {
  start(start: SpanStart): Span;
  /** What goes out with calls unless the host says otherwise. */
  readonly propagate: "all" | "meta";
  readonly stats: TelemetryStats;
  /** A run is over: no need to wait for more. */
  exportSoon(): void;
  flush(): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

/** Whether a parent is one of ours. */
export function isSpan(parent: Span | SpanContext): parent is Span {
  return "within" in parent;
}
