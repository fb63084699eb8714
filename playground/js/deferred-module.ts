/**
 * Loads the lazy part of the page's module.
 *
 * A pointer move fetches it. Earlier calls block, because the module can't suspend them. Invariant: waiting work
 * starts once, after the load.
 */
// @ts-expect-error The build makes this file.
import { initSync } from "../stepgraph-playground.js";
import { showLoadError } from "./load-error.js";
import { isFromMemory, pageFile } from "./page-file.js";

/** Empty if the module is whole. Defined by the build. */
declare const DEFERRED_FILE: string;

/** Early enough to fetch the lazy part. */
const APPROACH_EVENTS = ["pointermove", "wheel", "focusin"];
/** Need the lazy part at once. */
const ACTION_EVENTS = ["pointerdown", "touchstart", "keydown", "click", "paste", "drop"];
/** Marks a saved plan. */
const SAVED_KEY = "stepgraph.kept";

const moduleUrl = pageFile(`../${DEFERRED_FILE}`, import.meta.url);
let compiled: WebAssembly.Module | undefined;
let fetching: Promise<void> | undefined;
let isLoaded = DEFERRED_FILE === "";
/** Null after the first interaction. */
let waitingWork: (() => void)[] | null = [];

/** Runs `work` now if there was an interaction. */
export function onFirstInteraction(work: () => void): void {
  if (waitingWork) waitingWork.push(work);
  else work();
}

/** Whether more may load before there is a user: the page opens a plan of its own, or needs no network. */
export function loadsAtOnce(): boolean {
  return isLoaded || isServedByWorker() || opensSavedOrSharedPlan();
}

/** Runs `work` when somebody seems to be there, before the lazy part has arrived. */
export function onFirstSign(work: () => void): void {
  const seen = new AbortController();
  const start = (): void => {
    seen.abort();
    work();
  };
  for (const sign of [...APPROACH_EVENTS, ...ACTION_EVENTS])
    addEventListener(sign, start, { capture: true, passive: true, signal: seen.signal });
}

function runWaitingWork(): void {
  const works = waitingWork ?? [];
  waitingWork = null;
  for (const work of works) work();
}

/** Fetches early if opening needs it. Synchronous requests bypass service workers, so offline pages depend on this. */
export async function prefetchIfNeeded(): Promise<void> {
  if (!isLoaded && (isServedByWorker() || opensSavedOrSharedPlan())) await fetchOnce().catch(() => undefined);
}

function isServedByWorker(): boolean {
  // Browsers throw in frames with an opaque origin.
  return !isFromMemory() && "serviceWorker" in navigator && navigator.serviceWorker.controller !== null;
}

function opensSavedOrSharedPlan(): boolean {
  if (isFromMemory()) return true;
  try {
    return (
      location.hash.startsWith("#plan=") ||
      /[?&]embed\b/.test(location.search) ||
      localStorage.getItem(SAVED_KEY) !== null
    );
  } catch {
    // If there is no storage, there is no saved plan.
    return false;
  }
}

/** Retries after a failure. */
function fetchOnce(): Promise<void> {
  fetching ??= fetchModule().then(
    (module) => void (compiled ??= module),
    (error: unknown) => {
      fetching = undefined;
      throw error;
    },
  );
  return fetching;
}

/** Some servers omit the media type that streaming requires. */
async function fetchModule(): Promise<WebAssembly.Module> {
  const response = await fetch(moduleUrl);
  if (!response.ok) throw new Error(`${moduleUrl.pathname}: ${response.status}`);
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Service workers don't wait. */
export function awaitFirstInteraction(): void {
  if (compiled && isServedByWorker()) return runWaitingWork();
  const [nearing, acting] = [new AbortController(), new AbortController()];
  const interacted = () => {
    nearing.abort();
    acting.abort();
    runWaitingWork();
  };
  // One attempt. Failures wait for the next event.
  const onApproach = () => {
    nearing.abort();
    if (isLoaded) interacted();
    else fetchOnce().then(interacted, () => undefined);
  };
  const onAction = () => {
    if (loadDeferred()) interacted();
  };
  const options = { capture: true, passive: true };
  for (const sign of APPROACH_EVENTS) addEventListener(sign, onApproach, { ...options, signal: nearing.signal });
  for (const sign of ACTION_EVENTS) addEventListener(sign, onAction, { ...options, signal: acting.signal });
}

/**
 * The splitter's callback for the first lazy call. The table's function `callback` takes `data` and whether loading
 * worked.
 */
export function __wasm_split_load_rest(callback: number, data: number): void {
  const isThere = loadDeferred();
  const table = (initSync() as WebAssembly.Exports).__indirect_function_table as WebAssembly.Table;
  // A failure ends only this call.
  table.get(callback)(data, isThere ? 1 : 0);
}

/** Shows a failure. */
function loadDeferred(): boolean {
  if (isLoaded) return true;
  try {
    performance.mark(compiled ? "deferred part" : "deferred part, blocking");
    compiled ??= new WebAssembly.Module(fetchSynchronously());
    new WebAssembly.Instance(compiled, { __wasm_split: initSync() as WebAssembly.Exports });
    isLoaded = true;
  } catch (error) {
    showLoadError("part", error);
  }
  return isLoaded;
}

/** Synchronous requests return text, one character per byte. */
function fetchSynchronously(): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open("GET", moduleUrl, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${moduleUrl.pathname}: ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 0xff);
}
