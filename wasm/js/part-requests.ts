/** Requests the parts of a module from a server. */
import { compileResponse } from "./compile-module.js";
import type { PartSource } from "./parts.js";
import { retriedUrl } from "./retried-url.js";

/** Requests parts from these addresses, from part 1. */
export function urlSource(urls: readonly (() => URL)[]): PartSource {
  const addresses = urls.map(retriedUrl);
  return {
    read: (part) => requestNow(addresses[part - 1]!()),
    request: async (part) => compileResponse(await fetch(addresses[part - 1]!())),
  };
}

/** Service workers have none. */
export function hasSyncRequests(): boolean {
  return typeof XMLHttpRequest !== "undefined";
}

/** On the page's thread a synchronous request returns text, whose characters are bytes. */
function requestNow(url: URL): Uint8Array<ArrayBuffer> {
  // Bundlers inline small files, which synchronous requests refuse.
  const inlined = /^data:[^,]*;base64,/.exec(url.href);
  if (inlined !== null) return bytesOf(atob(url.href.slice(inlined[0].length)));
  if (!hasSyncRequests()) throw new Error("this runtime has no synchronous requests");
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${url.href}: ${request.status}`);
  return bytesOf(request.responseText);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}
