/**
 * The embedded page.
 *
 * It accepts only its parent's messages. The plan is untrusted. Messages are `{stepgraph: 1, type, …}`. It receives
 * `plan` with `name` and `text`, and `cursor` with `offset`, which selects an item. It sends `ready`, `change` with
 * `text`, `select` with `start` and `end`, and `error` with `code`. Offsets are UTF-16 units.
 */
import { onItemSelected, selectItemAt } from "../editor/selection-link.js";
import { isLink, readLink } from "./link.js";
import { ShareError } from "./errors.js";

const CHANGE_DELAY_MS = 300;

let readText: (() => string) | null = null;
let lastText = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function post(message: Record<string, unknown>): void {
  // Safe for any origin: the parent sent the plan.
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
    // Opening also selects. The parent should follow only active readers.
    if (!document.hasFocus()) return;
    // The parent needs the offsets' text first.
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

/** Skips the parent's own text. */
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
