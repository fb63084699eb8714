/** Shows which nodes meet each demand. The user answers for unmet ones. */
import type { Demand } from "../../../wasm/js/request-review/demands.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

export interface DemandList {
  element: HTMLElement;
  /** Every needed demand is met. */
  isComplete(): boolean;
}

/** `changed` follows each answer. `rephrase` changes the request. */
export function demandList(demands: readonly Demand[], changed: () => void, rephrase: () => void): DemandList {
  const open = new Set(demands.filter(({ why, isLeftOut }) => why !== undefined && isLeftOut === undefined));
  const items = (ids: readonly string[]) => ids.flatMap((id) => [h("span", { class: "item" }, h("code", {}, id)), " "]);
  const row = (demand: Demand): HTMLElement => {
    if (demand.isLeftOut) return h("li", { "data-met": "dismissed" }, `${demand.text} → `, t("leftOut"));
    if (!open.has(demand))
      return h(
        "li",
        { "data-met": "true" },
        `${demand.text} → `,
        demand.isKept ? t("keptProhibition") : items(demand.nodes),
      );
    const answer = t(demand.why === "unclear" || demand.why === "unresolved" ? "checkedDemand" : "notNeeded");
    const state = h("strong", {}, t(demand.why ?? "unmet"));
    const dismiss = () => {
      open.delete(demand);
      item.dataset.met = "dismissed";
      item.replaceChildren(`${demand.text} → `, answer);
      changed();
    };
    const item = h(
      "li",
      { "data-met": "false" },
      `${demand.text} → `,
      state,
      " ",
      items(demand.nodes),
      " ",
      h("button", { type: "button", on: { click: dismiss } }, answer),
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
