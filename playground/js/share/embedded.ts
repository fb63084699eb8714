/**
 * The page inside another page: takes the plan that the other one hands in, and tells it what becomes of it.
 *
 * Decides whom it listens to: the page around it and nobody else. What comes is text, never markup, and a stranger's
 * plan. Messages are `{stepgraph: 1, type, …}`: `plan` with `name` and `text` comes in; `ready`, `change` with `text`,
 * and `error` with `code` go out.
 */
import { isLink, readLink } from "./link.js";
import { ShareError } from "./errors.js";

/** How long a change waits for the next. */
const CHANGE_DELAY_MS = 300;

let readText: (() => string) | null = null;
let lastText = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function post(message: Record<string, unknown>): void {
  // The plan came from there; a page that was framed by nobody talks to nobody.
  if (parent !== window) parent.postMessage({ stepgraph: 1, ...message }, "*");
}

/** Listens for a plan, and says that it does. */
export async function start(text: () => string, take: (name: string, text: string) => void): Promise<void> {
  readText = text;
  const show = (name: string, plan: string): void => {
    lastText = plan;
    take(name, plan);
  };
  addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent || typeof data !== "object" || data === null) return;
    const { stepgraph, type, name, text } = data as Record<string, unknown>;
    if (stepgraph === 1 && type === "plan" && typeof text === "string")
      show(typeof name === "string" ? name.slice(0, 200) : "", text);
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

/** The plan has changed. What was handed in is no change. */
export function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const text = readText?.() ?? "";
    if (text === lastText) return;
    lastText = text;
    post({ type: "change", text });
  }, CHANGE_DELAY_MS);
}
