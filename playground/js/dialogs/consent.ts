/** Asks for approval of planned calls. Closing rejects. */
import type { Approval, Decision, ToolPlan } from "stepgraph/web";
import { connections } from "../connect/page-connections.js";
import { requirementsOf } from "../connect/requirements.js";
import { setChildren, setChildrenAndFocus, h } from "./dom.js";
import { planReview } from "./review.js";
import { t } from "./i18n.js";
import { valueList } from "./short-values.js";

export async function confirmCalls(
  container: HTMLElement,
  text: string,
  { tool_calls }: ToolPlan,
  signal: AbortSignal,
): Promise<boolean> {
  const found = text === "" ? null : await requirementsOf(text, connections());
  if (signal.aborted) return false;
  const calls = h(
    "ol",
    { class: "calls" },
    tool_calls.map(({ tool_name, parameters, reasoning }) =>
      h(
        "li",
        {},
        h("code", {}, tool_name),
        valueList(parameters),
        typeof reasoning === "string" && h("small", {}, reasoning),
      ),
    ),
  );
  return waitForAnswer(
    signal,
    (answer) => {
      const yes = h("button", { type: "button", class: "primary", on: { click: () => answer(true) } }, t("agreeCalls"));
      setChildren(
        container,
        h("div", { class: "banner open" }, h("strong", {}, t("gatherTitle"))),
        calls,
        planReview(found, null),
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
  ).then((agreed) => {
    setChildrenAndFocus(container, agreed && h("p", { class: "faint" }, t("makingCalls")));
    return agreed;
  });
}

/** One call, or an `approve` node's input. */
export function requestApproval(
  container: HTMLElement,
  { tool, input }: Approval,
  signal: AbortSignal,
): Promise<Decision> {
  return waitForAnswer<Decision>(
    signal,
    (answer) => {
      const args = (input as { arguments?: unknown } | null)?.arguments;
      const text = t(tool !== undefined ? "askFirst" : "askPlain", tool ?? "");
      const yes = h(
        "button",
        { type: "button", class: "primary", on: { click: () => answer("approved") } },
        t("allow"),
      );
      const box = h(
        "div",
        { class: "banner open", role: "group", "aria-label": text },
        h("p", {}, text),
        valueList(tool !== undefined ? args : input),
        h(
          "p",
          { class: "acts" },
          h("button", { type: "button", on: { click: () => answer("rejected") } }, t("refuse")),
          yes,
        ),
      );
      setChildren(container, box);
      yes.focus();
    },
    "rejected",
  ).finally(() => setChildrenAndFocus(container));
}

/** An abort resolves with `otherwise`. */
function waitForAnswer<T>(signal: AbortSignal, show: (answer: (value: T) => void) => void, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(otherwise), { once: true });
    show(resolve);
  });
}
