/**
 * What the page's module imports: small things, and the ways to what is loaded only when it is needed.
 *
 * Text crosses as text, structures as JSON text, places in UTF-16 units.
 */
import { onFirstInteraction } from "./deferred-module.js";
import type { PageApi } from "./dialogs/page-api.js";
import type { PageRuns } from "./run/page-runs.js";

export { __wasm_split_load_rest, onFirstInteraction as whenThere } from "./deferred-module.js";

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

let onRunnerMessage: (line: string) => void = () => {};
let runs: Promise<PageRuns> | null = null;
/** How often another plan was opened. */
let planNumber = 0;

/** What runs tell goes there, as JSON text. */
export function run_listen(listener: (line: string) => void): void {
  onRunnerMessage = listener;
}

/** Tells a run something, as JSON text; the first loads what runs need. */
export function run_take(line: string): void {
  const plan = planNumber;
  // What is connected has to be known before anything runs.
  runs ??= Promise.all([import("./run/page-runs.js"), startConnections()]).then(([{ openRuns }]) =>
    openRuns((message) => onRunnerMessage(message)),
  );
  runs.then(
    (page) => page.send(line),
    (error: unknown) => {
      runs = null;
      if (plan !== planNumber) return;
      const message = `what runs need can't be loaded: ${error instanceof Error ? error.message : String(error)}`;
      onRunnerMessage(JSON.stringify({ type: "ended", outcome: "failed", code: "run/no-engine", message }));
      onRunnerMessage(JSON.stringify({ type: "state", state: "ended" }));
    },
  );
}

/** Another plan was opened: what the one before has told a run ends, and nothing of it is heard any more. */
export function run_leave(): void {
  planNumber++;
  runs?.then(
    (page) => page.planChanged(),
    () => {},
  );
}
export { openText } from "./editor/open.js";

let pageApi: PageApi | null = null;

/** Keeps what dialogs may do to the page, and looks around for what is connected once somebody is there. */
export function rooms(api: PageApi): void {
  pageApi = api;
  onFirstInteraction(() => void startConnections());
}

let connectionsStarted: Promise<void> | null = null;

async function startConnections(): Promise<void> {
  const opened = pageApi;
  if (opened !== null)
    await (connectionsStarted ??= import("./dialogs/open-dialog.js").then((module) => module.startConnections(opened)));
}

/** Opens a dialog: the gallery, the connections, or the way from a request to a plan. */
export function room(name: string): void {
  const opened = pageApi;
  if (opened !== null) void import("./dialogs/open-dialog.js").then((module) => module.open(name, opened));
}
