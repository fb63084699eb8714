/** The tools tab. */
import type { ToolInfo } from "stepgraph/web";
import { connections } from "../connect/page-connections.js";
import { effectOf } from "../effect.js";
import { demoText } from "./demo-texts.js";
import { setChildren, h } from "./dom.js";
import type { PageApi } from "./page-api.js";
import { normalizeText } from "./gallery-plans.js";
import { t, type MessageKey } from "./i18n.js";

/** Returns a function that stops updates. */
export function toolsTab(body: HTMLElement, page: PageApi): () => void {
  const list = h("div", { class: "tool-list" });
  const search = h("input", {
    type: "search",
    class: "search",
    "aria-label": t("searchTools"),
    placeholder: t("searchTools"),
    on: { input: () => show() },
  });
  const show = () => {
    const all = connections().tools();
    const searched = normalizeText(search.value).split(/\s+/).filter(Boolean);
    const matching = all.filter(({ name, description = "", server = "" }) =>
      searched.every((word) =>
        normalizeText(`${name} ${description} ${demoText(description)} ${server}`).includes(word),
      ),
    );
    const servers = [...new Set(matching.map(({ server = "" }) => server))];
    const twice = new Set(all.map(({ name }) => name).filter((name, at, names) => names.indexOf(name) !== at));
    setChildren(
      list,
      servers.map((server) =>
        h(
          "section",
          {},
          h("h3", {}, server === "demo" ? t("demo") : server),
          h(
            "ul",
            { class: "rows" },
            matching.filter((tool) => tool.server === server).map((tool) => row(tool, twice, page)),
          ),
        ),
      ),
    );
    if (matching.length === 0)
      setChildren(list, h("p", { class: "faint" }, t(all.length === 0 ? "noServer" : "noTools")));
  };
  setChildren(body, search, h("p", { class: "faint" }, t("dragHint")), list);
  show();
  return connections().subscribe(show);
}

function row(tool: ToolInfo, twice: ReadonlySet<string>, page: PageApi): HTMLElement {
  const { name, description = "", server = "" } = tool;
  const called = twice.has(name) ? `${server}.${name}` : name;
  const effect = effectOf(tool);
  const add = (x = NaN, y = NaN) => page.addTool(called, x, y) && page.announce(t("added", called));
  const item = h(
    "li",
    { class: "row tool", draggable: "true", on: { dragstart: (event: DragEvent) => startDrag(event, called, add) } },
    h(
      "p",
      { class: "top" },
      h("code", { class: "name" }, name),
      h("span", { class: `effect ${effect}` }, t(effect)),
      h(
        "button",
        { type: "button", class: "add", "aria-label": t("addTool", called), on: { click: () => add() } },
        t("add"),
      ),
    ),
    h("p", { class: "faint" }, demoText(description ?? "")),
    h(
      "details",
      {},
      h("summary", {}, `${t("takes")}: ${propertyNames(tool.input_schema).join(", ") || t("nothing")}`),
      parameterList(tool.input_schema, "takes"),
      tool.output_schema && parameterList(tool.output_schema, "gives"),
    ),
  );
  return item;
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

function propertyNames(schema: Record<string, unknown>): string[] {
  return Object.keys((schema as Schema).properties ?? {});
}

function typeText({ type, enum: choices, items }: Schema): string {
  if (choices) return choices.map(String).join(" | ");
  const name = type === undefined ? "" : [type].flat().join(" | ");
  return name === "array" && items ? `${typeText(items) || "…"}[]` : name;
}

function parameterList(schema: Record<string, unknown>, word: MessageKey): HTMLElement | null {
  const { properties = {}, required = [] } = schema as Schema;
  const rows = Object.entries(properties);
  if (rows.length === 0) return null;
  return h(
    "dl",
    { "aria-label": t(word) },
    word === "gives" && h("dt", { class: "head" }, t("gives")),
    rows.map(([name, inner]) => [
      h(
        "dt",
        {},
        h("code", {}, name),
        word === "takes" && required.includes(name) && h("small", {}, ` ${t("required")}`),
      ),
      h(
        "dd",
        {},
        h("span", { class: "kind" }, typeText(inner)),
        inner.description !== undefined && ` ${demoText(inner.description)}`,
      ),
    ]),
  );
}

function startDrag(event: DragEvent, called: string, add: (x: number, y: number) => void): void {
  const drawing = document.querySelector<HTMLElement>(".pane.drawing");
  event.dataTransfer?.setData("text/plain", called);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copy";
  if (drawing === null) return;
  const over = (move: DragEvent) => {
    move.preventDefault();
    if (move.dataTransfer) move.dataTransfer.dropEffect = "copy";
  };
  const drop = (end: DragEvent) => {
    end.preventDefault();
    const { left, top } = drawing.getBoundingClientRect();
    add(end.clientX - left, end.clientY - top);
  };
  drawing.addEventListener("dragover", over);
  drawing.addEventListener("drop", drop);
  event.target?.addEventListener(
    "dragend",
    () => {
      drawing.removeEventListener("dragover", over);
      drawing.removeEventListener("drop", drop);
    },
    { once: true },
  );
}
