/**
 * Compares a request with its plan, as the page does before a run: the planner may forget a sentence such as "wait for
 * my approval".
 */
import { type Demand, demandsOf, type UnmetReason } from "../request-review/demands.js";
import type { Authored } from "../flows.js";
import type { ToolInfo } from "../types.js";
import type { RenderOptions } from "../terminal/diagnostics.js";
import { clip, visible } from "../terminal/text.js";

export type { Demand } from "../request-review/demands.js";

const REASONS: Readonly<Record<UnmetReason, string>> = {
  unmet: "not in the plan",
  unmetApproval: "the approval is missing, or comes after the call",
  unmetAction: "no tool in the plan does this",
  unmetThought: "no model in the plan does this",
  unmetCondition: "happens without the condition",
  unmetLimit: "nothing in the plan limits it",
  unmetLoop: "happens only once",
  unmetSchedule: "a plan does not start by itself",
  unmetWait: "the plan does not wait",
  unmetParallel: "happens one after another",
  unmetValue: "a value of it is not in the plan",
  unmetProhibition: "the plan does it",
  unmetRecipient: "goes to someone else",
  unmetOrder: "happens in another order",
  unclear: "this could not be compared with the plan",
  unresolved: "the planner could not resolve this",
};

export interface DemandedPlan {
  request: string;
  workflow: unknown;
  params: Readonly<Record<string, unknown>>;
  result: Authored;
  tools: readonly ToolInfo[];
  /** The user agreed to plan a part. */
  isPartial: boolean;
}

/** The demands of a new plan. The planner's own `unresolved` has a place in the output already. */
export function plannedDemands({ request, workflow, params, result, tools, isPartial }: DemandedPlan): Demand[] {
  const { coverage, missing_capabilities: missing } = result;
  return demandsOf(request, { workflow, params, coverage }, tools, isPartial ? missing : []);
}

const SAFETY = new Set<UnmetReason | undefined>(["unmetApproval", "unmetProhibition"]);

/** For a known plan the planner says nothing of nodes, so only approvals and prohibitions are compared. */
export function knownDemands(plan: Omit<DemandedPlan, "isPartial">): Demand[] {
  const demands = plannedDemands({ ...plan, result: { ...plan.result, coverage: [] }, isPartial: false });
  return demands.filter(({ why }) => SAFETY.has(why));
}

/** A plan that leaves these out does more than the request says, or something else. Others do less. */
const CAUTIONS = new Set<UnmetReason | undefined>([
  ...SAFETY,
  "unmetCondition",
  "unmetLimit",
  "unmetWait",
  "unmetValue",
  "unmetRecipient",
  "unmetOrder",
]);

/** What keeps `--yes` from running the plan. */
export function blockingDemands(demands: readonly Demand[]): Demand[] {
  return demands.filter(({ why, isLeftOut }) => CAUTIONS.has(why) && !isLeftOut);
}

export function demandLines(demands: readonly Demand[], { style, columns }: RenderOptions): string[] {
  return demands
    .filter(({ why, isLeftOut }) => why !== undefined && !isLeftOut)
    .map(({ text, nodes, why }) => {
      const sign = CAUTIONS.has(why) ? style.red("✗") : style.yellow("!");
      const at = nodes.length > 0 ? ` (${nodes.join(", ")})` : "";
      const reason = `${REASONS[why!]}${visible(at)}`;
      return `${sign} "${clip(visible(text), Math.max(20, columns - reason.length - 6))}": ${reason}`;
    });
}
