/** The entry for browsers, with or without a bundler: `await init()` before anything else. */
import { start, type Source } from "./engine.js";

export type { CompiledModule, ModuleBytes, Source } from "./engine.js";
export * from "./index.js";

/** Starts the engine, from the module beside this file unless told otherwise. */
export function init(source: Source = new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url)): Promise<void> {
  return start(source);
}
