/** Example plans with recorded runs. Opening one first saves the open plan. */
import { lang as pageLang } from "../connect/page-connections.js";
import type { Lang } from "../connect/demo-data.js";
import { openDialog } from "./dialog.js";
import { setChildren, h } from "./dom.js";
import type { PageApi } from "./page-api.js";
import {
  matchingPlans,
  FEATURES,
  recordingOf,
  SEEDS,
  textOf,
  type GalleryFilter,
  type GalleryEntry,
} from "./gallery-plans.js";
import { drawThumbnail } from "./thumbnail.js";
import { t, type MessageKey } from "./i18n.js";

/** Restores the last filter. */
export function openGallery(page: PageApi): void {
  filter.lang = pageLang();
  openDialog({
    id: "gallery",
    modal: true,
    title: () => t("gallery"),
    build: (inside, close) => build(inside, close, page),
  });
}

const NO_FILTER = { search: "", seed: "", feature: "", level: 0 };
const filter: GalleryFilter = { lang: "en", ...NO_FILTER };

/** The language always has a value. */
function isUnfiltered(): boolean {
  return filter.search.trim() === "" && filter.seed === "" && filter.feature === "" && filter.level === 0;
}

function build(inside: HTMLElement, close: () => void, page: PageApi): void {
  const list = h("ul", { class: "cards" });
  const count = h("p", { class: "count", role: "status" });
  const filters = h("div", { class: "filters" });
  const search = h("input", {
    type: "search",
    class: "search",
    "aria-label": t("searchPlans"),
    placeholder: t("searchPlans"),
    value: filter.search,
    on: { input: () => ((filter.search = search.value), show()) },
  });
  // The filters may be folded, and may be of an earlier visit.
  const all = h("button", { type: "button", class: "all", on: { click: () => clear() } }, t("showAll"));
  const show = () => {
    const plans = matchingPlans(filter);
    count.textContent = plans.length === 1 ? t("foundOne") : t("found", plans.length);
    setChildren(
      list,
      plans.map((plan) => planCard(plan, page, close)),
    );
    if (plans.length === 0) setChildren(list, h("li", { class: "nothing" }, t("none")));
    all.hidden = isUnfiltered();
    setChildren(filters, ...filtersOf(show));
  };
  const clear = () => {
    Object.assign(filter, NO_FILTER);
    search.value = "";
    show();
    search.focus();
  };
  const langs = h(
    "div",
    { class: "segments", role: "group", "aria-label": t("languageOfPlans") },
    (["en", "es"] as const).map((one) => langButton(one, show)),
  );
  setChildren(
    inside,
    h("p", { class: "lead" }, t("galleryLine")),
    h("div", { class: "tools-row" }, search, langs, count, all),
    h(
      "div",
      { class: "split" },
      h("details", { class: "filters-box", open: !isNarrow() }, h("summary", {}, t("filters")), filters),
      list,
    ),
  );
  show();
}

/** As in `dialogs.css`, where wide pages have no summary. */
function isNarrow(): boolean {
  return matchMedia("(max-width: 760px), (max-height: 500px) and (max-width: 1100px)").matches;
}

function langButton(one: Lang, show: () => void): HTMLElement {
  const press = () => {
    filter.lang = one;
    for (const other of button.parentElement?.children ?? [])
      other.setAttribute("aria-pressed", String(other === button));
    show();
  };
  const button = h(
    "button",
    { type: "button", lang: one, "aria-pressed": String(filter.lang === one), on: { click: press } },
    { en: "English", es: "Español" }[one],
  );
  return button;
}

/** A second press removes a filter. */
function filtersOf(show: () => void): HTMLElement[] {
  const group = (word: MessageKey, key: "seed" | "feature" | "level", choices: [string | number, string][]) =>
    h(
      "fieldset",
      {},
      h("legend", {}, t(word)),
      choices.map(([value, text]) => {
        const is = filter[key] === value;
        const press = () => {
          Object.assign(filter, { [key]: is ? (key === "level" ? 0 : "") : value });
          show();
          // The rebuilt list has a new button.
          document.querySelector<HTMLElement>(`.dialog.gallery [data-choice="${key} ${value}"]`)?.focus();
        };
        return h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-pressed": String(is),
            "data-choice": `${key} ${value}`,
            on: { click: press },
          },
          text,
        );
      }),
    );
  const named = (all: Record<string, Record<Lang, string>>, number = false) =>
    Object.entries(all).map(([id, name]): [string, string] => [
      id,
      number ? `${id} ${name[pageLang()]}` : name[pageLang()],
    ]);
  return [
    group("systems", "seed", named(SEEDS)),
    group("features", "feature", named(FEATURES)),
    group("level", "level", [
      [1, t("level1")],
      [2, t("level2")],
      [3, t("level3")],
    ]),
  ];
}

const NEED_MESSAGES: Readonly<Record<string, MessageKey>> = {
  tools: "needTools",
  model: "needModel",
  context: "needContext",
  person: "needPerson",
};

function planCard(plan: GalleryEntry, page: PageApi, close: () => void): HTMLElement {
  const { lang } = filter;
  const picture = h("div", { class: "picture" });
  const text = textOf(plan.id, lang);
  void text.then((text) => {
    const json = page.diagram(text);
    if (json !== undefined) setChildren(picture, drawThumbnail(json, t("picture", plan.title[lang])).element);
  });
  const name = plan.title[lang];
  const open = async (showRun: boolean) => {
    // The plan opens even without a recording.
    const [opened, cassette] = await Promise.all([text, recordingOf(plan.id, lang).catch(() => undefined)]);
    close();
    const announceOpened = () => page.announce(t("opened", name));
    page.open(name, opened, "gallery", announceOpened, cassette, showRun && cassette !== undefined);
  };
  const level = t(`level${plan.level}` as MessageKey);
  return h(
    "li",
    { class: "card" },
    picture,
    h("h3", {}, h("button", { type: "button", class: "cover", lang, on: { click: () => void open(false) } }, name)),
    h("p", { class: "line", lang }, plan.line[lang]),
    h(
      "p",
      { class: "facts" },
      h(
        "span",
        { class: "level", title: level },
        h("span", { "aria-hidden": "true" }, "●".repeat(plan.level) + "○".repeat(3 - plan.level)),
        h("span", { class: "unseen" }, level),
      ),
      plan.seed !== undefined && h("span", { class: "tag system" }, SEEDS[plan.seed]![pageLang()]),
      plan.needs.map((need) => h("span", { class: "tag" }, t(NEED_MESSAGES[need]!))),
    ),
    h(
      "button",
      { type: "button", class: "see", "aria-label": t("seeRunOf", name), on: { click: () => void open(true) } },
      t("seeRun"),
    ),
  );
}
