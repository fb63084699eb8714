/** Interface of spans and their backends. A span ends once, never before its start. */
import type { SpanContext } from "./span-context.js";
import type { Attributes, TelemetryStats } from "./types.js";

/** OTLP's numbers: `CLIENT` for calls to other services. */
export const INTERNAL = 1;
export const CLIENT = 3;

export interface SpanStart {
  name: string;
  kind: typeof INTERNAL | typeof CLIENT;
  /** Since the epoch. */
  startMs: number;
  parent: Span | SpanContext | undefined;
  attributes: Attributes;
  links?: readonly SpanContext[];
}

export interface Span {
  readonly context: SpanContext;
  set(attributes: Attributes): void;
  event(name: string, ms: number, attributes: Attributes): void;
  fail(message: string | undefined): void;
  end(ms: number): void;
  within<T>(call: () => T): T;
}

export interface SpanBackend {
  start(start: SpanStart): Span;
  /** Value of the option. */
  readonly propagate: "all" | "meta";
  readonly stats: TelemetryStats;
  exportSoon(): void;
  flush(): Promise<void>;
  close(timeoutMs: number): Promise<void>;
}

export function isSpan(parent: Span | SpanContext): parent is Span {
  return "within" in parent;
}
