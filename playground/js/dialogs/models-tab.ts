/** The tab to list and add models. */
import { connections, lang } from "../connect/page-connections.js";
import { isChromeModelAvailable, PROVIDERS, type Provider } from "../connect/providers.js";
import type { ModelRow } from "../connect/connections.js";
import { field } from "./connections.js";
import { setChildren, h, uniqueId } from "./dom.js";
import { t } from "./i18n.js";

/** Returns a function that stops updates. */
export function modelsTab(body: HTMLElement): () => void {
  const list = h("ul", { class: "rows" });
  const show = () => {
    const { models } = connections().view();
    setChildren(list, models.length === 0 ? h("li", { class: "faint" }, t("withNobody")) : models.map(row));
  };
  setChildren(body, list, form());
  show();
  return connections().subscribe(show);
}

function row({ name, provider, model, baseUrl, hasKey, problem, checked }: ModelRow): HTMLElement {
  const title = provider === "demo" ? t("demo") : titleOf(provider);
  const state = problem !== null ? t("failed") : checked ? t("answers") : t("untested");
  return h(
    "li",
    { class: `row ${problem !== null ? "failed" : checked ? "ready" : "idle"}` },
    h("p", { class: "top" }, h("strong", {}, name), h("span", { class: "state" }, state)),
    h(
      "p",
      { class: "faint" },
      provider === "demo"
        ? t("demoModel")
        : [
            title,
            " · ",
            h("code", {}, model),
            baseUrl !== "" && [" · ", h("code", {}, baseUrl)],
            hasKey && ` · ${t("hasKey")}`,
          ],
    ),
    problem !== null && h("p", { class: "finding", role: "status" }, problem),
    provider !== "demo" &&
      h(
        "p",
        { class: "acts" },
        h(
          "button",
          {
            type: "button",
            "aria-label": `${t("test")}: ${name}`,
            on: { click: () => void connections().probe(name) },
          },
          t("test"),
        ),
        h(
          "button",
          {
            type: "button",
            "aria-label": `${t("remove")}: ${name}`,
            on: { click: () => connections().removeModel(name) },
          },
          t("remove"),
        ),
      ),
  );
}

function form(): HTMLElement {
  const provider = h(
    "select",
    { on: { change: () => show() } },
    PROVIDERS.map(({ id }) =>
      h(
        "option",
        { value: id, disabled: id === "chrome" },
        id === "chrome" ? `${titleOf(id)} (${t("notThere")})` : titleOf(id),
      ),
    ),
  );
  // Asked only here: browsers without a model warn on the console.
  void isChromeModelAvailable(lang()).then((isAvailable) => {
    const option = isAvailable ? provider.querySelector<HTMLOptionElement>('[value="chrome"]') : null;
    if (option) [option.disabled, option.textContent] = [false, titleOf("chrome")];
  });
  const model = h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false" });
  const base = h("input", { type: "url", autocomplete: "off" });
  const key = h("input", { type: "password", autocomplete: "off" });
  const name = h("input", { type: "text", value: "default", autocomplete: "off", pattern: "[A-Za-z][\\w\\-]*" });
  const keep = h("input", { type: "checkbox", id: uniqueId("keep") });
  const remoteOnly = [
    field("base", base, "baseHint"),
    field("key", key, "keyHint"),
    h("p", { class: "keep" }, h("label", { for: keep.id }, keep, " ", t("keepKey")), h("small", {}, t("keepHint"))),
  ];
  const show = () => {
    const chosen = PROVIDERS.find(({ id }) => id === provider.value)!;
    model.placeholder = chosen.model;
    base.placeholder = chosen.base;
    model.required = chosen.key;
    for (const part of remoteOnly) part.hidden = !chosen.key;
  };
  const send = (event: Event) => {
    event.preventDefault();
    connections().setModel({
      name: name.value,
      provider: provider.value as Provider,
      model: model.value || "chrome",
      baseUrl: base.value,
      key: key.value,
      keepKey: keep.checked,
    });
    void connections().probe(name.value.trim() || "default");
    key.value = "";
  };
  show();
  return h(
    "form",
    { class: "new", on: { submit: send } },
    h("h3", {}, t("addModel")),
    field("provider", provider),
    field("model", model),
    ...remoteOnly.slice(0, 2),
    field("modelName", name, "modelNameHint"),
    remoteOnly[2],
    h("p", { class: "acts" }, h("button", { class: "primary" }, t("save"))),
  );
}

function titleOf(provider: string): string {
  if (provider === "openai") return t("openAiChat");
  return provider === "chrome" ? t("builtInModel") : (PROVIDERS.find(({ id }) => id === provider)?.title ?? provider);
}
