/**
 * The part of the page's module that is loaded when it is needed, and what else waits until somebody is there.
 *
 * It is fetched at the first sign of a person. What asks for it earlier than it has come waits for it: a call in the
 * middle of what the module does can't be put off. Invariant: what waits for somebody begins after the second part is
 * there, once.
 */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import * as page from "../stepgraph-playground.js";
import { tellBroken } from "./broken.js";

const SIGNS = ["pointermove", "pointerdown", "touchstart", "wheel", "keydown", "focusin"];

const place = new URL("../stepgraph-playground_rest.wasm", import.meta.url);
/** Built quickly, the page is in one piece. */
const isWhole = !("wasm" in page);
let compiled: WebAssembly.Module | undefined;
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
 * A page that is kept on this machine begins with all of it, which costs it nothing: and a request that is waited for
 * never reaches the worker that keeps it, so that without a network there would be no other way.
 */
export async function restThatIsKept(): Promise<void> {
  // Where the browser keeps nothing for pages, asking for it is an error already.
  if (isWhole || !("serviceWorker" in navigator) || navigator.serviceWorker.controller === null) return;
  await fetched().catch(() => undefined);
}

async function fetched(): Promise<void> {
  compiled = await WebAssembly.compileStreaming(fetch(place));
}

/** Fetches it as soon as somebody points, touches or types. */
export function awaitSomebody(): void {
  if (compiled) return begin();
  const there = new AbortController();
  const seen = () => {
    there.abort();
    // Without it nothing is lost yet: the next sign asks for it again, and so does whoever needs it.
    if (isWhole) begin();
    else fetched().then(begin, awaitSomebody);
  };
  for (const sign of SIGNS) addEventListener(sign, seen, { capture: true, passive: true, signal: there.signal });
}

/** Gives it to the module that is the page, which calls this when it comes to what is not there. */
export function loadRest(): void {
  try {
    performance.mark(compiled ? "rest" : "rest, waited for");
    const exports = page.wasm as WebAssembly.Exports;
    new WebAssembly.Instance(compiled ?? new WebAssembly.Module(fetchedAtOnce()), { first: exports });
    (exports.loaded as WebAssembly.Global).value = 1;
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
