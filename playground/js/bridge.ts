/** Functions for the page's module. Structures cross as JSON text, positions as UTF-16 units. */
import { onFirstInteraction, onFirstSign } from "./deferred-module.js";
import { loadEngineMessages } from "./engine-messages.js";
import { showLoadError } from "./load-error.js";
import type { PageApi } from "./dialogs/page-api.js";
import type { PageRuns } from "./run/page-runs.js";

export { engineMessage } from "./engine-messages.js";
export { __wasm_split_load_rest, onFirstInteraction } from "./deferred-module.js";

export function now(): number {
  return performance.now();
}

export {
  startEmbedding,
  embeddedPlanChanged,
  runStorageCommand,
  startStorage,
  storedPlanChanged,
} from "./share/bridge.js";
/** Calls `denied` if the browser forbids it. */
export function copyText(text: string, denied: () => void): void {
  navigator.clipboard.writeText(text).catch(denied);
}

/** `undefined` if the browser forbids it. */
export function pasteText(take: (text: string | undefined) => void): void {
  navigator.clipboard.readText().then(take, () => take(undefined));
}

/** Gives the page's Spanish texts, or nothing if they can't be loaded. */
export function loadSpanish(take: (texts: string | undefined) => void): void {
  Promise.all([import("./spanish/page-texts.js"), loadEngineMessages("es")]).then(
    ([{ texts }]) => take(texts),
    (error: unknown) => {
      showLoadError("part", error);
      take(undefined);
    },
  );
}

let runnerListener: (line: string) => void = () => {};
let runs: Promise<PageRuns> | null = null;
/** Identifies the plan, to drop late errors of an earlier one. */
let planNumber = 0;

/** Listens for JSON messages of the runner. */
export function onRunnerMessage(listener: (line: string) => void): void {
  runnerListener = listener;
}

/** Loads the runner first. */
export function sendToRunner(line: string): void {
  const plan = planNumber;
  // A run needs the connected tools.
  runs ??= Promise.all([import("./run/page-runs.js"), startConnections()]).then(([{ openRuns }]) =>
    openRuns((message) => runnerListener(message)),
  );
  runs.then(
    (page) => page.send(line),
    (error: unknown) => {
      runs = null;
      if (plan !== planNumber) return;
      const message = `the runner can't be loaded: ${error instanceof Error ? error.message : String(error)}`;
      runnerListener(JSON.stringify({ type: "ended", outcome: "failed", code: "run/no-engine", message }));
      runnerListener(JSON.stringify({ type: "state", state: "ended" }));
    },
  );
}

/** Also drops the messages of the last plan's runs. */
export function discardRun(): void {
  planNumber++;
  runs?.then(
    (page) => page.planChanged(),
    () => {},
  );
}
export { openText } from "./editor/open.js";

let pageApi: PageApi | null = null;

/** Starts the connections at the first interaction. */
export function setPageApi(api: PageApi): void {
  pageApi = api;
  onFirstInteraction(() => void startConnections());
  onFirstSign(() => void import("./focus-guard.js").then(({ guardFocus }) => guardFocus()));
}

/** Stubs may have the names of the demo's tools. */
export function offerDemoTools(on: boolean): void {
  void import("./connect/page-connections.js").then(({ connections }) => connections().offerDemoTools(on));
}

let connectionsStarted: Promise<void> | null = null;

async function startConnections(): Promise<void> {
  const opened = pageApi;
  if (opened !== null)
    await (connectionsStarted ??= import("./dialogs/open-dialog.js").then((module) => module.startConnections(opened)));
}

export function openDialog(name: string): void {
  const opened = pageApi;
  if (opened !== null) void import("./dialogs/open-dialog.js").then((module) => module.open(name, opened));
}
