/**
 * `stepgraph/embed`: defines `<stepgraph-plan>` with a packaged page.
 *
 * Two modules hold the page, so bundlers need no settings. An element loads them to show a plan.
 */
import bootScript from "embed:frame-boot";
import { definePlanElement, StepgraphPlan } from "./plan-element.js";

export { StepgraphPlan } from "./plan-element.js";
export type { PlanErrorDetail, PlanSelectDetail } from "./plan-element.js";

StepgraphPlan.memoryPage = {
  boot: bootScript,
  // @ts-expect-error The build makes both files.
  parts: [() => import("./page.js"), () => import("./rest.js")],
};
definePlanElement();
