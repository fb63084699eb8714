/**
 * A report that fits what its host can take.
 *
 * Decides what is left out first: what can be had again by a replay of the journal, where everything stands. Invariant:
 * how the run ended is never left out, and what is left out is named.
 */
import type { Report } from "stepgraph";

/** What is left out, in this order, and what stands in its place. */
const OMITTED_FIRST = [{ trace: [] }, { partial: {} }, { outputs: {} }, { last: null }] as const;

const encoder = new TextEncoder();

/** @internal The report as JSON of so many bytes at the most; `leftOut` names what would have been too much. */
export function fitReport(report: Report, maxBytes: number): unknown {
  let json = report.toJSON() as Record<string, unknown>;
  const leftOut: string[] = [];
  for (const part of OMITTED_FIRST) {
    if (jsonBytes(json) <= maxBytes) break;
    leftOut.push(...Object.keys(part));
    json = { ...json, ...part, leftOut };
  }
  return json;
}

function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) ?? "";
  return encoder.encode(text).length;
}
