/** Lists a run's tools, and prepares the run with them. */
import { PlanError } from "./errors.js";
import { toolClients } from "./function-tools.js";
import type { PlanGraph } from "./graph.js";
import { listTools, withoutChangedTools } from "./host-clients.js";
import { toFailure } from "./host.js";
import type { RunHistory } from "./later.js";
import { prepare, type PreparedRun, type RejectedRun, rejectRun } from "./prepare-run.js";
import type { RunOptions } from "./types.js";

export async function prepareWithTools(
  graph: PlanGraph,
  options: RunOptions,
  history?: RunHistory,
): Promise<PreparedRun | RejectedRun> {
  try {
    const listed = await listTools(toolClients(options.tools)!, options, timeLimit(graph, options));
    return prepare(graph, options, withoutChangedTools(listed, options.snapshot), history);
  } catch (error) {
    if (error instanceof PlanError) throw error;
    if (options.signal?.aborted) return rejectRun(graph, options, { type: "cancelled" });
    return rejectRun(graph, options, { type: "failed", ...toFailure(error, "tool/unreachable") }, [], { cause: error });
  }
}

const timeLimits = new WeakMap<PlanGraph, number | undefined>();

/** The host's limit overrides the plan's. */
function timeLimit(graph: PlanGraph, { limits }: RunOptions): number | undefined {
  if (limits?.timeout_ms !== undefined) return limits.timeout_ms;
  if (!timeLimits.has(graph)) {
    const own = (graph.toJSON() as { limits?: { timeout_ms?: unknown } | null }).limits?.timeout_ms;
    timeLimits.set(graph, typeof own === "number" ? own : undefined);
  }
  return timeLimits.get(graph);
}
