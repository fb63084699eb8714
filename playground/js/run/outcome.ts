/** Encodes outcomes for the page. */
import type { Diagnostic, Outcome, PlanGraph, Report } from "stepgraph/web";
import { truncate } from "./truncate.js";
import type { NodePaths } from "./node-paths.js";
import type { RunOutcome, Problem } from "./protocol.js";

export function toRunOutcome({ outcome, last, durationMs, counts, diagnostics }: Report, paths: NodePaths): RunOutcome {
  const problems = outcome.type === "failed" ? (outcome.diagnostics ?? []) : diagnostics;
  return {
    outcome: outcome.type,
    ...reasonOf(outcome, paths),
    last: truncate(last),
    ms: durationMs,
    steps: counts.steps,
    calls: counts.calls,
    retries: counts.retries,
    tokens: counts.tokens ?? null,
    problems: problems.map(toProblem),
  };
}

/** For a run that did not start. */
export function rejectedRun(code: string, message: string, diagnostics: readonly Diagnostic[] = []): RunOutcome {
  return {
    outcome: "failed",
    code,
    message,
    last: { text: "null" },
    ms: 0,
    steps: 0,
    calls: 0,
    retries: 0,
    tokens: null,
    problems: diagnostics.map(toProblem),
  };
}

function reasonOf(outcome: Outcome, paths: NodePaths): Pick<RunOutcome, "reason" | "code" | "message" | "nodePath"> {
  if (outcome.type === "completed") return { reason: outcome.reason };
  if (outcome.type !== "failed") return {};
  const { code, message, node, scope } = outcome;
  return { code, message, ...(node !== undefined && { nodePath: paths.nodePath(scope ?? "", node) }) };
}

function toProblem({ code, severity, message, help, target, span }: Diagnostic): Problem {
  const location =
    target.type === "node"
      ? target.node
      : target.type === "edge" || target.type === "condition"
        ? `${target.scope ? `${target.scope}/` : ""}#${target.edge}`
        : null;
  return { code, severity, message, help, location, start: span?.start ?? null, end: span?.end ?? null };
}

export function planStepLimit(graph: PlanGraph): number | null {
  const { limits } = graph.toJSON() as { limits?: { steps?: unknown } | null };
  return typeof limits?.steps === "number" ? limits.steps : null;
}
