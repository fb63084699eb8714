/** Defines `<stepgraph-plan>` for sites that serve the page, one folder above. */
import { definePlanElement, StepgraphPlan } from "./plan-element.js";

export { dedent, StepgraphPlan } from "./plan-element.js";

StepgraphPlan.defaultPage = new URL("../", import.meta.url).href;
definePlanElement();
