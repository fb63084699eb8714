/**
 * Reports that JSON can't hold. Results are checked when they arrive, so a function has changed its input, or a value
 * that it had returned.
 */
import { jsonFlaw, notRun } from "../package-internals.js";
import type { PlanGraph } from "../node.js";
import type { Report } from "../types.js";

/** Returns the report, or a failed one in its place. `isWhole`: all of it will be written. */
export function writableReport(report: Report, graph: PlanGraph, isWhole: boolean): Report {
  const flaw = writingFlaw(isWhole ? report : { last: report.last, snapshot: report.snapshot });
  if (flaw === null) return report;
  const message = `the report can't be written as JSON: ${flaw}`;
  const failed = notRun(graph, { type: "failed", code: "handler/not-json", message }, null, report.diagnostics);
  const { path, counts, durationMs } = report;
  const own = { ...(failed.toJSON() as object), path, counts, durationMs };
  return { ...failed, ...own, toJSON: () => own };
}

function writingFlaw(parts: object): string | null {
  try {
    JSON.stringify(parts);
    return null;
  } catch (error) {
    return (
      jsonFlaw((parts as Partial<Report>).toJSON?.() ?? parts) ??
      String((error as Error | null)?.message ?? error).split("\n")[0]!
    );
  }
}
