/**
 * The request dialog. Opening it saves the plan. The user reviews effects before a run, which asks again before each
 * destructive call.
 */
import type { Approval, ToolPlan, TraceEvent } from "stepgraph/web";
import { connections, lang } from "../connect/page-connections.js";
import { field } from "./connections.js";
import { confirmCalls, requestApproval } from "./consent.js";
import { openDialog } from "./dialog.js";
import { setChildren, setChildrenAndFocus, h, uniqueId, type Child } from "./dom.js";
import { t, type MessageKey } from "./i18n.js";
import type { PageApi } from "./page-api.js";
import { context, openAsPlan, showPlan } from "./plan-result.js";
import { showPlannerPlan, showEvent, showRefusal, showUncalled, type PlanningView } from "./progress.js";
import { explainRefusal, hasStructure, isBeyondDemo } from "./refusal.js";
import {
  writePlan,
  gatherAnswer,
  type PlanningCallbacks,
  type PlanningResult,
  type PlannerMode,
} from "./run-planner.js";

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
/** Of the work that is going on. */
let stop: AbortController | null = null;

/** Restores the last request. */
export function openRequest(page: PageApi): void {
  openDialog({
    id: "request",
    modal: true,
    title: () => t("request"),
    build: (inside, close) => build(inside, page, close),
    isBusy: () => stop !== null,
    onClose: () => stop?.abort(),
  });
}

function build(inside: HTMLElement, page: PageApi, close: () => void): void {
  stop?.abort();
  stop = null;
  const box = h("textarea", {
    rows: 3,
    required: true,
    autofocus: true,
    id: uniqueId("what"),
    value: requestText,
    on: { input: () => changed() },
  });
  const email = h("input", { type: "email", autocomplete: "off", value: "ana@example.com" });
  const emailField = field("email", email);
  const examples = h("p", { class: "examples" });
  const outcome = h("div", { class: "outcome", "aria-live": "polite" });
  const earlier = h("p", { class: "faint", hidden: true });
  const flow = h("div", { class: "flow" });
  const log = h("ol", { class: "log" });
  const stopOrSubmit = (event: Event) => {
    if (go.type !== "button") return;
    // The work may end at once, and the button submit again before the browser looks at its type.
    event.preventDefault();
    stop?.abort();
  };
  const go = h("button", { class: "primary", on: { click: stopOrSubmit } }, t("planIt"));
  const modes = modeButtons(() => show());
  const split = h("div", { class: "split", hidden: true }, plannerSection(flow, log), resultSection(earlier, outcome));
  /** What is below may be for an earlier request. */
  let planned = requestText;
  const changed = () => {
    requestText = box.value;
    setChildren(earlier, t("forRequest", planned));
    earlier.hidden = requestText === planned;
  };
  const setBusy = (busy: boolean) => {
    if (!busy) inside.querySelector(".closing")?.remove();
    setChildren(go, t(busy ? "stop" : "planIt"));
    go.type = busy ? "button" : "submit";
    box.readOnly = email.readOnly = busy;
    for (const control of inside.querySelectorAll<HTMLButtonElement | HTMLInputElement>(".examples button, [name=way]"))
      control.disabled = busy;
  };
  const whileBusy = lockWith(setBusy);
  const view: PlanningView = { page, close, flow, log, outcome, email, box, thumbnail: null, whileBusy };
  const show = () => {
    emailField.hidden = mode !== "gather";
    setChildren(
      examples,
      `${t("examples")}: `,
      exampleButtons((text) => {
        box.value = text;
        changed();
        box.focus();
      }),
    );
  };
  const submit = (event: Event) => {
    event.preventDefault();
    // Enter in a field submits even without a submit button.
    if (go.type === "button") return;
    planned = requestText;
    earlier.hidden = true;
    split.hidden = false;
    void whileBusy((signal) => plan(requestText, view, signal));
  };
  setChildren(
    inside,
    h("p", { class: "lead" }, t("requestLine")),
    h(
      "form",
      { class: "asked", on: { submit } },
      h("label", { for: box.id }, t("what")),
      box,
      examples,
      h("div", { class: "asked-row" }, modes, emailField, h("span", { class: "faint" }, modelSummary()), go),
    ),
    split,
  );
  show();
}

function plannerSection(flow: HTMLElement, log: HTMLElement): HTMLElement {
  return h(
    "section",
    { class: "planner", "aria-label": t("planner") },
    h("h3", {}, t("planner")),
    h("div", { class: "at-work" }, flow, log),
  );
}

function resultSection(...inside: HTMLElement[]): HTMLElement {
  return h("section", { class: "made", "aria-label": t("thePlan") }, h("h3", {}, t("thePlan")), inside);
}

/** Work that begins later unlocks for itself. */
function lockWith(setBusy: (busy: boolean) => void): PlanningView["whileBusy"] {
  return async (work) => {
    stop?.abort();
    const own = (stop = new AbortController());
    setBusy(true);
    try {
      await work(own.signal);
    } finally {
      if (stop === own) {
        stop = null;
        setBusy(false);
      }
    }
  };
}

function exampleButtons(use: (text: string) => void): HTMLElement[] {
  return EXAMPLES[mode].map((both) => {
    const text = both[lang() === "es" ? 1 : 0];
    return h("button", { type: "button", class: "chip", on: { click: () => use(text) } }, text);
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

/** `isPartial` plans the possible part of a request. */
async function plan(request: string, view: PlanningView, signal: AbortSignal, isPartial = false): Promise<void> {
  setChildrenAndFocus(view.outcome);
  const callbacks: PlanningCallbacks = {
    answersWithoutCalls: !usesDemoModel(),
    flow: (source: string) => showPlannerPlan(view, source),
    event: (event: TraceEvent) => showEvent(view, event),
    confirmCalls: (text: string, calls: ToolPlan) => confirmCalls(view.outcome, text, calls, signal),
    requestApproval: (approval: Approval) => requestApproval(view.outcome, approval, signal),
  };
  const work =
    isPartial || mode === "author"
      ? writePlan(request, isPartial, callbacks, signal)
      : gatherAnswer(request, context(view), callbacks, signal);
  const result = await work.catch(
    (error: unknown): PlanningResult => ({ type: "failed", message: String((error as Error).message ?? error) }),
  );
  // Results after a stop are dropped.
  await showResult(view, signal.aborted ? { type: "stopped" } : result, request);
  scrollToOutcome(view.outcome);
}

function focusButton(word: MessageKey, field: HTMLElement): HTMLElement {
  return h("p", { class: "acts" }, h("button", { type: "button", on: { click: () => field.focus() } }, t(word)));
}

/** Narrow pages have it below the log. */
function scrollToOutcome(outcome: HTMLElement): void {
  const section = outcome.closest(".made");
  if (section !== null && section.getBoundingClientRect().top > innerHeight / 2)
    section.scrollIntoView({ block: "start" });
}

async function showResult(view: PlanningView, planned: PlanningResult, request: string): Promise<void> {
  const { page } = view;
  const banner = (word: MessageKey, is: "good" | "bad" | "open", ...more: Child[]) =>
    h("div", { class: `banner ${is}` }, h("strong", {}, t(word)), ...more);
  const openButton = (text: string) =>
    text !== "" && h("button", { type: "button", on: { click: () => openAsPlan(view, request, text) } }, t("openPlan"));
  switch (planned.type) {
    case "stopped":
      return setChildrenAndFocus(view.outcome, banner("stopped", "open"));
    case "failed":
      return setChildrenAndFocus(view.outcome, banner("unfinished", "bad", h("p", {}, planned.message)));
    case "answer":
      if (planned.text === "") showUncalled(view, true);
      return setChildrenAndFocus(
        view.outcome,
        banner("answer", "good", h("p", { class: "answer" }, planned.answer)),
        planned.text === ""
          ? h("p", { class: "faint" }, t("noCalls"))
          : h("p", { class: "acts" }, openButton(planned.text)),
      );
    case "uncalled":
      showUncalled(view, false);
      page.announce(t("demoNoCalls"));
      return setChildrenAndFocus(
        view.outcome,
        banner("demoNoCalls", "open", h("p", {}, t(hasStructure(request) ? "demoPlansSequences" : "nameCalls"))),
        focusButton("changeRequest", view.box),
      );
    case "missing-context":
      page.announce(t("callsNeed", planned.names.join(", ")));
      return setChildrenAndFocus(
        view.outcome,
        h(
          "div",
          { class: "banner open" },
          h("strong", {}, t("callsNeed", planned.names.join(", "))),
          h("p", {}, `${t("refusedTitle")}.`),
        ),
        planned.names.includes("user_email") && focusButton("fillEmail", view.email),
      );
    case "refused":
      return setChildrenAndFocus(
        view.outcome,
        banner("refusedTitle", "open"),
        h("p", { class: "acts" }, openButton(planned.text)),
      );
    case "plan":
      return showPlan(view, planned, request);
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
  const continuePartially = () => view.whileBusy((signal) => plan(request, view, signal, true));
  setChildrenAndFocus(
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
