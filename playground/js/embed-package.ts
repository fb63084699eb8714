/**
 * `stepgraph/embed`: defines `<stepgraph-plan>`, with Stepgraph's page inside the package.
 *
 * The page is in two modules, so bundlers and networks of files need no settings for it. Each loads when an element
 * shows a plan.
 */
import bootScript from "embed:frame-boot";
import { definePlanElement, StepgraphPlan } from "./plan-element.js";

export { StepgraphPlan } from "./plan-element.js";
export type { PlanErrorDetail, PlanSelectDetail } from "./plan-element.js";

StepgraphPlan.memoryPage = {
  boot: bootScript,
  // @ts-expect-error The build makes both files next to this script.
  parts: [() => import("./page.js"), () => import("./rest.js")],
};
definePlanElement();
