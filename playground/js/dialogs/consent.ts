/** Asks for approval of planned calls. Closing rejects. */
import type { Approval, Decision, ToolPlan } from "stepgraph/web";
import type { GuardedCall } from "../run/guarded-calls.js";
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
      const question = h("div", { class: "banner open", tabindex: -1 }, h("strong", {}, t("gatherTitle")));
      setChildren(
        container,
        question,
        calls,
        planReview(found, null),
        h(
          "p",
          { class: "acts" },
          yes,
          h("button", { type: "button", on: { click: () => answer(false) } }, t("refuse")),
        ),
      );
      question.focus();
    },
    false,
  ).then((agreed) => {
    setChildrenAndFocus(container, agreed && h("p", { class: "faint" }, t("makingCalls")));
    return agreed;
  });
}

/**
 * One call, or an `approve` node's input with the call that it guards. The focus is on the question, so that no key
 * approves what the user has not read.
 */
export function requestApproval(
  container: HTMLElement,
  { node, tool, input }: Approval,
  signal: AbortSignal,
  guarded?: GuardedCall,
): Promise<Decision> {
  return waitForAnswer<Decision>(
    signal,
    (answer) => {
      const args = (input as { arguments?: unknown } | null)?.arguments;
      const asks = guarded === undefined ? t("askPlain", node) : t("askBefore", node, guarded.tool);
      const text = tool !== undefined ? t("askFirst", tool) : asks;
      const yes = h(
        "button",
        { type: "button", class: "primary", on: { click: () => answer("approved") } },
        t("allow"),
      );
      const box = h(
        "div",
        { class: "banner open", role: "group", tabindex: -1, "aria-label": text },
        h("p", {}, text),
        valueList(tool !== undefined ? args : input),
        guarded && [h("p", {}, t("withArguments", guarded.tool)), valueList(guarded.arguments)],
        h(
          "p",
          { class: "acts" },
          yes,
          h("button", { type: "button", on: { click: () => answer("rejected") } }, t("refuse")),
        ),
      );
      setChildren(container, box);
      box.focus();
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
