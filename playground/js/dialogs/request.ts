/**
 * The request dialog. Opening it saves the plan. The user reviews effects before a run, which asks again before each
 * destructive call.
 */
import type { Approval, ToolPlan, TraceEvent } from "stepgraph/web";
import { connections, lang } from "../connect/page-connections.js";
import { requirementsOf } from "../connect/requirements.js";
import { field } from "./connections.js";
import { openDialog } from "./dialog.js";
import { setChildren, h, uniqueId, type Child } from "./dom.js";
import type { PageApi } from "./page-api.js";
import { writePlan, gatherAnswer, runPlan, type PlanningResult, type PlannerMode } from "./run-planner.js";
import { demandList } from "./demand-list.js";
import { explainRefusal, isBeyondDemo } from "./refusal.js";
import { planReview } from "./review.js";
import { drawThumbnail } from "./thumbnail.js";
import { t, type MessageKey } from "./i18n.js";
import { failureText } from "./planner-messages.js";
import { confirmCalls, requestApproval } from "./consent.js";
import { summarize, showPlannerPlan, showEvent, showRefusal, showVerdict, type PlanningView } from "./progress.js";

const EXAMPLES: Readonly<Record<PlannerMode, readonly (readonly [string, string])[]>> = {
  author: [
    [
      "What should I wear in Oslo today? Save the advice to notes/oslo.md",
      "¿Qué ropa me pongo hoy en Oslo? Guarde el consejo en notes/oslo.md",
    ],
    [
      "Look at order A-1003, refund it, and tell accounting.",
      "Mire el pedido A-1003, reembólselo y avise a contabilidad.",
    ],
    ["Deploy the shop to Kubernetes", "Despliegue la tienda en Kubernetes"],
  ],
  gather: [
    [
      "Where are my orders, and how do returns work?",
      "¿Dónde están mis pedidos y cómo es la política de devoluciones?",
    ],
    [
      "Is it colder in Berlin or in Tokyo? What is the weather?",
      "¿Hace más frío en Berlín o en Tokio? ¿Qué tiempo hace?",
    ],
  ],
};

let requestText = "";
let mode: PlannerMode = "author";
let stop: AbortController | null = null;

/** Restores the last request. */
export function openRequest(page: PageApi): void {
  openDialog({
    id: "request",
    modal: true,
    title: () => t("request"),
    build: (inside, close) => build(inside, page, close),
    onClose: () => stop?.abort(),
  });
}

function build(inside: HTMLElement, page: PageApi, close: () => void): void {
  stop?.abort();
  const box = h("textarea", {
    rows: 3,
    required: true,
    id: uniqueId("what"),
    value: requestText,
    on: { input: () => (requestText = box.value) },
  });
  const email = h("input", { type: "email", autocomplete: "off", value: "ana@example.com" });
  const emailField = field("email", email);
  const examples = h("p", { class: "examples" });
  const outcome = h("div", { class: "outcome", "aria-live": "polite" });
  const flow = h("div", { class: "flow" });
  const log = h("ol", { class: "log" });
  const go = h("button", { class: "primary" }, t("planIt"));
  const view: PlanningView = { page, close, flow, log, outcome, email, box, thumbnail: null };
  const show = () => {
    emailField.hidden = mode !== "gather";
    setChildren(examples, `${t("examples")}: `, exampleButtons(box));
  };
  setChildren(
    inside,
    h("p", { class: "lead" }, t("requestLine")),
    h(
      "form",
      { class: "asked", on: { submit: (event: Event) => void send(event, go, view) } },
      h("label", { for: box.id }, t("what")),
      box,
      examples,
      h(
        "div",
        { class: "asked-row" },
        modeButtons(show),
        emailField,
        h("span", { class: "faint" }, modelSummary()),
        go,
      ),
    ),
    h(
      "div",
      { class: "split" },
      h(
        "section",
        { class: "planner", "aria-label": t("planner") },
        h("h3", {}, t("planner")),
        h("div", { class: "at-work" }, flow, log),
      ),
      h("section", { class: "made", "aria-label": t("thePlan") }, h("h3", {}, t("thePlan")), outcome),
    ),
  );
  show();
}

/** Each replaces the text of `box`. */
function exampleButtons(box: HTMLTextAreaElement): HTMLElement[] {
  return EXAMPLES[mode].map((both) => {
    const text = both[lang() === "es" ? 1 : 0];
    const use = () => ((box.value = requestText = text), box.focus());
    return h("button", { type: "button", class: "chip", on: { click: use } }, text);
  });
}

function modeButtons(changed: () => void): HTMLElement {
  const modes: [PlannerMode, MessageKey][] = [
    ["author", "wayAuthor"],
    ["gather", "wayGather"],
  ];
  return h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": t("way") },
    modes.map(([value, word]) => {
      const change = () => ((mode = value), changed());
      const input = h("input", { type: "radio", name: "way", value, checked: mode === value, on: { change } });
      return h("label", {}, input, t(word));
    }),
  );
}

/** `button` stops the planner. */
async function send(event: Event, button: HTMLButtonElement, view: PlanningView): Promise<void> {
  event.preventDefault();
  stop?.abort();
  stop = new AbortController();
  const { signal } = stop;
  setChildren(button, t("stop"));
  button.type = "button";
  const halt = () => stop?.abort();
  button.addEventListener("click", halt);
  await plan(requestText, view, signal);
  button.removeEventListener("click", halt);
  setChildren(button, t("planIt"));
  button.type = "submit";
}

function defaultModel() {
  return connections()
    .view()
    .models.find(({ name }) => name === "default");
}

const usesDemoModel = () => defaultModel()?.provider === "demo";

function modelSummary(): string {
  const { tools } = connections().view();
  const model = defaultModel();
  if (model === undefined) return t("withNobody");
  return t("with", model.provider === "demo" ? t("theDemo") : model.model, tools.length);
}

async function plan(request: string, view: PlanningView, signal: AbortSignal): Promise<void> {
  setChildren(view.outcome);
  const callbacks = {
    flow: (source: string) => showPlannerPlan(view, source),
    event: (event: TraceEvent) => showEvent(view, event),
    confirmCalls: (text: string, calls: ToolPlan) => confirmCalls(view.outcome, text, calls, signal),
    requestApproval: (approval: Approval) => requestApproval(view.outcome, approval, signal),
  };
  let planned: PlanningResult;
  try {
    planned =
      mode === "author"
        ? await writePlan(request, false, callbacks, signal)
        : await gatherAnswer(request, context(view), callbacks, signal);
    // Results after a stop are dropped.
    if (signal.aborted) planned = { type: "stopped" };
  } catch (error) {
    planned = signal.aborted
      ? { type: "stopped" }
      : { type: "failed", message: String((error as Error).message ?? error) };
  }
  await showResult(view, planned, request, callbacks, signal);
  scrollToOutcome(view.outcome);
}

/** Narrow pages have it below the log. */
function scrollToOutcome(outcome: HTMLElement): void {
  const section = outcome.closest(".made");
  if (section !== null && section.getBoundingClientRect().top > innerHeight / 2)
    section.scrollIntoView({ block: "start" });
}

function context({ email }: PlanningView): Record<string, unknown> {
  return email.value.trim() === "" ? {} : { user_email: email.value.trim() };
}

async function showResult(
  view: PlanningView,
  planned: PlanningResult,
  request: string,
  callbacks: Parameters<typeof writePlan>[2],
  signal: AbortSignal,
): Promise<void> {
  const { page } = view;
  const banner = (word: MessageKey, is: "good" | "bad" | "open", ...more: Child[]) =>
    h("div", { class: `banner ${is}` }, h("strong", {}, t(word)), ...more);
  const openButton = (text: string) =>
    text !== "" && h("button", { type: "button", on: { click: () => openAsPlan(view, request, text) } }, t("openPlan"));
  switch (planned.type) {
    case "stopped":
      return setChildren(view.outcome, banner("stopped", "open"));
    case "failed":
      return setChildren(view.outcome, banner("unfinished", "bad", h("p", {}, planned.message)));
    case "answer":
      return setChildren(
        view.outcome,
        banner("answer", "good", h("p", { class: "answer" }, planned.answer)),
        h("p", { class: "acts" }, openButton(planned.text)),
      );
    case "refused":
      return setChildren(
        view.outcome,
        banner("refusedTitle", "open"),
        h("p", { class: "acts" }, openButton(planned.text)),
      );
    case "plan":
      return showPlan(view, planned, request, signal);
    case "not":
      break;
  }
  const { status } = planned.result;
  const isDemo = usesDemoModel();
  const title: MessageKey =
    status === "impossible_requirements" && isDemo && isBeyondDemo(planned.result)
      ? "demoCannotPlan"
      : status === "clarification_needed" || status === "impossible_requirements" || status === "partial_solution"
        ? status
        : "failedTitle";
  const continuePartially = async () => {
    const next = await writePlan(request, true, callbacks, signal).catch(
      (error: unknown): PlanningResult => ({ type: "failed", message: String((error as Error).message ?? error) }),
    );
    await showResult(view, next, request, callbacks, signal);
  };
  setChildren(
    view.outcome,
    banner(title, "open", explainRefusal(planned.result, request, isDemo)),
    status === "partial_solution" &&
      h(
        "p",
        { class: "acts" },
        h("button", { type: "button", class: "primary", on: { click: () => void continuePartially() } }, t("goOn")),
      ),
  );
  showRefusal(view);
  page.announce(t(title));
}

async function showPlan(
  view: PlanningView,
  { text, result, demands, extras }: Extract<PlanningResult, { type: "plan" }>,
  request: string,
  signal: AbortSignal,
): Promise<void> {
  const { page } = view;
  const json = page.diagram(text);
  const thumbnail = json === undefined ? null : drawThumbnail(json, t("picture", t("thePlan")), (title) => title);
  const found = await requirementsOf(text, connections());
  const after = h("div", { class: "after", "aria-live": "polite" });
  const run = h("button", { type: "button", class: "primary", on: { click: () => void runNow() } }, t("agreeRun"));
  const runNow = async () => {
    run.disabled = true;
    thumbnail?.clear();
    const log = h("ol", { class: "log" });
    setChildren(after, log);
    const outcome = h("div", {});
    after.append(outcome);
    const watch: PlanningView = { ...view, thumbnail: thumbnail, log };
    const report = await runPlan(
      text,
      {
        event: (event) => showEvent(watch, event),
        requestApproval: (approval) => requestApproval(outcome, approval, signal),
      },
      context(view),
      signal,
    );
    run.disabled = false;
    const fine = report?.outcome.type === "completed";
    const why =
      report !== null && report.outcome.type === "failed"
        ? failureText(report.outcome.code, report.outcome.message)
        : "";
    setChildren(
      outcome,
      h(
        "div",
        { class: `banner ${fine ? "good" : "bad"}` },
        h("strong", {}, t(fine ? "ranWell" : "ranBadly")),
        h("p", { class: "answer" }, fine ? summarize(report.last) : why),
      ),
    );
  };
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
  setChildren(
    view.outcome,
    banner,
    asked.element,
    h("div", { class: "reviewed" }, h("div", { class: "picture" }, thumbnail?.element), planReview(found, result)),
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
    h(
      "p",
      { class: "acts" },
      h("button", { type: "button", on: { click: () => openAsPlan(view, request, text) } }, t("openPlan")),
      run,
    ),
    after,
  );
}

function openAsPlan({ page, close }: PlanningView, request: string, text: string): void {
  const name = request.replace(/\s+/g, " ").trim().slice(0, 60);
  page.open(name, text, "own", () => {
    close();
    page.announce(t("opened", name));
  });
}
