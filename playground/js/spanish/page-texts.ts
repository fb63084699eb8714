/** What only the Spanish page needs: its texts, in the order of the page's module, and a first visit's plan. */
import plan from "../../welcome/triage.es.yaml";
import stubs from "../../welcome/triage.es.stubs.yaml";
import list from "./texts.json" with { type: "json" };

/** Each after a NUL. */
export const texts = [...list, plan, stubs].map((text) => `\0${text}`).join("");
