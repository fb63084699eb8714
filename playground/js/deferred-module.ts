/**
 * Loads the lazy part of the page's module, and starts other work that waits for a person.
 *
 * The page fetches the lazy part when the pointer moves. A call that needs it earlier blocks until it is loaded,
 * because the module can't suspend a call. Invariant: waiting work starts once, after the lazy part is loaded.
 */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import { initSync } from "../stepgraph-playground.js";
import { showLoadError } from "./load-error.js";

/** The file of the lazy part; empty if the module is in one piece. The build defines it. */
declare const DEFERRED_FILE: string;

/** These events leave time to fetch the lazy part. */
const APPROACH_EVENTS = ["pointermove", "wheel", "focusin"];
/** These events need the lazy part at once. */
const ACTION_EVENTS = ["pointerdown", "touchstart", "keydown", "click", "paste", "drop"];
/** The storage key that says that the page keeps a plan. */
const SAVED_KEY = "stepgraph.kept";

const moduleUrl = new URL(`../${DEFERRED_FILE}`, import.meta.url);
let compiled: WebAssembly.Module | undefined;
let fetching: Promise<void> | undefined;
let isLoaded = DEFERRED_FILE === "";
/** Work that waits for a person; null after the first sign of one. */
let waitingWork: (() => void)[] | null = [];

/** Runs `work` at the first sign of a person, or now if there was one. */
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
 * Fetches the lazy part before the page starts, if opening will need it: for a linked or kept plan, in a frame, and
 * behind a service worker. A synchronous request never reaches a service worker, so an offline page has no other way.
 */
export async function prefetchIfNeeded(): Promise<void> {
  if (!isLoaded && (isServedByWorker() || opensSavedOrSharedPlan())) await fetchOnce().catch(() => undefined);
}

/** Whether a service worker serves this page. Some browsers have none. */
function isServedByWorker(): boolean {
  return "serviceWorker" in navigator && navigator.serviceWorker.controller !== null;
}

function opensSavedOrSharedPlan(): boolean {
  try {
    return (
      location.hash.startsWith("#plan=") ||
      /[?&]embed\b/.test(location.search) ||
      localStorage.getItem(SAVED_KEY) !== null
    );
  } catch {
    // A browser that denies storage keeps no plan either.
    return false;
  }
}

/** Fetches the lazy part once. After a failure the next call tries again. */
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

/** Some servers don't know the type of WebAssembly, which streaming requires. */
async function fetchModule(): Promise<WebAssembly.Module> {
  const response = await fetch(moduleUrl);
  if (!response.ok) throw new Error(`${moduleUrl.pathname}: ${response.status}`);
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Waits for the first sign of a person, then loads the lazy part. A page behind a service worker does not wait. */
export function awaitFirstInteraction(): void {
  if (compiled && isServedByWorker()) return runWaitingWork();
  const [nearing, acting] = [new AbortController(), new AbortController()];
  const interacted = () => {
    nearing.abort();
    acting.abort();
    runWaitingWork();
  };
  // One attempt: if it fails, the first event that needs the part tries again.
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
 * Loads the lazy part for the page's module, which calls this at the first call of a lazy function. The splitter chose
 * the name. `callback` is an index in the module's function table. The function takes `data` and whether loading
 * worked.
 */
export function __wasm_split_load_rest(callback: number, data: number): void {
  const isThere = loadDeferred();
  const table = (initSync() as WebAssembly.Exports).__indirect_function_table as WebAssembly.Table;
  // Told of a failure, the module ends the call, and the next call tries again.
  table.get(callback)(data, isThere ? 1 : 0);
}

/** Loads the lazy part unless it is loaded. Returns whether it is. A failure is told to the person. */
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

/** Synchronous requests return text, so each character stands for a byte. */
function fetchSynchronously(): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open("GET", moduleUrl, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${moduleUrl.pathname}: ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 0xff);
}
