/** Shows which nodes meet each demand, and which meet none. The user answers for unmet demands and unasked changes. */
import type { Demand } from "../../../wasm/js/request-review/demands.js";
import type { ExtraNodes } from "../../../wasm/js/request-review/extra-nodes.js";
import { h, setChildrenAndFocus, type Child } from "./dom.js";
import { t, type MessageKey } from "./i18n.js";

export interface DemandList {
  element: HTMLElement;
  /** What the user must still answer for. Null if it is nothing. */
  open(): "unmet" | "extra" | null;
}

export interface DemandListActions {
  /** Follows each answer. */
  changed: () => void;
  /** Changes the request. */
  rephrase: () => void;
  /** Points at a node of the plan. */
  show: (path: string) => void;
}

export function demandList(
  demands: readonly Demand[],
  extras: ExtraNodes,
  { changed, rephrase, show }: DemandListActions,
): DemandList {
  const open = new Set<Demand | string>(
    demands.filter(({ why, isLeftOut }) => why !== undefined && isLeftOut === undefined),
  );
  for (const path of extras.changing) open.add(path);
  const node = (path: string) =>
    h(
      "button",
      { type: "button", class: "item node", title: t("showNode", path), on: { click: () => show(path) } },
      h("code", {}, path),
    );
  const nodes = (paths: readonly string[]): Child[] => paths.flatMap((path) => [node(path), " "]);
  const button = (word: MessageKey, click: () => void) => h("button", { type: "button", on: { click } }, t(word));

  const answered = (item: HTMLElement, what: Demand | string, ...rest: Child[]) => {
    open.delete(what);
    item.dataset.met = "dismissed";
    setChildrenAndFocus(item, ...rest);
    changed();
  };
  const row = (demand: Demand): HTMLElement => {
    if (demand.isLeftOut) return h("li", { "data-met": "dismissed" }, `${demand.text} → `, t("leftOut"));
    if (!open.has(demand))
      return h(
        "li",
        { "data-met": "true" },
        `${demand.text} → `,
        demand.isKept ? t("keptProhibition") : nodes(demand.nodes),
      );
    // What meets the rest of the sentence.
    const isPartlyMet = demand.nodes.length > 0 && demand.why !== "unmetProhibition" && demand.why !== "unclear";
    const answer = demand.why === "unclear" || demand.why === "unresolved" ? "checkedDemand" : "notNeeded";
    const item = h(
      "li",
      { "data-met": "false" },
      `${demand.text} → `,
      isPartlyMet && [t("metInPart"), " ", nodes(demand.nodes)],
      h("strong", {}, t(demand.why ?? "unmet")),
      " ",
      !isPartlyMet && nodes(demand.nodes),
      button(answer, () => answered(item, demand, `${demand.text} → `, t(answer))),
      " ",
      button("changeRequest", rephrase),
    );
    return item;
  };
  const extra = (path: string): HTMLElement => {
    const item = h(
      "li",
      { "data-met": "extra" },
      h("strong", {}, t("alsoChanges")),
      " ",
      node(path),
      " ",
      button("agreedExtra", () => answered(item, path, node(path), " → ", t("agreedExtra"))),
      " ",
      button("changeRequest", rephrase),
    );
    return item;
  };
  return {
    element: h(
      "section",
      { class: "demands", "aria-label": t("demands") },
      h("h4", {}, t("demands")),
      h("ul", {}, demands.map(row), extras.changing.map(extra)),
      extras.other.length > 0 && h("p", { class: "also" }, t("alsoDoes"), " ", nodes(extras.other)),
    ),
    open: () => {
      const kinds = [...open].map((one) => (typeof one === "string" ? "extra" : "unmet"));
      return kinds.includes("unmet") ? "unmet" : (kinds[0] ?? null);
    },
  };
}
