/** Compiles WebAssembly modules. */
import type { CompiledModule, ModuleBytes, Source } from "./engine.js";
import { PlanError } from "./errors.js";
import { policyError } from "./page-policy.js";

/**
 * @internal Returns a function that compiles a module and starts it. Concurrent calls share a start. `of` names the
 * module in errors.
 */
export function starterOf(
  of: string,
  isStarted: () => boolean,
  startSync: (module: CompiledModule) => void,
): (source: Source | (() => Promise<Response>)) => Promise<void> {
  let starting: Promise<void> | undefined;
  const startOnce = async (source: Source | (() => Promise<Response>)) => {
    try {
      startSync(await compileModule(source));
    } catch (failure) {
      const error = policyError(failure);
      if (error instanceof PlanError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new PlanError("api/not-loaded", `${of} was not loaded: ${reason}`);
    }
  };
  return async (source) => {
    if (!isStarted())
      await (starting ??= startOnce(source).finally(() => {
        starting = undefined;
      }));
  };
}

/** @internal If `source` is a function, it requests the module. */
export async function compileModule(source: Source | (() => Promise<Response>)): Promise<WebAssembly.Module> {
  const given = typeof source === "function" ? source() : source;
  const isAddress = typeof given === "string" || given instanceof URL || isInstance("Request", given);
  const module = await (isAddress ? fetch(given as RequestInfo | URL) : given);
  if (isInstance("Response", module)) return compileResponse(module as Response);
  return module instanceof WebAssembly.Module ? module : WebAssembly.compile(bytesOf(module as ModuleBytes));
}

/** @internal The module with this name. The glue would keep a foreign one, and each later start would do nothing. */
export function ownModule(module: ModuleBytes | CompiledModule, name: string): WebAssembly.Module {
  const compiled =
    module instanceof WebAssembly.Module ? module : new WebAssembly.Module(bytesOf(module as ModuleBytes));
  const isOwn = WebAssembly.Module.imports(compiled).some((one) => one.module === `./stepgraph_${name}_bg.js`);
  if (!isOwn) throw new PlanError("api/not-loaded", `this is not the module \`stepgraph_${name}\``);
  return compiled;
}

/** V8 compiles no `DataView`. */
function bytesOf(given: ModuleBytes): BufferSource {
  const bytes = given instanceof DataView ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength) : given;
  return bytes as BufferSource;
}

/** @internal Streaming requires this very media type, which some servers do not send. */
export async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const wrong = wrongResponse(response);
  if (wrong !== undefined) throw new Error(wrong);
  const isKnown = response.headers.get("content-type") === "application/wasm";
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** @internal What is wrong with a response to a request for a module. */
export function wrongResponse({ ok, status, url, headers }: Response): string | undefined {
  if (!ok) return `${url} answers ${status}`;
  return isPage(headers.get("content-type")) ? `${url} is a page` : undefined;
}

/** @internal A server of a page with one document answers each request with that document. */
export function isPage(mediaType: string | null): boolean {
  return mediaType?.startsWith("text/html") === true;
}

/** Some runtimes lack the class. */
function isInstance(name: "Request" | "Response", value: unknown): boolean {
  return typeof globalThis[name] === "function" && value instanceof globalThis[name];
}
