/** The entry for browsers, with or without a bundler. Call `await init()` first. */
import { start, type Source } from "./engine.js";

export type { CompiledModule, ModuleBytes, Source } from "./engine.js";
export * from "./index.js";

/** Starts the engine. Default: the module next to this file. */
export function init(source: Source = new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url)): Promise<void> {
  return start(source);
}
