/** The entry for Node, Deno and Bun: ready on import. */
import { createRequire } from "node:module";
import { startSync, type Source } from "./engine.js";

// Importing `node:fs` would load all of Node's streams, which takes longer than anything else here; asking for it does
// not.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

startSync(readFileSync(new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url)));

export type { CompiledModule, ModuleBytes, Source } from "./engine.js";
export * from "./index.js";

/** Here for programs that are written for browsers too: the engine is running already. */
export function init(_source?: Source): Promise<void> {
  return Promise.resolve();
}
