/** The review before a run. */
import type { AuthorResult, CostBound, Effect } from "stepgraph/web";
import type { PlanRequirements } from "../connect/requirements.js";
import { h, type Child } from "./dom.js";
import { localNumber, t, type MessageKey } from "./i18n.js";
import { plannerText } from "./planner-messages.js";

const EFFECTS: readonly [Effect, MessageKey][] = [
  ["destroys", "destroys"],
  ["unknown", "unknown"],
  ["writes", "writes"],
  ["reads", "reads"],
];

/** Unknown costs never show as 0. A tooltip says why. */
function costItems({ modelTurns, usd }: CostBound): Child[] {
  const turns =
    modelTurns.most === null
      ? t("unboundedTurns")
      : t("modelTurns", modelTurns.most === 1 ? 1 : localNumber(modelTurns.most));
  const money =
    usd.most === null
      ? t("unknownCost")
      : `${usd.most < 0.01 ? localNumber(usd.most, 6) : localNumber(Math.ceil(usd.most * 100) / 100, 2, 2)} USD`;
  const why = [modelTurns, usd].flatMap((figure) => ("why" in figure ? figure.why : []));
  const title = [...new Set(why)].map(plannerText).join("\n");
  return [turns, money].map((text) => h("span", { class: "item", ...(title !== "" && { title }) }, text));
}

/** Most harmful effects first. False if there is nothing to review. */
export function planReview(
  found: PlanRequirements | null,
  result: Extract<AuthorResult, { status: "planned" }> | null,
): Child {
  const rows: Child[] = [];
  const row = (name: Child, ...what: Child[]) => rows.push(h("dt", {}, name), h("dd", {}, ...what));
  for (const [effect, word] of EFFECTS) {
    const tools = found?.tools.filter((tool) => tool.effect === effect) ?? [];
    if (tools.length > 0)
      row(
        h("span", { class: `effect ${effect}` }, t(word)),
        tools.map(({ name, server }) =>
          h(
            "span",
            { class: "item" },
            h("code", {}, name),
            server === null ? ` ${t("missing")}` : ` · ${server === "demo" ? t("demo") : server}`,
          ),
        ),
      );
  }
  if (found && found.models.length > 0)
    row(
      t("asksModel"),
      found.models.map(({ name }) => h("span", { class: "item" }, h("code", {}, name))),
    );
  const cost = found?.cost;
  if (cost && found.models.length > 0) row(t("mayCost"), costItems(cost));
  if (found && found.people.length > 0)
    row(
      t("asksPerson"),
      found.people.map((name) => h("span", { class: "item" }, h("code", {}, name))),
    );
  const params = Object.entries(result?.params ?? {});
  if (params.length > 0)
    row(
      t("inputs"),
      params.map(([name, value]) =>
        h(
          "span",
          { class: "item" },
          h("code", {}, name),
          ` = ${typeof value === "string" ? value : JSON.stringify(value)}`,
        ),
      ),
    );
  if (result && result.missing_params.length > 0)
    row(
      t("stillMissing"),
      result.missing_params.map((name) => h("span", { class: "item wrong" }, h("code", {}, name))),
    );
  if (result && result.missing_capabilities.length > 0)
    row(
      t("missing"),
      result.missing_capabilities.map((name) => h("span", { class: "item wrong" }, name)),
    );
  return (
    rows.length > 0 &&
    h("section", { class: "review", "aria-label": t("mayDo") }, h("h4", {}, t("mayDo")), h("dl", {}, rows))
  );
}
