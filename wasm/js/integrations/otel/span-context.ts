/**
 * Places in traces: ids, and the texts by which one process tells another.
 *
 * Decides what is a `traceparent` and whether a new trace is told. Source: W3C Trace Context (level 1), whose section
 * 3.2 has the format: versions above 00 may have more behind the flags, and `ff` is none. Ratios: the trace id's last
 * 56 bits are random, as level 2 says.
 */
import type { TraceContext } from "./types.js";

/** Where a span is. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  /** What other vendors want handed on, as it came. */
  readonly state: string;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** The longest `tracestate` that is handed on. */
const MAX_TRACESTATE = 512;

/** Reads a place; gives nothing when it is none. */
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

/** Writes a place. */
export function formatTraceContext({ traceId, spanId, sampled, state }: SpanContext): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

/** Whether a new trace is one of that part which is told: the same answer for one trace everywhere. */
export function isSampled(traceId: string, part: number): boolean {
  return parseInt(traceId.slice(-14), 16) / 2 ** 56 >= 1 - part;
}

/** Random ids. */
export const randomIds = { traceId: () => hex(16), spanId: () => hex(8) };

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Asking the platform for each id alone would cost as much as all else that a span costs. */
const random = new Uint8Array(1024);
let used = random.length;

function hex(bytes: number): string {
  if (used + bytes > random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  let text = "";
  for (const end = used + bytes; used < end; used++) text += HEX[random[used]!];
  // All zeros is no id.
  return /[^0]/.test(text) ? text : hex(bytes);
}
