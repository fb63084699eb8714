/** Requests the parts of the engine from a server. */
import type { PartSource } from "./parts.js";

/** Requests parts from these addresses, from part 1. */
export function urlSource(urls: readonly (() => URL)[]): PartSource {
  return {
    read: (part) => requestNow(urls[part - 1]!()),
    request: async (part) => request(urls[part - 1]!()),
  };
}

/** Some servers do not send the media type that streaming requires. */
async function request(url: URL): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status}`);
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** On the page's thread a synchronous request returns text, whose characters are bytes. */
function requestNow(url: URL): Uint8Array<ArrayBuffer> {
  if (typeof XMLHttpRequest === "undefined") throw new Error("this runtime has no synchronous requests");
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${url.href}: ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 0xff);
}
