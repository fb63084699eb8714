/** Says once which parts of a request can't be planned, why, and what the user can do. */
import type { AuthorResult } from "stepgraph/web";
import { readSigns } from "../../../wasm/js/request-review/demand-signs.js";
import { normalize } from "../../../wasm/js/request-review/normalize.js";
import { clauses } from "../../../wasm/js/request-review/sentences.js";
import { lang } from "../connect/page-connections.js";
import { engineMessage } from "../engine-messages.js";
import { h, type Child } from "./dom.js";
import { t, type MessageKey } from "./i18n.js";
import { plannerText } from "./planner-messages.js";

type Refusal = Exclude<AuthorResult, { status: "planned" | "unfinished" }>;

/** The engine's own advice repeats the missing part. */
const ENGINE_ADVICE = /^connect a server (?:with a tool for this:|whose tools can do it)/;

/** Whether other tools would not help, because the demo model writes little more than sequences of calls. */
export function isBeyondDemo({ missing_capabilities: missing }: Refusal): boolean {
  return missing.length > 0 && missing.every((text) => structure(text) !== null);
}

/** Whether the demo model can't plan a part of `request`, because it writes only sequences of calls. */
export function hasStructure(request: string): boolean {
  return clauses(request).some((text) => structure(text) !== null);
}

/** `isDemo` if the demo model planned. */
export function explainRefusal(result: Refusal, request: string, isDemo: boolean): Child[] {
  const { missing_capabilities: missing, alternatives, errors, message } = result;
  const parts = missing.map((text) => ownWords(text, request));
  const reasons = parts.map((text) => (isDemo ? structure(text) : null));
  const advice: MessageKey[] = [];
  if (reasons.some((reason) => reason !== null)) advice.push("demoPlansChoice");
  if (reasons.some((reason) => reason === null)) advice.push("connectTools");
  const other = alternatives.map(String).filter((one) => !ENGINE_ADVICE.test(one));
  return [
    missing.length === 0 && h("p", {}, plannerText(message)),
    missing.length > 0 &&
      h(
        "ul",
        { class: "missing-list" },
        parts.map((text, at) => h("li", {}, `${text} → `, h("strong", {}, t(reasons[at] ?? "unmetTool")))),
      ),
    missing.length > 0 && advice.map((word) => h("p", {}, t(word))),
    other.length > 0 &&
      h(
        "ul",
        {},
        other.map((one) => h("li", { class: "faint" }, plannerText(one))),
      ),
    errors.length > 0 &&
      h(
        "ul",
        {},
        errors.map(({ code, message: what }) =>
          h("li", {}, h("code", {}, code), " ", engineMessage(lang(), code, what)),
        ),
      ),
  ];
}

/** Planners name values by their kinds: "a city" instead of "Oslo". */
function ownWords(missing: string, request: string): string {
  const wanted = words(missing);
  const scored = clauses(request).map((text) => {
    const own = new Set(words(text));
    return { text, score: wanted.filter((word) => own.has(word)).length / Math.max(wanted.length, 1) };
  });
  const best = scored.sort((one, other) => other.score - one.score)[0];
  return best !== undefined && best.score >= 0.5 ? best.text : missing;
}

function words(text: string): string[] {
  return normalize(text).match(/[\p{L}\d@.-]+/gu) ?? [];
}

function structure(clause: string): MessageKey | null {
  const signs = readSigns(clause);
  if (signs === null) return null;
  if (signs.condition) return "needsCondition";
  if (signs.each || signs.loop) return "needsLoop";
  if (signs.schedule) return "unmetSchedule";
  if (signs.wait) return "needsWait";
  return signs.parallel ? "needsParallel" : null;
}
