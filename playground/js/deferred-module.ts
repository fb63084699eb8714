/**
 * Loads the lazy part of the page's module, and starts other work that waits for a person.
 *
 * The page fetches the lazy part when the pointer moves. A call that needs it earlier blocks until it is loaded,
 * because the module can't suspend a call. Invariant: waiting work starts once, after the lazy part is loaded.
 */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import { initSync } from "../stepgraph-playground.js";
import { tellBroken } from "./load-error.js";

/** The file of the lazy part; empty if the module is in one piece. The build defines it. */
declare const REST: string;

/** These events leave time to fetch the lazy part. */
const NEAR = ["pointermove", "wheel", "focusin"];
/** These events need the lazy part at once. */
const ACTS = ["pointerdown", "touchstart", "keydown", "click", "paste", "drop"];
/** The storage key that says that the page keeps a plan. */
const KEPT = "stepgraph.kept";

const place = new URL(`../${REST}`, import.meta.url);
let compiled: WebAssembly.Module | undefined;
let fetching: Promise<void> | undefined;
let isLoaded = REST === "";
/** Work that waits for a person; null after the first sign of one. */
let waiting: (() => void)[] | null = [];

/** Runs `work` at the first sign of a person, or now if there was one. */
export function whenThere(work: () => void): void {
  if (waiting) waiting.push(work);
  else work();
}

function begin(): void {
  const works = waiting ?? [];
  waiting = null;
  for (const work of works) work();
}

/**
 * Fetches the lazy part before the page starts, if opening will need it: for a linked or kept plan, in a frame, and
 * behind a service worker. A synchronous request never reaches a service worker, so an offline page has no other way.
 */
export async function restThatIsNeeded(): Promise<void> {
  if (!isLoaded && (isKeptHere() || opensAnother())) await fetched().catch(() => undefined);
}

/** Whether a service worker serves this page. Some browsers have none. */
function isKeptHere(): boolean {
  return "serviceWorker" in navigator && navigator.serviceWorker.controller !== null;
}

function opensAnother(): boolean {
  try {
    return (
      location.hash.startsWith("#plan=") || /[?&]embed\b/.test(location.search) || localStorage.getItem(KEPT) !== null
    );
  } catch {
    // A browser that denies storage keeps no plan either.
    return false;
  }
}

/** Fetches the lazy part once. After a failure the next call tries again. */
function fetched(): Promise<void> {
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
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place.pathname}: ${response.status}`);
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Waits for the first sign of a person, then loads the lazy part. A page behind a service worker does not wait. */
export function awaitSomebody(): void {
  if (compiled && isKeptHere()) return begin();
  const [nearing, acting] = [new AbortController(), new AbortController()];
  const come = () => {
    nearing.abort();
    acting.abort();
    begin();
  };
  // One attempt: if it fails, the first event that needs the part tries again.
  const near = () => {
    nearing.abort();
    if (isLoaded) come();
    else fetched().then(come, () => undefined);
  };
  const act = () => {
    if (load()) come();
  };
  const options = { capture: true, passive: true };
  for (const sign of NEAR) addEventListener(sign, near, { ...options, signal: nearing.signal });
  for (const sign of ACTS) addEventListener(sign, act, { ...options, signal: acting.signal });
}

/**
 * Loads the lazy part for the page's module, which calls this at the first call of a lazy function. The splitter chose
 * the name. `callback` is an index in the module's function table. The function takes `data` and whether loading
 * worked.
 */
export function __wasm_split_load_rest(callback: number, data: number): void {
  const isThere = load();
  const table = (initSync() as WebAssembly.Exports).__indirect_function_table as WebAssembly.Table;
  // Told of a failure, the module ends the call, and the next call tries again.
  table.get(callback)(data, isThere ? 1 : 0);
}

/** Loads the lazy part unless it is loaded. Returns whether it is. A failure is told to the person. */
function load(): boolean {
  if (isLoaded) return true;
  try {
    performance.mark(compiled ? "rest" : "rest, waited for");
    compiled ??= new WebAssembly.Module(fetchedAtOnce());
    new WebAssembly.Instance(compiled, { __wasm_split: initSync() as WebAssembly.Exports });
    isLoaded = true;
  } catch (error) {
    tellBroken("part", error);
  }
  return isLoaded;
}

/** Synchronous requests return text, so each character stands for a byte. */
function fetchedAtOnce(): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open("GET", place, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${place.pathname}: ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 0xff);
}
