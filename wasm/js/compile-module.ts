/** Compiles WebAssembly modules. */
import type { Source } from "./engine.js";

/** @internal A function requests the module. */
export async function compileModule(source: Source | (() => Promise<Response>)): Promise<WebAssembly.Module> {
  const given = typeof source === "function" ? source() : source;
  const isAddress = typeof given === "string" || given instanceof URL || isInstance("Request", given);
  const module = await (isAddress ? fetch(given as RequestInfo | URL) : given);
  if (isInstance("Response", module)) return compileResponse(module as Response);
  return module instanceof WebAssembly.Module ? module : WebAssembly.compile(module as BufferSource);
}

/** @internal Some servers do not send the media type that streaming requires. */
export async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Some runtimes lack the class. */
function isInstance(name: "Request" | "Response", value: unknown): boolean {
  return typeof globalThis[name] === "function" && value instanceof globalThis[name];
}
