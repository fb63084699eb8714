/** Defines `<stepgraph-plan>` for sites that serve Stepgraph's page. The page is one folder above this script. */
import { definePlanElement, StepgraphPlan } from "./plan-element.js";

export { dedent, StepgraphPlan } from "./plan-element.js";

StepgraphPlan.defaultPage = new URL("../", import.meta.url).href;
definePlanElement();
