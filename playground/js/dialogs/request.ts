/**
 * From a request to a plan: what is to be done in plain words, the planner at work, and what came of it, for review.
 *
 * Decides what a person sees before anything may run: the plan, what it reads, writes and destroys and where, whom it
 * asks, which values it was given. Opening it keeps what was open; running it here asks again before anything is
 * destroyed.
 */
import type { Approval, ToolPlan, TraceEvent } from "stepgraph/web";
import { connections, lang } from "../connect/page-connections.js";
import { needs } from "../connect/requirements.js";
import { field } from "./connections.js";
import { enter } from "./dialog.js";
import { fill, h, unique, type Child } from "./dom.js";
import type { PageApi } from "./page-api.js";
import { author, gather, runPlan, type PlanningResult, type PlannerMode } from "./run-planner.js";
import { reviewOf } from "./review.js";
import { sketch } from "./thumbnail.js";
import { t, type MessageKey } from "./i18n.js";
import { agree, ask } from "./consent.js";
import { brief, draw, follow, type PlanningView } from "./progress.js";

const EXAMPLES: Readonly<Record<PlannerMode, readonly (readonly [string, string])[]>> = {
  author: [
    [
      "What should I wear in Oslo today? Save the advice to notes/oslo.md",
      "¿Qué ropa me pongo hoy en Oslo? Guarda el consejo en notes/oslo.md",
    ],
    [
      "Look at order A-1003, refund it, and tell accounting.",
      "Mira el pedido A-1003, reembólsalo y avisa a contabilidad.",
    ],
    ["Deploy the shop to Kubernetes", "Despliega la tienda en Kubernetes"],
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

let words = "";
let way: PlannerMode = "author";
let stop: AbortController | null = null;

/** Opens it. What was typed there last stands there still. */
export function openRequest(page: PageApi): void {
  enter({
    id: "request",
    modal: true,
    title: () => t("request"),
    build: (inside, close) => build(inside, page, close),
    left: () => stop?.abort(),
  });
}

function build(inside: HTMLElement, page: PageApi, close: () => void): void {
  stop?.abort();
  const box = h("textarea", {
    rows: 3,
    required: true,
    id: unique("what"),
    value: words,
    on: { input: () => (words = box.value) },
  });
  const email = h("input", { type: "email", autocomplete: "off", value: "ana@example.com" });
  const whose = field("email", email);
  const examples = h("p", { class: "examples" });
  const told = h("div", { class: "outcome", "aria-live": "polite" });
  const flow = h("div", { class: "flow" });
  const log = h("ol", { class: "log" });
  const go = h("button", { class: "primary" }, t("planIt"));
  const stage: PlanningView = { page, close, flow, log, told, email, drawn: null };
  const show = () => {
    whose.hidden = way !== "gather";
    fill(
      examples,
      `${t("examples")}: `,
      EXAMPLES[way].map((both) => {
        const text = both[lang() === "es" ? 1 : 0];
        return h(
          "button",
          { type: "button", class: "chip", on: { click: () => ((box.value = words = text), box.focus()) } },
          text,
        );
      }),
    );
  };
  const ways = h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": t("way") },
    (
      [
        ["author", "wayAuthor"],
        ["gather", "wayGather"],
      ] as [PlannerMode, MessageKey][]
    ).map(([one, word]) => {
      const input = h("input", {
        type: "radio",
        name: "way",
        value: one,
        checked: way === one,
        on: { change: () => ((way = one), show()) },
      });
      return h("label", {}, input, t(word));
    }),
  );
  const send = async (event: Event) => {
    event.preventDefault();
    stop?.abort();
    stop = new AbortController();
    const { signal } = stop;
    fill(go, t("stop"));
    go.type = "button";
    const halt = () => stop?.abort();
    go.addEventListener("click", halt);
    await plan(words, stage, signal);
    go.removeEventListener("click", halt);
    fill(go, t("planIt"));
    go.type = "submit";
  };
  fill(
    inside,
    h("p", { class: "lead" }, t("requestLine")),
    h(
      "form",
      { class: "asked", on: { submit: (event: Event) => void send(event) } },
      h("label", { for: box.id }, t("what")),
      box,
      examples,
      h("div", { class: "asked-row" }, ways, whose, h("span", { class: "faint" }, whom()), go),
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
      h("section", { class: "made", "aria-label": t("thePlan") }, h("h3", {}, t("thePlan")), told),
    ),
  );
  show();
}

/** Whom the planner asks, and with how many tools. */
function whom(): string {
  const { models, tools } = connections().shown();
  const model = models.find(({ name }) => name === "default");
  if (model === undefined) return t("withNobody");
  return t("with", model.provider === "demo" ? t("theDemo") : model.model, tools.length);
}

async function plan(request: string, stage: PlanningView, signal: AbortSignal): Promise<void> {
  fill(stage.told);
  const told = {
    flow: (source: string) => draw(stage, source),
    event: (event: TraceEvent) => follow(stage, event),
    agree: (text: string, calls: ToolPlan) => agree(stage.told, text, calls, signal),
    ask: (approval: Approval) => ask(stage.told, approval, signal),
  };
  let made: PlanningResult;
  try {
    made =
      way === "author"
        ? await author(request, false, told, signal)
        : await gather(request, context(stage), told, signal);
    // What came too late is nobody's.
    if (signal.aborted) made = { type: "stopped" };
  } catch (error) {
    made = signal.aborted
      ? { type: "stopped" }
      : { type: "failed", message: String((error as Error).message ?? error) };
  }
  await say(stage, made, request, told, signal);
  bring(stage.told);
}

/**
 * Where the page is narrow, what came of it stands below all that was said on the way: it comes to where it is seen.
 */
function bring(told: HTMLElement): void {
  const made = told.closest(".made");
  if (made !== null && made.getBoundingClientRect().top > innerHeight / 2) made.scrollIntoView({ block: "start" });
}

function context({ email }: PlanningView): Record<string, unknown> {
  return email.value.trim() === "" ? {} : { user_email: email.value.trim() };
}

/** What came of it, and what can be done with it. */
async function say(
  stage: PlanningView,
  made: PlanningResult,
  request: string,
  told: Parameters<typeof author>[2],
  signal: AbortSignal,
): Promise<void> {
  const { page } = stage;
  const banner = (word: MessageKey, is: "good" | "bad" | "open", ...more: Child[]) =>
    h("div", { class: `banner ${is}` }, h("strong", {}, t(word)), ...more);
  const kept = (text: string) =>
    text !== "" && h("button", { type: "button", on: { click: () => open(stage, request, text) } }, t("openPlan"));
  switch (made.type) {
    case "stopped":
      return fill(stage.told, banner("stopped", "open"));
    case "failed":
      return fill(stage.told, banner("unfinished", "bad", h("p", {}, made.message)));
    case "answer":
      return fill(
        stage.told,
        banner("answer", "good", h("p", { class: "answer" }, made.answer)),
        h("p", { class: "acts" }, kept(made.text)),
      );
    case "refused":
      return fill(stage.told, banner("refusedTitle", "open"), h("p", { class: "acts" }, kept(made.text)));
    case "plan":
      return planned(stage, made.text, request, made.result, signal);
    case "not":
      break;
  }
  const { status, message, missing_capabilities: missing, alternatives, errors } = made.result;
  const title: MessageKey =
    status === "clarification_needed" || status === "impossible_requirements" || status === "partial_solution"
      ? status
      : "failedTitle";
  const goOn = async () => {
    const next = await author(request, true, told, signal).catch(
      (error: unknown): PlanningResult => ({ type: "failed", message: String((error as Error).message ?? error) }),
    );
    await say(stage, next, request, told, signal);
  };
  fill(
    stage.told,
    banner(title, "open", h("p", {}, message)),
    missing.length > 0 &&
      h(
        "ul",
        { class: "missing-list" },
        missing.map((one) => h("li", {}, one)),
      ),
    alternatives.length > 0 &&
      h(
        "ul",
        {},
        alternatives.map((one) => h("li", { class: "faint" }, String(one))),
      ),
    errors.length > 0 &&
      h(
        "ul",
        {},
        errors.map(({ code, message: what }) => h("li", {}, h("code", {}, code), " ", what)),
      ),
    h(
      "p",
      { class: "acts" },
      status === "partial_solution" &&
        h("button", { type: "button", class: "primary", on: { click: () => void goOn() } }, t("goOn")),
    ),
  );
  page.say(t(title));
}

/** A plan, for review. */
async function planned(
  stage: PlanningView,
  text: string,
  request: string,
  result: Extract<PlanningResult, { type: "plan" }>["result"],
  signal: AbortSignal,
): Promise<void> {
  const { page } = stage;
  const json = page.draw(text);
  const drawn = json === undefined ? null : sketch(json, t("picture", t("thePlan")), true);
  const found = await needs(text, connections());
  const after = h("div", { class: "after", "aria-live": "polite" });
  const run = h("button", { type: "button", class: "primary", on: { click: () => void runNow() } }, t("agreeRun"));
  const runNow = async () => {
    run.disabled = true;
    drawn?.clear();
    const log = h("ol", { class: "log" });
    fill(after, log);
    const asked = h("div", {});
    after.append(asked);
    const watch: PlanningView = { ...stage, drawn, log };
    const report = await runPlan(
      text,
      { event: (event) => follow(watch, event), ask: (approval) => ask(asked, approval, signal) },
      context(stage),
      signal,
    );
    run.disabled = false;
    const fine = report?.outcome.type === "completed";
    const why =
      report !== null && report.outcome.type === "failed" ? `${report.outcome.message} (${report.outcome.code})` : "";
    fill(
      asked,
      h(
        "div",
        { class: `banner ${fine ? "good" : "bad"}` },
        h("strong", {}, t(fine ? "ranWell" : "ranBadly")),
        h("p", { class: "answer" }, fine ? brief(report.last) : why),
      ),
    );
  };
  fill(
    stage.told,
    h(
      "div",
      { class: "banner good" },
      h("strong", {}, t("plannedTitle")),
      result.generations > 1 && ` ${t("generations", result.generations)}`,
    ),
    h("div", { class: "reviewed" }, h("div", { class: "picture" }, drawn?.element), reviewOf(found, result)),
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
      h("button", { type: "button", on: { click: () => open(stage, request, text) } }, t("openPlan")),
      run,
    ),
    after,
  );
  page.say(t("plannedTitle"));
}

function open({ page, close }: PlanningView, request: string, text: string): void {
  const name = request.replace(/\s+/g, " ").trim().slice(0, 60);
  page.open(name, text, "own", () => {
    close();
    page.say(t("opened", name));
  });
}
