/** What only the Spanish page needs: its texts, in the order of the page's module, and a first visit's plan. */
import plan from "../../welcome/triage.es.yaml";
import stubs from "../../welcome/triage.es.stubs.yaml";
import texts from "./texts.json" with { type: "json" };

/** A JSON list. */
const all = JSON.stringify([...texts, plan, stubs]);

export { all as texts };
