/** Ends the command if a function of the user blocks its thread past a limit, because no timer can fire. */
import { closeSync } from "node:fs";
import { type PlanGraph, RunError } from "../node.js";
import type { Limits, Outcome } from "../types.js";
import type { Source } from "../terminal/diagnostics.js";
import { onBlocked } from "./blocked-thread.js";
import { markDone } from "./exit-guard.js";
import { writeEmptyReport } from "./empty-report.js";
import { failureLines } from "./failure-report.js";
import { overdueCall, setNodeLimits } from "./host-calls.js";
import { renderOptions, type Io } from "./io.js";

/** Most loops end by themselves. */
const GRACE_MS = 1000;

export function endOverdueCalls(
  plan: { graph: PlanGraph; source: Source },
  limits: Limits | undefined,
  io: Io,
  isJson: boolean,
): void {
  setNodeLimits(limitsOf(plan.graph, limits));
  onBlocked(() => {
    const overdue = overdueCall(GRACE_MS);
    if (overdue === null) return;
    const { call, limitMs } = overdue;
    const message = `${call.what} blocks the thread past its time limit of ${limitMs} ms, so the command ends`;
    const node = call.node === null ? {} : { node: call.node };
    const outcome = { type: "failed", code: "node/timeout", message, ...node } as const;
    if (isJson) writeEmptyReport(outcome, [], io);
    else printFailure(outcome, plan, io);
    markDone();
    // Otherwise Node writes that it waits for a debugger.
    closeSync(2);
    process.exit(1);
  });
}

function printFailure(
  outcome: Extract<Outcome, { type: "failed" }>,
  { graph, source }: { graph: PlanGraph; source: Source },
  io: Io,
): void {
  const at = graph.nodes.findIndex(({ id }) => id === outcome.node);
  const error = new RunError(outcome, at < 0 ? null : graph.placeOf(at));
  const options = renderOptions(io.err, io);
  io.err.write(`${failureLines(outcome, [], options, graph, { error, source }).join("\n")}\n`);
}

/** Each call also has the run's limit. */
function limitsOf(graph: PlanGraph, limits: Limits | undefined): (node: string | null) => number {
  const plan = graph.toJSON() as { limits?: { timeout_ms?: unknown } | null };
  const run = limits?.timeout_ms ?? plan.limits?.timeout_ms;
  const nodes = new Map<string, number>();
  collect(plan, nodes);
  return (node) => Math.min(amount(run), (node === null ? undefined : nodes.get(node)) ?? Infinity);
}

/** Nested nodes may share an id: the longest limit counts. */
function collect(graph: unknown, into: Map<string, number>): void {
  if (typeof graph !== "object" || graph === null) return;
  for (const [key, value] of Object.entries(graph)) {
    collect(value, into);
    if (key !== "nodes" || typeof value !== "object" || value === null) continue;
    for (const [name, node] of Object.entries(value) as [string, { id?: unknown; timeout_ms?: unknown } | null][]) {
      const id = String(node?.id ?? name);
      into.set(id, Math.max(into.get(id) ?? 0, amount(node?.timeout_ms)));
    }
  }
}

function amount(value: unknown): number {
  return typeof value === "number" ? value : Infinity;
}
