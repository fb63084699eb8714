/**
 * What the page's module imports: small things, and the ways to what is loaded only when it is needed.
 *
 * Text crosses as text, structures as JSON text, places in UTF-16 units.
 */
import { whenThere } from "./deferred-module.js";
import type { PageApi } from "./dialogs/page-api.js";
import type { PageRuns } from "./run/page-runs.js";

export { __wasm_split_load_rest, whenThere } from "./deferred-module.js";

/** Milliseconds since the page was opened. */
export function now(): number {
  return performance.now();
}

export { embedBegin, embedChanged, share, shareBegin, shareChanged } from "./share/bridge.js";
/** Puts text on the clipboard; says when the browser does not let it. */
export function copyText(text: string, denied: () => void): void {
  navigator.clipboard.writeText(text).catch(denied);
}

/** Hands over the text of the clipboard; nothing when the browser does not let it. */
export function pasteText(take: (text: string | undefined) => void): void {
  navigator.clipboard.readText().then(take, () => take(undefined));
}

let hear: (line: string) => void = () => {};
let runs: Promise<PageRuns> | null = null;
/** How often another plan was opened. */
let left = 0;

/** What runs tell goes there, as JSON text. */
export function run_listen(tell: (line: string) => void): void {
  hear = tell;
}

/** Tells a run something, as JSON text; the first loads what runs need. */
export function run_take(line: string): void {
  const plan = left;
  // What is connected has to be known before anything runs.
  runs ??= Promise.all([import("./run/page-runs.js"), lookAround()]).then(([{ open }]) => open((told) => hear(told)));
  runs.then(
    (page) => page.take(line),
    (error: unknown) => {
      runs = null;
      if (plan !== left) return;
      const message = `what runs need can't be loaded: ${error instanceof Error ? error.message : String(error)}`;
      hear(JSON.stringify({ type: "ended", outcome: "failed", code: "run/no-engine", message }));
      hear(JSON.stringify({ type: "state", state: "ended" }));
    },
  );
}

/** Another plan was opened: what the one before has told a run ends, and nothing of it is heard any more. */
export function run_leave(): void {
  left++;
  runs?.then(
    (page) => page.leave(),
    () => {},
  );
}
export { openText } from "./editor/open.js";

let page: PageApi | null = null;

/** Keeps what rooms may do to the page, and looks around for what is connected once somebody is there. */
export function rooms(given: PageApi): void {
  page = given;
  whenThere(() => void lookAround());
}

let around: Promise<void> | null = null;

async function lookAround(): Promise<void> {
  const opened = page;
  if (opened !== null) await (around ??= import("./dialogs/open-dialog.js").then((module) => module.begin(opened)));
}

/** Opens a room: the gallery, the connections, or the way from a request to a plan. */
export function room(name: string): void {
  const opened = page;
  if (opened !== null) void import("./dialogs/open-dialog.js").then((module) => module.open(name, opened));
}
