/**
 * Loads the lazy part of the page's module, and starts other work at the first interaction.
 *
 * The page fetches the lazy part when the pointer moves. An earlier call that needs it blocks, because the module can't
 * suspend a call. Invariant: waiting work starts once, after the lazy part is loaded.
 */
// @ts-expect-error The build makes this file next to the folder of these scripts.
import { initSync } from "../stepgraph-playground.js";
import { showLoadError } from "./load-error.js";
import { isFromMemory, pageFile } from "./page-file.js";

/** The file of the lazy part. Empty if the module is in one piece. The build defines it. */
declare const DEFERRED_FILE: string;

/** These events leave time to fetch the lazy part. */
const APPROACH_EVENTS = ["pointermove", "wheel", "focusin"];
/** These events need the lazy part at once. */
const ACTION_EVENTS = ["pointerdown", "touchstart", "keydown", "click", "paste", "drop"];
/** The storage key that marks a saved plan. */
const SAVED_KEY = "stepgraph.kept";

const moduleUrl = pageFile(`../${DEFERRED_FILE}`, import.meta.url);
let compiled: WebAssembly.Module | undefined;
let fetching: Promise<void> | undefined;
let isLoaded = DEFERRED_FILE === "";
/** Work that waits for the first interaction. Null afterwards. */
let waitingWork: (() => void)[] | null = [];

/** Runs `work` at the first interaction, or now if that is past. */
export function onFirstInteraction(work: () => void): void {
  if (waitingWork) waitingWork.push(work);
  else work();
}

function runWaitingWork(): void {
  const works = waitingWork ?? [];
  waitingWork = null;
  for (const work of works) work();
}

/**
 * Fetches the lazy part early if opening needs it: for a linked or saved plan, in a frame, and behind a service worker.
 * A synchronous request never reaches a service worker, so offline pages have no other way.
 */
export async function prefetchIfNeeded(): Promise<void> {
  if (!isLoaded && (isServedByWorker() || opensSavedOrSharedPlan())) await fetchOnce().catch(() => undefined);
}

function isServedByWorker(): boolean {
  // In a frame with an opaque origin, browsers throw.
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
    // A browser that denies storage has no saved plan either.
    return false;
  }
}

/** After a failure the next call tries again. */
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

/** Streaming requires the media type of WebAssembly, which some servers don't send. */
async function fetchModule(): Promise<WebAssembly.Module> {
  const response = await fetch(moduleUrl);
  if (!response.ok) throw new Error(`${moduleUrl.pathname}: ${response.status}`);
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Waits for the first interaction, unless a service worker serves the page. */
export function awaitFirstInteraction(): void {
  if (compiled && isServedByWorker()) return runWaitingWork();
  const [nearing, acting] = [new AbortController(), new AbortController()];
  const interacted = () => {
    nearing.abort();
    acting.abort();
    runWaitingWork();
  };
  // One attempt. If it fails, the first event that needs the part tries again.
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
 * The splitter's callback for the first call of a lazy function. `callback` is an index in the module's function table.
 * That function takes `data` and whether loading worked.
 */
export function __wasm_split_load_rest(callback: number, data: number): void {
  const isThere = loadDeferred();
  const table = (initSync() as WebAssembly.Exports).__indirect_function_table as WebAssembly.Table;
  // After a failure the module ends the call, and the next call tries again.
  table.get(callback)(data, isThere ? 1 : 0);
}

/** Returns whether the lazy part is loaded. Shows a failure. */
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

/** Synchronous requests return text, so each character represents a byte. */
function fetchSynchronously(): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open("GET", moduleUrl, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${moduleUrl.pathname}: ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 0xff);
}
