/**
 * Span contexts and their text form.
 *
 * Source: W3C Trace Context level 1, section 3.2: later versions may add fields after the flags, and version `ff` is
 * invalid. Level 2 makes the last 56 bits of a trace id random, which sampling uses.
 */
import type { TraceContext } from "./types.js";

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  /** Other vendors' `tracestate`. */
  readonly state: string;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Longer values are dropped. */
const MAX_TRACESTATE = 512;

/** Undefined for an invalid `traceparent`. */
export function parseTraceContext(given: string | TraceContext): SpanContext | undefined {
  const { traceparent, tracestate = "" } = typeof given === "string" ? { traceparent: given } : given;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(String(traceparent).trim()) ?? [];
  if (traceId === undefined || (version === "00" && more !== undefined)) return undefined;
  const state =
    typeof tracestate === "string" && tracestate.length <= MAX_TRACESTATE && /^[\x20-\x7e]*$/.test(tracestate)
      ? tracestate
      : "";
  return { traceId, spanId: spanId!, sampled: (parseInt(flags!, 16) & 1) === 1, state };
}

export function formatTraceContext({ traceId, spanId, sampled, state }: SpanContext): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

/** The same trace gets the same result everywhere. */
export function isSampled(traceId: string, part: number): boolean {
  return parseInt(traceId.slice(-14), 16) / 2 ** 56 >= 1 - part;
}

export const randomIds = { traceId: () => hex(16), spanId: () => hex(8) };

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A request for each id would double a span's cost. */
const random = new Uint8Array(1024);
let used = random.length;

function hex(bytes: number): string {
  if (used + bytes > random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  let text = "";
  for (const end = used + bytes; used < end; used++) text += HEX[random[used]!];
  return /[^0]/.test(text) ? text : hex(bytes);
}
