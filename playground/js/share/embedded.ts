/**
 * The embedded page: receives a plan from its parent and reports changes.
 *
 * It accepts messages from its parent only, and treats the plan as untrusted. Messages are
 * `{stepgraph: 1, type, …}`. It receives `plan` with `name` and `text`, and `cursor` with `offset`, which selects the
 * item there. It sends `ready`, `change` with `text`, `select` with `start` and `end`, and `error` with `code`.
 * Offsets count UTF-16 units of the text.
 */
import { onItemSelected, selectItemAt } from "../editor/selection-link.js";
import { isLink, readLink } from "./link.js";
import { ShareError } from "./errors.js";

const CHANGE_DELAY_MS = 300;

let readText: (() => string) | null = null;
let lastText = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function post(message: Record<string, unknown>): void {
  // The plan came from this parent, so any origin may receive it.
  if (parent !== window) parent.postMessage({ stepgraph: 1, ...message }, "*");
}

export async function start(text: () => string, take: (name: string, text: string) => void): Promise<void> {
  readText = text;
  const show = (name: string, plan: string): void => {
    lastText = plan;
    take(name, plan);
  };
  addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent || typeof data !== "object" || data === null) return;
    const { stepgraph, type, name, text, offset } = data as Record<string, unknown>;
    if (stepgraph !== 1) return;
    if (type === "plan" && typeof text === "string") show(typeof name === "string" ? name.slice(0, 200) : "", text);
    else if (type === "cursor" && typeof offset === "number") selectItemAt(offset);
  });
  onItemSelected((start, end) => {
    // Opening a plan selects as well. Only readers who use the plan want the parent to follow.
    if (!document.hasFocus()) return;
    // The offsets are those of the present text, so the parent needs that first.
    report();
    post({ type: "select", start, end });
  });
  if (isLink(location.hash)) {
    try {
      const shared = await readLink(location.hash);
      show(shared.name, shared.text);
    } catch (error) {
      post({ type: "error", code: error instanceof ShareError ? error.code : "link/garbage" });
    }
  }
  post({ type: "ready" });
}

/** Reports a change, unless the text is that of the parent. */
export function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(report, CHANGE_DELAY_MS);
}

function report(): void {
  clearTimeout(timer);
  const text = readText?.() ?? "";
  if (text === lastText) return;
  lastText = text;
  post({ type: "change", text });
}
