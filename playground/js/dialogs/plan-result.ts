/** A plan for a request: its review, its run and its way to the editor. */
import type { Approval, PlanGraph, Report, TraceEvent } from "stepgraph/web";
import { connections } from "../connect/page-connections.js";
import { engine } from "../connect/engine.js";
import { GivenApprovals, type GuardedCall } from "../run/guarded-calls.js";
import { NodePaths } from "../run/node-paths.js";
import { requirementsOf } from "../connect/requirements.js";
import { requestApproval } from "./consent.js";
import { demandList } from "./demand-list.js";
import { h, setChildren, setChildrenAndFocus } from "./dom.js";
import { t, type MessageKey } from "./i18n.js";
import { failureText } from "./planner-messages.js";
import { markStage, showEvent, showVerdict, type PlanningView } from "./progress.js";
import { nameFromRequest } from "./request-name.js";
import { planReview } from "./review.js";
import { runPlan, type PlanningResult } from "./run-planner.js";
import { drawThumbnail } from "./thumbnail.js";

export async function showPlan(
  view: PlanningView,
  { text, result, demands, extras }: Extract<PlanningResult, { type: "plan" }>,
  request: string,
): Promise<void> {
  const { page } = view;
  const json = page.diagram(text);
  const thumbnail = json === undefined ? null : drawThumbnail(json, t("picture", t("thePlan")), (title) => title, true);
  const found = await requirementsOf(text, connections());
  const after = h("div", { class: "after", "aria-live": "polite" });
  const run = h("button", { type: "button", class: "primary", on: { click: () => void runNow() } }, t("agreeRun"));
  let isRunning = false;
  const runNow = () =>
    view.whileBusy(async (signal) => {
      run.disabled = true;
      thumbnail?.clear();
      isRunning = true;
      setChildren(banner, h("strong", {}, t("validTitle")));
      await runBelow(after, { ...view, thumbnail }, text, signal);
      isRunning = false;
      setChildren(leaving);
      run.disabled = asked.open() !== null;
    });
  const leaving = h("div", { class: "leaving" });
  const openPlan = h("button", { type: "button", on: { click: () => openOrAsk() } }, t("openPlan"));
  const openNow = () => openAsPlan(view, request, text);
  const openOrAsk = () => (isRunning ? askToLeave(leaving, openNow, openPlan) : openNow());
  const long = thumbnail?.longConditions ?? [];
  const conditions =
    long.length > 0 &&
    h(
      "ul",
      { class: "conditions", "aria-label": t("conditions") },
      long.map(({ from, to, condition }) => h("li", {}, `${from} → ${to}: `, h("code", {}, condition))),
    );
  const banner = h("div", {});
  const judge = () => {
    const open = asked.open();
    const title: MessageKey = open === null ? "plannedTitle" : open === "unmet" ? "unmetTitle" : "extraTitle";
    banner.className = `banner ${open === null ? "good" : open === "unmet" ? "bad" : "open"}`;
    run.disabled = open !== null;
    showVerdict(view, open === null ? "reviewPassed" : open === "unmet" ? "reviewUnmet" : "reviewExtra", open === null);
    setChildren(
      banner,
      h("strong", {}, t(title)),
      result.generations > 1 && ` ${t("generations", result.generations)}`,
    );
    page.announce(t(title));
  };
  const asked = demandList(demands, extras, {
    changed: judge,
    rephrase: () => view.box.focus(),
    show: (path) => thumbnail?.point(path),
  });
  judge();
  setChildrenAndFocus(
    view.outcome,
    banner,
    asked.element,
    h(
      "div",
      { class: "reviewed" },
      h("div", {}, h("div", { class: "picture" }, thumbnail?.element), conditions),
      planReview(found, result),
    ),
    result.warnings.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, t("warnings")),
        h(
          "ul",
          {},
          result.warnings.map((one) => h("li", {}, String(one))),
        ),
      ),
    h("details", { class: "source" }, h("summary", {}, t("fileText")), h("pre", { tabindex: "0" }, text)),
    h("p", { class: "acts" }, openPlan, run),
    leaving,
    after,
  );
}

/** Opening a plan closes the dialog, which stops its run. */
function askToLeave(container: HTMLElement, leave: () => void, opener: HTMLElement): void {
  const keep = h(
    "button",
    { type: "button", on: { click: () => (setChildren(container), opener.focus()) } },
    t("keepRun"),
  );
  setChildren(
    container,
    h(
      "div",
      { class: "banner open", role: "group", "aria-label": t("leavesRun") },
      h("p", {}, t("leavesRun")),
      h("p", { class: "acts" }, h("button", { type: "button", on: { click: leave } }, t("leaveRun")), keep),
    ),
  );
  keep.focus();
}

/** A banner's class, its title and its text. */
type Verdict = ["good" | "bad" | "open", MessageKey, string];

/** Values of other kinds are in the last step. */
function verdict(report: Report | null, isRejected: boolean, signal: AbortSignal): Verdict {
  if (signal.aborted) return ["open", "stopped", ""];
  const ended = report?.outcome;
  const isRefused = ended?.type === "failed" && ended.code === "tool/refused";
  if (isRefused || (ended?.type === "completed" && isRejected)) return ["open", "ranRejected", ""];
  if (ended?.type === "completed") return ["good", "ranWell", typeof report?.last === "string" ? report.last : ""];
  return ["bad", "ranBadly", ended?.type === "failed" ? failureText(ended.code, ended.message) : ""];
}

/** The steps and the result of a run. */
async function runBelow(after: HTMLElement, view: PlanningView, text: string, signal: AbortSignal): Promise<void> {
  const log = h("ol", { class: "log" });
  const outcome = h("div", { tabindex: -1 });
  setChildren(after, log, outcome);
  outcome.focus({ preventScroll: true });
  const given = new GivenApprovals();
  const known = context(view);
  const trace: TraceEvent[] = [];
  const shown = { ...view, log, isOwnPlan: true };
  const rejected = new Set<string>();
  let isRejected = false;
  const callbacks = {
    event: (event: TraceEvent) => {
      trace.push(event);
      showEvent(shown, event);
      if (event.type === "node-completed" && !event.scope && rejected.delete(event.node))
        markStage(shown, event.node, false);
    },
    // An approval of an `approve` node counts for the call that its question shows.
    requestApproval: async (approval: Approval, graph: PlanGraph) => {
      const ask = (guarded?: GuardedCall) => requestApproval(outcome, approval, signal, guarded);
      const plan = () => graph.toJSON();
      const run = { plan, paths: new NodePaths(graph.nodes), context: known, trace, engine: await engine() };
      const decision = await given.decide(approval, run, ask);
      isRejected = decision === "rejected";
      if (isRejected && approval.tool === undefined && approval.scope === "") rejected.add(approval.node);
      return decision;
    },
  };
  const [is, title, said] = await runPlan(text, callbacks, known, signal).then(
    (report) => verdict(report, isRejected, signal),
    (error: unknown): Verdict => ["bad", "ranBadly", String((error as Error).message ?? error)],
  );
  setChildrenAndFocus(
    outcome,
    h("div", { class: `banner ${is}` }, h("strong", {}, t(title)), said !== "" && h("p", { class: "answer" }, said)),
  );
  outcome.scrollIntoView({ block: "nearest" });
}

/** Values that only the user knows. */
export function context({ email }: PlanningView): Record<string, unknown> {
  return email.value.trim() === "" ? {} : { user_email: email.value.trim() };
}

export function openAsPlan({ page, close }: PlanningView, request: string, text: string): void {
  const name = nameFromRequest(request);
  page.open(name, text, "own", () => {
    close();
    page.announce(t("opened", name));
  });
}
