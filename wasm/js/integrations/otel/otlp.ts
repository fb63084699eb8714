/**
 * Spans as OTLP JSON.
 *
 * Source: OpenTelemetry Protocol 1.9, in protobuf's JSON form, except that ids are hex digits and enums are numbers.
 * 64-bit integers are text. Invariant: the text is well-formed Unicode without NaN.
 */
import type { SpanContext } from "./span-context.js";
import { type SpanStart, isSpan, type Span } from "./span.js";
import type { Attributes, AttributeValue } from "./types.js";

/** The last release with conventions for models and MCP. */
const SCHEMA = "https://opentelemetry.io/schemas/1.41.1";
/** A test compares the package's version. */
export const VERSION = "0.1.0";
/** Doubles, even if integral. */
const DOUBLE_ATTRIBUTES = new Set(["gen_ai.request.temperature", "gen_ai.response.time_to_first_chunk"]);
/** Further events are counted. */
const MAX_EVENTS = 128;
const SAMPLED = 0x1;
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
const ERROR = 2;

/** An exported span. */
export class RecordingSpan implements Span {
  readonly context: SpanContext;
  readonly #parts: Record<string, unknown>;
  readonly #startMs: number;
  readonly #attributes: Attributes;
  readonly #events: unknown[] = [];
  #dropped = 0;
  #status: { code: number; message?: string } | undefined;
  #done: ((json: string) => void) | undefined;

  /** `done` receives it as JSON. */
  constructor(
    { name, kind, startMs, parent, attributes, links = [] }: SpanStart,
    context: SpanContext,
    done: (json: string) => void,
  ) {
    this.context = context;
    this.#startMs = startMs;
    this.#attributes = { ...attributes };
    this.#done = done;
    const above = parent && isSpan(parent) ? parent.context : parent;
    this.#parts = {
      traceId: context.traceId,
      spanId: context.spanId,
      ...(context.state !== "" && { traceState: context.state }),
      ...(above && { parentSpanId: above.spanId }),
      flags: SAMPLED | HAS_IS_REMOTE | (parent && !isSpan(parent) ? IS_REMOTE : 0),
      name: toWellFormed(name),
      kind,
      startTimeUnixNano: nanos(startMs),
      ...(links.length > 0 && { links: links.map(linkOf) }),
    };
  }

  set(attributes: Attributes): void {
    Object.assign(this.#attributes, attributes);
  }

  event(name: string, ms: number, attributes: Attributes): void {
    if (this.#events.length >= MAX_EVENTS) this.#dropped++;
    else
      this.#events.push({ timeUnixNano: nanos(ms), name: toWellFormed(name), attributes: toAttributeList(attributes) });
  }

  fail(message: string | undefined): void {
    this.#status = { code: ERROR, ...(message !== undefined && { message: toWellFormed(message) }) };
  }

  end(ms: number): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(
      JSON.stringify({
        ...this.#parts,
        endTimeUnixNano: nanos(Math.max(ms, this.#startMs)),
        attributes: toAttributeList(this.#attributes),
        ...(this.#events.length > 0 && { events: this.#events }),
        ...(this.#dropped > 0 && { droppedEventsCount: this.#dropped }),
        ...(this.#status && { status: this.#status }),
      }),
    );
  }

  within<T>(call: () => T): T {
    return call();
  }
}

/** Outside the sample, it only has a context to propagate. */
export class NonRecordingSpan implements Span {
  constructor(readonly context: SpanContext) {}
  set(): void {}
  event(): void {}
  fail(): void {}
  end(): void {}
  within<T>(call: () => T): T {
    return call();
  }
}

export function envelope(resource: Attributes): [before: string, after: string] {
  const scope = { name: "stepgraph", version: VERSION };
  const whole = {
    resourceSpans: [
      {
        resource: { attributes: toAttributeList(resource) },
        scopeSpans: [{ scope, schemaUrl: SCHEMA, spans: [0] }],
        schemaUrl: SCHEMA,
      },
    ],
  };
  const [before, after] = JSON.stringify(whole).split('"spans":[0]') as [string, string];
  return [`${before}"spans":[`, `]${after}`];
}

/** Loses no digit. */
function nanos(ms: number): string {
  const [seconds, rest] = secondsOf(ms);
  return seconds === 0 ? String(rest) : `${seconds}${String(rest).padStart(9, "0")}`;
}

/** Since the epoch. */
export function secondsOf(ms: number): [seconds: number, nanos: number] {
  const whole = Number.isFinite(ms) ? Math.max(Math.floor(ms), 0) : 0;
  const rest = Number.isFinite(ms) && ms > 0 ? Math.min(Math.round((ms - whole) * 1_000_000), 999_999) : 0;
  return [Math.floor(whole / 1000), (whole % 1000) * 1_000_000 + rest];
}

function linkOf({ traceId, spanId, state, sampled }: SpanContext): unknown {
  return {
    traceId,
    spanId,
    ...(state !== "" && { traceState: state }),
    flags: (sampled ? SAMPLED : 0) | HAS_IS_REMOTE | IS_REMOTE,
  };
}

function toAttributeList(attributes: Attributes): unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key: toWellFormed(key), value: toAttributeValue(key, value) }],
  );
}

function toAttributeValue(key: string, value: AttributeValue): unknown {
  if (typeof value === "string") return { stringValue: toWellFormed(value) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return numberOf(key, value);
  return { arrayValue: { values: value.map((one) => toAttributeValue(key, one)) } };
}

function numberOf(key: string, value: number): unknown {
  if (Number.isSafeInteger(value) && !DOUBLE_ATTRIBUTES.has(key)) return { intValue: String(value) };
  return Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) };
}

/** Receivers reject lone surrogates. */
function toWellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text;
}
