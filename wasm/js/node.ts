/** The entry for Node, Deno and Bun, ready on import. */
import { createRequire } from "node:module";
import { startSync, type Source } from "./engine.js";

// `import` of `node:fs` would load all streams, which takes longer than all else here. `require` does not.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

startSync(readFileSync(new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url)));

export type { CompiledModule, ModuleBytes, Source } from "./engine.js";
export * from "./index.js";

/** For programs that also run in browsers. The engine is already running. */
export function init(_source?: Source): Promise<void> {
  return Promise.resolve();
}
