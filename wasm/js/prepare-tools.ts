/** Lists a run's tools, and prepares the run with them. */
import { PlanError } from "./errors.js";
import type { PlanGraph } from "./graph.js";
import { listTools, withoutChangedTools } from "./host-clients.js";
import { toFailure } from "./host.js";
import type { RunHistory } from "./later.js";
import { loadFunctionTools } from "./later-tools.js";
import { limitOf } from "./plan-limits.js";
import { prepare, type PreparedRun, type RejectedRun, rejectRun } from "./prepare-run.js";
import { isToolList } from "./tool-sources.js";
import type { RunOptions } from "./types.js";

export async function prepareWithTools(
  graph: PlanGraph,
  options: RunOptions,
  history?: RunHistory,
): Promise<PreparedRun | RejectedRun> {
  try {
    const given = options.tools!;
    const clients = isToolList(given) ? given : (await loadFunctionTools()).toolClients(given)!;
    const listed = await listTools(clients, options, limitOf(graph, options, "timeout_ms"));
    return prepare(graph, options, withoutChangedTools(listed, options.snapshot), history);
  } catch (error) {
    if (error instanceof PlanError) throw error;
    if (options.signal?.aborted) return rejectRun(graph, options, { type: "cancelled" });
    return rejectRun(graph, options, { type: "failed", ...toFailure(error, "tool/unreachable") }, [], { cause: error });
  }
}
