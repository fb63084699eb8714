/** Makes a report fit a size limit: omits values that a replay restores, and names them in `leftOut`. */
import type { Report } from "stepgraph";

/** In this order. */
const OMITTED_FIRST = [{ trace: [] }, { partial: {} }, { outputs: {} }, { last: null }] as const;

const encoder = new TextEncoder();

/** @internal */
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
