/**
 * The part of the page's module that is loaded when it is needed.
 *
 * It is fetched at the first sign that somebody is there. What asks for it earlier than it has come waits for it: a call in the middle of
 * what the module does can't be put off.
 */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import * as page from "../stepgraph-playground.js";
import { tellBroken } from "./broken.js";

const SIGNS = ["pointermove", "pointerdown", "touchstart", "wheel", "keydown", "focusin"];

const place = new URL("../stepgraph-playground_rest.wasm", import.meta.url);
let compiled: WebAssembly.Module | undefined;

/** Fetches it as soon as somebody points, touches or types. */
export function awaitSomebody(): void {
  // Built quickly, the page is in one piece.
  if (!("wasm" in page)) return;
  const there = new AbortController();
  const fetched = () => {
    there.abort();
    // Without it nothing is lost yet: it is asked for again when it is needed.
    WebAssembly.compileStreaming(fetch(place)).then((module) => (compiled = module), () => {});
  };
  for (const sign of SIGNS) addEventListener(sign, fetched, { capture: true, passive: true, signal: there.signal });
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
