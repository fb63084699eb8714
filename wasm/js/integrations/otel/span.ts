/**
 * Interface of spans and their backends.
 *
 * Invariants: a span ends once, never changes afterwards, and never ends before its start.
 */
import type { SpanContext } from "./span-context.js";
import type { Attributes, TelemetryStats } from "./types.js";

/** Span kinds, with OTLP's numbers: `CLIENT` for calls to other services. */
export const INTERNAL = 1;
export const CLIENT = 3;

export interface SpanStart {
  name: string;
  kind: typeof INTERNAL | typeof CLIENT;
  /** Milliseconds since the epoch. */
  startMs: number;
  parent: Span | SpanContext | undefined;
  attributes: Attributes;
  links?: readonly SpanContext[];
}

export interface Span {
  readonly context: SpanContext;
  set(attributes: Attributes): void;
  event(name: string, ms: number, attributes: Attributes): void;
  /** Sets the status to error. */
  fail(message: string | undefined): void;
  end(ms: number): void;
  /** Runs `call` with this span as the active one. */
  within<T>(call: () => T): T;
}

export interface SpanBackend {
  start(start: SpanStart): Span;
  /** Default of the option `propagate`. */
  readonly propagate: "all" | "meta";
  readonly stats: TelemetryStats;
  /** A run has ended: exports its spans without delay. */
  exportSoon(): void;
  flush(): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

export function isSpan(parent: Span | SpanContext): parent is Span {
  return "within" in parent;
}
