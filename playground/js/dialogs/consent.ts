/** Asks a person whether planned calls may be made; who goes away has said no. */
import type { Approval, Decision, ToolPlan } from "stepgraph/web";
import { connections } from "../connect/page-connections.js";
import { needs } from "../connect/requirements.js";
import { fill, h } from "./dom.js";
import { reviewOf } from "./review.js";
import { t } from "./i18n.js";
import { brief } from "./progress.js";

/** Asks whether planned calls may be made, with what they may do. */
export async function agree(
  told: HTMLElement,
  text: string,
  { tool_calls }: ToolPlan,
  signal: AbortSignal,
): Promise<boolean> {
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
        told,
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
export function ask(place: HTMLElement, { tool, input }: Approval, signal: AbortSignal): Promise<Decision> {
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
