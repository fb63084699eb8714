/** Runs the planners. Invariant: calls wait until {@link PlanningCallbacks.confirmCalls} resolves with true. */
import type { Approval, AuthorResult, Decision, PlanGraph, Report, ToolPlan, TraceEvent } from "stepgraph/web";
import { connections } from "../connect/page-connections.js";
import { demandsOf, type Demand } from "../../../wasm/js/request-review/demands.js";
import { extraNodes, type ExtraNodes } from "../../../wasm/js/request-review/extra-nodes.js";
import { engine } from "../connect/engine.js";
import { callsAsPlan, reviewFlow, printPlan } from "../connect/planner-output.js";
import { t } from "./i18n.js";
import { failureText } from "./planner-messages.js";
import { missingContext } from "./stage-summary.js";

export type PlannerMode = "author" | "gather";

export interface PlanningCallbacks {
  /** The planner's own plan, before its run. */
  flow: (source: string) => void;
  event: (event: TraceEvent) => void;
  /** Whether to answer a request for which the model planned no calls. */
  answersWithoutCalls: boolean;
  /** `text` is the planned calls as a plan. */
  confirmCalls: (text: string, plan: ToolPlan) => Promise<boolean>;
  requestApproval: (approval: Approval) => Promise<Decision>;
}

export interface PlanCallbacks extends Pick<PlanningCallbacks, "event"> {
  requestApproval: (approval: Approval, graph: PlanGraph) => Promise<Decision>;
}

export type PlanningResult =
  | {
      type: "plan";
      text: string;
      demands: Demand[];
      extras: ExtraNodes;
      result: Extract<AuthorResult, { status: "planned" }>;
    }
  | { type: "not"; result: Exclude<AuthorResult, { status: "planned" | "unfinished" }> }
  /** Without calls, `text` is empty. */
  | { type: "answer"; answer: string; text: string }
  | { type: "uncalled" }
  | { type: "missing-context"; names: string[] }
  | { type: "refused"; text: string }
  | { type: "failed"; message: string }
  | { type: "stopped" };

/** `partial` plans only the possible part. */
export async function writePlan(
  request: string,
  partial: boolean,
  callbacks: PlanningCallbacks,
  signal: AbortSignal,
): Promise<PlanningResult> {
  const package_ = await engine();
  const { flows } = package_;
  callbacks.flow(flows.author.source);
  const available = await connections().toolsAndModels();
  const result = await flows.author(
    { user_input: request, ...(partial && { partial: "continue" as const }) },
    { ...available, signal, onEvent: callbacks.event },
  );
  if (result.status === "unfinished") return failedPlanning(result.outcome);
  if (result.status !== "planned") return { type: "not", result };
  const found = result.report.outputs.requirements_result as { steps?: unknown } | undefined;
  const steps = Array.isArray(found?.steps) ? found.steps.map(String) : [];
  const tools = connections().tools();
  const demands = demandsOf(request, result, tools, partial ? result.missing_capabilities : []);
  return {
    type: "plan",
    result,
    demands,
    extras: extraNodes(request, result, tools, demands),
    text: printPlan(package_, request, result, steps, { head: t("headPlan"), steps: t("headSteps") }),
  };
}

/** Calls need confirmation. Without calls there is nothing to confirm. */
export async function gatherAnswer(
  request: string,
  context: Record<string, unknown>,
  callbacks: PlanningCallbacks,
  signal: AbortSignal,
): Promise<PlanningResult> {
  const package_ = await engine();
  const { source } = reviewFlow(package_);
  callbacks.flow(source);
  const { graph } = package_.PlanGraph.parse(source);
  if (!graph?.valid) return { type: "failed", message: source };
  let text = "";
  let refused = false;
  let uncalled = false;
  const onApproval = async (approval: Approval): Promise<Decision> => {
    if (approval.node !== "review") return callbacks.requestApproval(approval);
    const plan = approval.input as ToolPlan;
    uncalled = plan.tool_calls.length === 0;
    if (uncalled) return callbacks.answersWithoutCalls ? "approved" : "rejected";
    text = callsAsPlan(package_, request, plan, plan.needs_context, { head: t("headCalls") });
    refused = !(await callbacks.confirmCalls(text, plan));
    return refused ? "rejected" : "approved";
  };
  const report: Report = await package_.run(graph, {
    ...(await connections().toolsAndModels()),
    input: request,
    context,
    signal,
    onApproval,
    onEvent: callbacks.event,
  });
  graph.free();
  if (report.outcome.type !== "completed") return failedPlanning(report.outcome);
  if (uncalled && !callbacks.answersWithoutCalls) return { type: "uncalled" };
  if (refused) return { type: "refused", text };
  const missing = missingContext(report.last);
  if (missing !== null) return { type: "missing-context", names: missing };
  if (report.path.at(-1) === "no_plan")
    return { type: "failed", message: String((report.last as { message?: unknown }).message) };
  return { type: "answer", answer: String(report.last), text };
}

function failedPlanning({
  type,
  code = "",
  message,
}: {
  type: string;
  code?: string;
  message?: string;
}): PlanningResult {
  if (type === "cancelled") return { type: "stopped" };
  return { type: "failed", message: message ? failureText(code, message) : type };
}

/** Null if the plan is invalid. */
export async function runPlan(
  text: string,
  callbacks: PlanCallbacks,
  context: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Report | null> {
  const { PlanGraph, run } = await engine();
  const { graph } = PlanGraph.parse(text);
  if (!graph?.valid) return null;
  const report = await run(graph, {
    ...(await connections().toolsAndModels()),
    context,
    signal,
    onApproval: (approval) => callbacks.requestApproval(approval, graph),
    onEvent: callbacks.event,
  });
  graph.free();
  return report;
}
