/** The demands of a request with the nodes that meet them. The user answers for each demand that no node meets. */
import type { Demand } from "../connect/coverage.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

export interface DemandList {
  element: HTMLElement;
  /** Whether the plan meets each demand that the user needs. */
  isComplete(): boolean;
}

/** `changed` is called after each answer, and `rephrase` if the user wants to change the request. */
export function demandList(demands: readonly Demand[], changed: () => void, rephrase: () => void): DemandList {
  const open = new Set(demands.filter(({ nodes, isLeftOut }) => nodes.length === 0 && isLeftOut === undefined));
  const row = (demand: Demand): HTMLElement => {
    if (demand.isLeftOut) return h("li", { "data-met": "dismissed" }, `${demand.text} → `, t("leftOut"));
    if (!open.has(demand))
      return h(
        "li",
        { "data-met": "true" },
        `${demand.text} → `,
        demand.nodes.map((id) => h("span", { class: "item" }, h("code", {}, id))),
      );
    const state = h("strong", {}, t("unmet"));
    const dismiss = () => {
      open.delete(demand);
      item.dataset.met = "dismissed";
      item.replaceChildren(`${demand.text} → `, t("notNeeded"));
      changed();
    };
    const item = h(
      "li",
      { "data-met": "false" },
      `${demand.text} → `,
      state,
      " ",
      h("button", { type: "button", on: { click: dismiss } }, t("notNeeded")),
      " ",
      h("button", { type: "button", on: { click: rephrase } }, t("changeRequest")),
    );
    return item;
  };
  return {
    element: h(
      "section",
      { class: "demands", "aria-label": t("demands") },
      h("h4", {}, t("demands")),
      h("ul", {}, demands.map(row)),
    ),
    isComplete: () => open.size === 0,
  };
}
