/** The connections dialog. It is not modal, so users can drag tools onto the canvas. */
import type { ConnectionsView } from "../connect/connections.js";
import type { ServerRow } from "../connect/server.js";
import { connections, lang } from "../connect/page-connections.js";
import { engineMessage } from "../engine-messages.js";
import { type PlanRequirements, requirementsOf } from "../connect/requirements.js";
import { openDialog } from "./dialog.js";
import { setChildren, h, uniqueId, type Child } from "./dom.js";
import { modelsTab } from "./models-tab.js";
import type { PageApi } from "./page-api.js";
import { toolsTab } from "./tools-tab.js";
import { headline, t, type MessageKey } from "./i18n.js";

const TABS: readonly [MessageKey, (inside: HTMLElement, page: PageApi) => () => void][] = [
  ["tools", toolsTab],
  ["servers", serversTab],
  ["models", modelsTab],
];
let tab = 0;
let cleanUp: () => void = () => undefined;

export async function openConnections(page: PageApi): Promise<void> {
  // They stand above the tabs. If they appeared later, the tabs would move away from the pointer.
  const requirements = await planRequirements(page).catch(() => null);
  openDialog({
    id: "connections",
    modal: false,
    title: () => t("connections"),
    build: (inside) => build(inside, page, requirements),
    onClose: () => cleanUp(),
  });
}

function planRequirements(page: PageApi): Promise<PlanRequirements | null> {
  return requirementsOf(page.text(), connections(), page.stubs());
}

function build(inside: HTMLElement, page: PageApi, requirements: PlanRequirements | null): void {
  cleanUp();
  const body = h("div", { class: "body", role: "tabpanel", tabindex: "-1" });
  const need = h("div", { class: "needs" });
  let closeTab: () => void = () => undefined;
  const buttons = TABS.map(([word], at) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: uniqueId("tab"),
        on: { click: () => choose(at), keydown: (event: KeyboardEvent) => onArrowKey(event, at) },
      },
      t(word),
    ),
  );
  const choose = (at: number, focus = false) => {
    tab = at;
    closeTab();
    buttons.forEach((button, place) => {
      button.setAttribute("aria-selected", String(place === at));
      button.tabIndex = place === at ? 0 : -1;
    });
    body.setAttribute("aria-labelledby", buttons[at]!.id);
    setChildren(body);
    closeTab = TABS[at]![1](body, page);
    if (focus) buttons[at]!.focus();
  };
  const onArrowKey = (event: KeyboardEvent, at: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) choose((at + step + TABS.length) % TABS.length, true);
  };
  setChildren(
    inside,
    need,
    h("div", { class: "tabs", role: "tablist", "aria-label": t("connections") }, buttons),
    body,
  );
  const refresh = () => void planRequirements(page).then((found) => showRequirements(need, found));
  const stop = connections().subscribe(refresh);
  // The plan or its stubs may have changed.
  for (const come of ["pointerenter", "focusin"]) inside.addEventListener(come, refresh);
  cleanUp = () => {
    closeTab();
    stop();
    for (const come of ["pointerenter", "focusin"]) inside.removeEventListener(come, refresh);
  };
  choose(tab);
  showRequirements(need, requirements);
  refresh();
}

const STATE_SIGNS = { there: "✓", missing: "!", stubbed: "⇄" } as const;

/** The last content as JSON. Unchanged elements keep their open details. */
const shownBefore = new WeakMap<HTMLElement, string>();

function showRequirements(container: HTMLElement, found: PlanRequirements | null): void {
  const same = JSON.stringify(found);
  if (shownBefore.get(container) === same) return;
  shownBefore.set(container, same);
  if (found === null) return setChildren(container);
  const line = (state: "there" | "missing" | "stubbed", ...what: Child[]) =>
    h(
      "li",
      { class: state === "missing" ? "missing" : "there" },
      h("span", { class: "sign", "aria-hidden": "true" }, STATE_SIGNS[state]),
      ...what,
      h("span", { class: state === "stubbed" ? "faint" : "unseen" }, ` ${state === "stubbed" ? "· " : ""}${t(state)}`),
    );
  const stateOf = (hasStub: boolean, isConnected: boolean) => (hasStub ? "stubbed" : isConnected ? "there" : "missing");
  const lines = [
    ...found.tools.map(({ name, server, hasStub }) =>
      line(stateOf(hasStub, server !== null), h("code", {}, name), !hasStub && server !== null && ` · ${server}`),
    ),
    ...(found.any ? [line("there", t("anyTool"))] : []),
    ...found.models.map(({ name, isConnected, hasStub }) =>
      line(stateOf(hasStub, isConnected), t("model"), " ", h("code", {}, name)),
    ),
    ...found.handlers.map(({ type, isConnected, hasStub }) => line(stateOf(hasStub, isConnected), t("handler", type))),
    ...found.servers.map(({ name, url, isConnected, hasStub }) =>
      line(stateOf(hasStub, isConnected), h("code", {}, name), " ", url),
    ),
  ];
  const open = found.missing.length > 0;
  setChildren(
    container,
    lines.length === 0
      ? h("p", { class: "faint" }, t("needsNothing"))
      : h(
          "details",
          { open },
          h(
            "summary",
            {},
            t("needs"),
            h(
              "span",
              { class: open ? "badge wrong" : "badge" },
              open ? t("missingCount", found.missing.length) : `${lines.length} ✓`,
            ),
          ),
          h("ul", { class: "needed" }, lines),
        ),
  );
}

function serversTab(body: HTMLElement): () => void {
  const list = h("ul", { class: "rows" });
  const show = () => {
    const state = connections().view();
    setChildren(list, demoRow(state), state.servers.map(serverRow));
  };
  setChildren(body, list, !connections().view().isSaved && h("p", { class: "faint" }, t("notKept")), addServer());
  show();
  return connections().subscribe(show);
}

function demoRow({ demo, tools }: ConnectionsView): HTMLElement {
  const count = tools.filter(({ server }) => server === "demo").length;
  const box = h("input", {
    type: "checkbox",
    id: uniqueId("demo"),
    checked: demo,
    on: { change: () => connections().useDemo(box.checked) },
  });
  return h(
    "li",
    { class: "row demo" },
    h(
      "p",
      { class: "top" },
      h("strong", {}, t("demo")),
      h("span", { class: "state" }, demo ? t("ready", count) : t("idle")),
    ),
    h("p", { class: "faint" }, t("demoLine")),
    h("p", { class: "acts" }, h("label", { for: box.id }, box, " ", t("demoUse"))),
  );
}

const STATES: Readonly<Record<ServerRow["state"], MessageKey>> = {
  idle: "idle",
  connecting: "connecting",
  ready: "ready",
  lost: "lost",
  failed: "failed",
};

function serverRow(row: ServerRow): HTMLElement {
  const { name, url, state, tools, about, finding, hasKey } = row;
  const wantsKey = finding?.code === "connect/key-missing" || finding?.code === "connect/key-wrong";
  const button = (word: MessageKey, act: () => unknown) =>
    h("button", { type: "button", "aria-label": `${t(word)}: ${name}`, on: { click: () => void act() } }, t(word));
  return h(
    "li",
    { class: `row ${state}` },
    h("p", { class: "top" }, h("strong", {}, name), h("span", { class: "state" }, t(STATES[state], tools.length))),
    h("p", { class: "faint" }, h("code", {}, url), about !== "" && h("br"), about, hasKey && ` · ${t("hasKey")}`),
    finding !== null &&
      h(
        "div",
        { class: finding.code === "connect/ok" ? "finding fine" : "finding", role: "status" },
        h("p", { class: "headline" }, headline(finding.code), " ", h("code", {}, finding.code)),
        h("p", {}, renderCode(engineMessage(lang(), finding.code, finding.message))),
        h("p", {}, h("strong", {}, t("whatToDo"), ": "), renderCode(engineMessage(lang(), finding.code, finding.help))),
        finding.evidence.length > 0 &&
          h(
            "details",
            {},
            h("summary", {}, t("tried")),
            h(
              "ol",
              {},
              finding.evidence.map((one) => h("li", {}, one)),
            ),
          ),
        wantsKey && keyForm(name),
      ),
    h(
      "p",
      { class: "acts" },
      finding?.code === "connect/sign-in" && button("signIn", () => connections().connect(name, { signIn: true })),
      state !== "connecting" &&
        button(state === "ready" ? "diagnose" : "again", () =>
          state === "ready" ? connections().diagnose(name) : connections().connect(name),
        ),
      button("remove", () => connections().remove(name)),
    ),
  );
}

function renderCode(text: string): Child[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part));
}

function keyForm(name: string): HTMLElement {
  const input = h("input", { type: "password", "aria-label": t("key"), autocomplete: "off", required: true });
  const send = (event: Event) => {
    event.preventDefault();
    void connections().connect(name, { key: input.value });
  };
  return h("form", { class: "inline", on: { submit: send } }, input, h("button", { class: "primary" }, t("giveKey")));
}

export function field(word: MessageKey, input: HTMLInputElement | HTMLSelectElement, hint?: MessageKey): HTMLElement {
  input.id = uniqueId("field");
  const about = hint && h("small", { id: uniqueId("hint") }, t(hint));
  if (about) input.setAttribute("aria-describedby", about.id);
  return h("p", { class: "field" }, h("label", { for: input.id }, t(word)), input, about);
}

function addServer(): HTMLElement {
  const url = h("input", {
    type: "url",
    required: true,
    placeholder: "http://127.0.0.1:3001/mcp",
    autocomplete: "off",
  });
  const name = h("input", { type: "text", autocomplete: "off" });
  const key = h("input", { type: "password", autocomplete: "off" });
  const keep = h("input", { type: "checkbox", id: uniqueId("keep") });
  const send = (event: Event) => {
    event.preventDefault();
    void connections().add({ url: url.value, name: name.value, key: key.value, keepKey: keep.checked });
    (event.target as HTMLFormElement).reset();
  };
  return h(
    "form",
    { class: "new", on: { submit: send } },
    h("h3", {}, t("addServer")),
    field("address", url, "addressHint"),
    field("name", name, "nameHint"),
    field("key", key, "keyHint"),
    h("p", { class: "keep" }, h("label", { for: keep.id }, keep, " ", t("keepKey")), h("small", {}, t("keepHint"))),
    h("p", { class: "acts" }, h("button", { class: "primary" }, t("connect"))),
  );
}
