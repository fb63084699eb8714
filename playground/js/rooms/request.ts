/**
 * From a request to a plan: what is to be done in plain words, the planner at work, and what came of it, for review.
 *
 * Decides what a person sees before anything may run: the plan, what it reads, writes and destroys and where, whom it
 * asks, which values it was given. Opening it keeps what was open; running it here asks again before anything is
 * destroyed.
 */
import type { Approval, Decision, ToolPlan, TraceEvent } from "stepgraph/web";
import { connections, lang } from "../connect/here.js";
import { needs } from "../connect/needs.js";
import { field } from "./connections.js";
import { enter } from "./dialog.js";
import { fill, h, unique, type Child } from "./dom.js";
import type { Page } from "./page.js";
import { author, gather, runPlan, type Made, type Way } from "./planning.js";
import { reviewOf } from "./review.js";
import { learned } from "./stages.js";
import { sketch, type Sketch } from "./sketch.js";
import { t, type Word } from "./words.js";

const EXAMPLES: Readonly<Record<Way, readonly (readonly [string, string])[]>> = {
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
let way: Way = "author";
let stop: AbortController | null = null;

/** Opens it. What was typed there last stands there still. */
export function openRequest(page: Page): void {
  enter({
    id: "request",
    modal: true,
    title: () => t("request"),
    build: (inside, close) => build(inside, page, close),
    left: () => stop?.abort(),
  });
}

function build(inside: HTMLElement, page: Page, close: () => void): void {
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
  const stage: Stage = { page, close, flow, log, told, email, drawn: null };
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
      ] as [Way, Word][]
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

interface Stage {
  page: Page;
  close: () => void;
  flow: HTMLElement;
  log: HTMLElement;
  told: HTMLElement;
  email: HTMLInputElement;
  drawn: Sketch | null;
}

async function plan(request: string, stage: Stage, signal: AbortSignal): Promise<void> {
  fill(stage.told);
  const told = {
    flow: (source: string) => draw(stage, source),
    event: (event: TraceEvent) => follow(stage, event),
    agree: (text: string, calls: ToolPlan) => agree(stage, text, calls, signal),
    ask: (approval: Approval) => ask(stage.told, approval, signal),
  };
  let made: Made;
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

function context({ email }: Stage): Record<string, unknown> {
  return email.value.trim() === "" ? {} : { user_email: email.value.trim() };
}

/** The planner's own plan. */
function draw(stage: Stage, source: string): void {
  fill(stage.log);
  const json = stage.page.draw(source);
  stage.drawn = json === undefined ? null : sketch(json, t("picture", t("planner")), true);
  fill(stage.flow, stage.drawn?.element);
}

/** What happens in a run, on its picture and as lines. */
function follow({ drawn, log }: Stage, event: TraceEvent): void {
  if (!("node" in event) || ("scope" in event && event.scope)) return;
  const { node } = event;
  if (event.type === "node-started")
    for (const [before, text] of learned(node, event.input))
      [...log.children]
        .findLast((line) => (line as HTMLElement).dataset.node === before)
        ?.lastElementChild?.replaceChildren(text);
  if (event.type === "node-started") drawn?.mark(node, "running");
  else if (event.type === "node-failed") drawn?.mark(node, "failed");
  else if (event.type === "edge-decided" && event.to !== null) drawn?.take(event.from, event.to);
  else if (event.type === "node-completed") drawn?.mark(node, "done");
  if (event.type !== "node-completed" && event.type !== "node-failed") return;
  const said = event.type === "node-failed" ? event.message : brief(event.output);
  log.append(
    h(
      "li",
      { class: event.type === "node-failed" ? "failed" : "done", "data-node": node },
      h("code", {}, node),
      event.visit > 1 && ` ×${event.visit}`,
      h("span", {}, said),
    ),
  );
  log.lastElementChild?.scrollIntoView({ block: "nearest" });
}

function brief(value: unknown): string {
  const message = (value as { message?: unknown } | null | undefined)?.message;
  const text =
    typeof value === "string" ? value : typeof message === "string" ? message : (JSON.stringify(value) ?? "");
  return text.length > 140 ? `${text.slice(0, 139)}…` : text;
}

/** What came of it, and what can be done with it. */
async function say(
  stage: Stage,
  made: Made,
  request: string,
  told: Parameters<typeof author>[2],
  signal: AbortSignal,
): Promise<void> {
  const { page } = stage;
  const banner = (word: Word, is: "good" | "bad" | "open", ...more: Child[]) =>
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
  const title: Word =
    status === "clarification_needed" || status === "impossible_requirements" || status === "partial_solution"
      ? status
      : "failedTitle";
  const goOn = async () => {
    const next = await author(request, true, told, signal).catch(
      (error: unknown): Made => ({ type: "failed", message: String((error as Error).message ?? error) }),
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
  stage: Stage,
  text: string,
  request: string,
  result: Extract<Made, { type: "plan" }>["result"],
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
    const watch: Stage = { ...stage, drawn, log };
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

function open({ page, close }: Stage, request: string, text: string): void {
  close();
  const name = request.replace(/\s+/g, " ").trim().slice(0, 60);
  page.open(name, text, "own");
  page.say(t("opened", name));
}

/** Asks whether planned calls may be made, with what they may do. */
async function agree(stage: Stage, text: string, { tool_calls }: ToolPlan, signal: AbortSignal): Promise<boolean> {
  const found = text === "" ? null : await needs(text, connections());
  const calls = h(
    "ol",
    { class: "calls" },
    tool_calls.map(({ tool_name, parameters, reasoning }) =>
      h(
        "li",
        {},
        h("code", {}, tool_name),
        " ",
        h("code", { class: "faint" }, brief(parameters)),
        typeof reasoning === "string" && h("small", {}, reasoning),
      ),
    ),
  );
  return answered(
    signal,
    (answer) => {
      const yes = h("button", { type: "button", class: "primary", on: { click: () => answer(true) } }, t("agreeCalls"));
      fill(
        stage.told,
        h("div", { class: "banner open" }, h("strong", {}, t("gatherTitle"))),
        tool_calls.length === 0 ? h("p", {}, t("noCalls")) : calls,
        reviewOf(found, null),
        h(
          "p",
          { class: "acts" },
          h("button", { type: "button", on: { click: () => answer(false) } }, t("refuse")),
          yes,
        ),
      );
      yes.focus();
    },
    false,
  );
}

/** Asks whether one call may be made, or whatever else a plan asks a person. */
function ask(place: HTMLElement, { tool, input }: Approval, signal: AbortSignal): Promise<Decision> {
  return answered<Decision>(
    signal,
    (answer) => {
      const given = (input as { arguments?: unknown } | null)?.arguments;
      const text = tool !== undefined ? t("askFirst", tool, brief(given)) : t("askPlain", brief(input));
      const yes = h(
        "button",
        { type: "button", class: "primary", on: { click: () => answer("approved") } },
        t("allow"),
      );
      const box = h(
        "div",
        { class: "banner open", role: "group", "aria-label": text },
        h("p", {}, text),
        h(
          "p",
          { class: "acts" },
          h("button", { type: "button", on: { click: () => answer("rejected") } }, t("refuse")),
          yes,
        ),
      );
      fill(place, box);
      yes.focus();
    },
    "rejected",
  ).finally(() => fill(place));
}

/** Waits for an answer; who goes away has said no. */
function answered<T>(signal: AbortSignal, show: (answer: (value: T) => void) => void, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(otherwise), { once: true });
    show(resolve);
  });
}
