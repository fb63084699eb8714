/** The entry for Node, Deno and Bun: ready on import. */
import { readFileSync } from "node:fs";
import { startSync, type Source } from "./engine.js";

startSync(readFileSync(new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url)));

export type { Source } from "./engine.js";
export * from "./index.js";

/** Here for programs that are written for browsers too: the engine is running already. */
export function init(_source?: Source): Promise<void> {
  return Promise.resolve();
}
