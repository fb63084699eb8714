/** The running planner, as diagram and log. */
import type { TraceEvent } from "stepgraph/web";
import { setChildren, h } from "./dom.js";
import type { PageApi } from "./page-api.js";
import { missingContext, namedCalls, stageFindings } from "./stage-summary.js";
import { lang } from "../connect/page-connections.js";
import { engineMessage } from "../engine-messages.js";
import { decisionText, plannerText, stageName } from "./planner-messages.js";
import { valueText } from "./short-values.js";
import { drawThumbnail, type Thumbnail } from "./thumbnail.js";
import { t, type MessageKey } from "./i18n.js";

const LAST_STAGE = "result_preparation";

export interface PlanningView {
  page: PageApi;
  close: () => void;
  flow: HTMLElement;
  log: HTMLElement;
  outcome: HTMLElement;
  email: HTMLInputElement;
  box: HTMLTextAreaElement;
  thumbnail: Thumbnail | null;
  /** The user's names stay as they are. */
  isOwnPlan?: boolean;
  /** Locks the request during `work`, which Stop aborts. */
  whileBusy: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>;
}

export function showPlannerPlan(view: PlanningView, source: string): void {
  setChildren(view.log);
  const json = view.page.diagram(source);
  view.thumbnail = json === undefined ? null : drawThumbnail(json, t("picture", t("planner")), stageName);
  setChildren(view.flow, view.thumbnail?.element);
}

export function showEvent({ thumbnail, log, isOwnPlan = false }: PlanningView, event: TraceEvent): void {
  if (!("node" in event) || ("scope" in event && event.scope)) return;
  const { node } = event;
  if (event.type === "node-started" && !isOwnPlan)
    for (const [before, text] of stageFindings(node, event.input))
      lastLine(log, before)?.lastElementChild?.replaceChildren(plannerText(text));
  if (event.type === "node-started") thumbnail?.setStatus(node, "running");
  else if (event.type === "node-failed") thumbnail?.setStatus(node, "failed");
  else if (event.type === "edge-decided" && event.to !== null) thumbnail?.markTaken(event.from, event.to);
  else if (event.type === "node-completed") thumbnail?.setStatus(node, "done");
  if (event.type !== "node-completed" && event.type !== "node-failed") return;
  const summary =
    event.type === "node-failed"
      ? engineMessage(lang(), event.code, event.message)
      : outputSummary(event.output, isOwnPlan);
  log.append(
    h(
      "li",
      { class: event.type === "node-failed" ? "failed" : "done", "data-node": node },
      h("div", {}, isOwnPlan ? h("code", {}, node) : stageName(node), event.visit > 1 && ` ×${event.visit}`),
      h("span", {}, summary),
    ),
  );
  log.lastElementChild?.scrollIntoView({ block: "nearest" });
}

/** The planner's last step agrees with the review, which knows more than the planner. */
export function showVerdict(view: PlanningView, verdict: MessageKey, isGood: boolean): void {
  markStage(view, LAST_STAGE, isGood)?.lastElementChild?.replaceChildren(t(verdict));
}

/** The stages completed, but without a plan. */
export function showRefusal(view: PlanningView): void {
  showVerdict(view, "reviewNone", false);
  markStage(view, "planning", false);
}

/** There was nothing to approve. Without an answer, the request stays open. */
export function showUncalled(view: PlanningView, isAnswered: boolean): void {
  for (const stage of ["plan", "review"]) markStage(view, stage, isAnswered);
  lastLine(view.log, "review")?.lastElementChild?.replaceChildren(t("nothingToApprove"));
}

/** The planner's own diagram is `thumbnail` until the plan runs in a view of its own. */
export function markStage({ log, thumbnail }: PlanningView, stage: string, isGood: boolean): Element | undefined {
  const line = lastLine(log, stage);
  if (line !== undefined) line.className = isGood ? "done" : "open";
  thumbnail?.setStatus(stage, isGood ? "done" : "open");
  return line;
}

function lastLine(log: HTMLElement, node: string): Element | undefined {
  return [...log.children].findLast((line) => (line as HTMLElement).dataset.node === node);
}

function outputSummary(output: unknown, isOwnPlan: boolean): string {
  if (typeof output === "string") return isOwnPlan ? summarize(output) : decisionText(summarize(output));
  const missing = missingContext(output);
  if (missing !== null) return t("callsNeed", missing.join(", "));
  const calls = namedCalls(output);
  if (calls?.length === 0) return t("noneCalled");
  return calls === null
    ? summarize(output)
    : calls.map(({ name, failed }) => (failed ? t("callFailed", name) : name)).join(", ");
}

export function summarize(value: unknown): string {
  const message = (value as { message?: unknown } | null | undefined)?.message;
  const text = typeof message === "string" ? plannerText(message) : valueText(value);
  return text.length > 140 ? `${text.slice(0, 139)}…` : text;
}
