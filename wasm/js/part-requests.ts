/** Requests the parts of a module from a server. */
import { compileResponse, isPage } from "./compile-module.js";
import type { PartSource } from "./parts.js";
import { retriedUrl } from "./retried-url.js";

/** Requests parts from these addresses, from part 1. */
export function urlSource(urls: readonly (() => URL)[]): PartSource {
  const addresses = urls.map(retriedUrl);
  return {
    read: (part) => requestNow(addresses[part - 1]!()),
    request: (part) => request(addresses[part - 1]!()),
  };
}

async function request(url: URL): Promise<WebAssembly.Module> {
  const inlined = inlinedBytes(url);
  return inlined === undefined ? compileResponse(await fetch(url)) : WebAssembly.compile(inlined);
}

/** Bundlers inline small files. Policies of pages refuse to fetch them, and synchronous requests refuse them, too. */
function inlinedBytes({ href }: URL): Uint8Array<ArrayBuffer> | undefined {
  const inlined = /^data:[^,]*;base64,/.exec(href);
  return inlined === null ? undefined : bytesOf(atob(href.slice(inlined[0].length)));
}

/** Service workers have none. */
export function hasSyncRequests(): boolean {
  return typeof XMLHttpRequest !== "undefined";
}

/** On the page's thread a synchronous request returns text, whose characters are bytes. */
function requestNow(url: URL): Uint8Array<ArrayBuffer> {
  const inlined = inlinedBytes(url);
  if (inlined !== undefined) return inlined;
  if (!hasSyncRequests()) throw new Error("this runtime has no synchronous requests");
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${url.href} answers ${request.status}`);
  if (isPage(request.getResponseHeader("content-type"))) throw new Error(`${url.href} is a page`);
  return bytesOf(request.responseText);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}
