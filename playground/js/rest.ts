/**
 * The part of the page's module that is loaded when it is needed, and what else waits until somebody is there.
 *
 * It is fetched at the first sign of a person. What asks for it earlier than it has come waits for it: a call in the
 * middle of what the module does can't be put off. Invariant: what waits for somebody begins after the second part is
 * there, once.
 */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import { initSync } from "../stepgraph-playground.js";
import { tellBroken } from "./broken.js";

/** Whether the module is in two parts. Written by the build. */
declare const SPLIT: boolean;

/** Somebody is near: there is time to fetch what they will need. */
const NEAR = ["pointermove", "wheel", "focusin"];
/** Somebody does something, which can't wait for what it needs. */
const ACTS = ["pointerdown", "touchstart", "keydown"];
/** Under which name the page remembers that it keeps a plan. */
const KEPT = "stepgraph.kept";

const place = new URL("../split_rest.wasm", import.meta.url);
let compiled: WebAssembly.Module | undefined;
let fetching: Promise<void> | undefined;
let isLoaded = !SPLIT;
/** What waits; nothing once somebody is there. */
let waiting: (() => void)[] | null = [];

/** Does something when somebody is there; at once, if somebody was. */
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
 * Fetches the second part before the page begins, where opening needs it: another plan than the first visitor's will
 * be shown. A page that is kept on this machine begins with all of it, which costs nothing: and a request that is
 * waited for never reaches the worker that keeps it, so that without a network there would be no other way.
 */
export async function restThatIsNeeded(): Promise<void> {
  if (SPLIT && (isKeptHere() || opensAnother())) await fetched().catch(() => undefined);
}

/** Where the browser keeps nothing for pages, asking for it is an error already. */
function isKeptHere(): boolean {
  return "serviceWorker" in navigator && navigator.serviceWorker.controller !== null;
}

function opensAnother(): boolean {
  try {
    return location.hash.startsWith("#plan=") || location.search !== "" || localStorage.getItem(KEPT) !== null;
  } catch {
    // A browser that denies storage keeps no plan either.
    return false;
  }
}

/** Fetches the second part, once; after a failure anew. */
function fetched(): Promise<void> {
  fetching ??= WebAssembly.compileStreaming(fetch(place)).then(
    (module) => void (compiled ??= module),
    (error: unknown) => {
      fetching = undefined;
      throw error;
    },
  );
  return fetching;
}

/** Fetches it as soon as somebody points, touches or types. A page that begins with all of it waits for nobody. */
export function awaitSomebody(): void {
  if (compiled && isKeptHere()) return begin();
  const there = new AbortController();
  const come = () => {
    there.abort();
    begin();
  };
  // Without it nothing is lost yet: the next sign asks for it again, and so does whoever needs it.
  const near = () => void (SPLIT ? fetched() : Promise.resolve()).then(come, () => undefined);
  const act = () => {
    if (!isLoaded) load(initSync() as WebAssembly.Exports);
    come();
  };
  const options = { capture: true, passive: true, signal: there.signal };
  for (const sign of NEAR) addEventListener(sign, near, options);
  for (const sign of ACTS) addEventListener(sign, act, options);
}

/**
 * Gives the second part to the module that is the page, which calls this when it comes to what is not there. The name
 * is the splitter's; `callback` is a place in the module's table of functions, to be called with `data` and whether
 * all went well.
 */
export function __wasm_split_load_rest(callback: number, data: number): void {
  const exports = initSync() as WebAssembly.Exports;
  if (!isLoaded) load(exports);
  const table = exports.__indirect_function_table as WebAssembly.Table;
  table.get(callback)(data, 1);
}

function load(exports: WebAssembly.Exports): void {
  try {
    performance.mark(compiled ? "rest" : "rest, waited for");
    compiled ??= new WebAssembly.Module(fetchedAtOnce());
    new WebAssembly.Instance(compiled, { __wasm_split: exports });
    isLoaded = true;
  } catch (error) {
    tellBroken("part", error);
    throw error;
  }
}

/** Bytes come as the characters of a text: a request that is waited for gives nothing else. */
function fetchedAtOnce(): Uint8Array<ArrayBuffer> {
  const request = new XMLHttpRequest();
  request.open("GET", place, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${place.pathname}: ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 0xff);
}
