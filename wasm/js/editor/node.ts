/** The entry `stepgraph/editor` for Node, Deno and Bun: ready on import. */
import { createRequire } from "node:module";
import type { Source } from "../engine.js";
import { startSync } from "./engine.js";

// As in the main entry: asking for it is quicker than importing it.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

startSync(readFileSync(new URL("../../pkg/stepgraph_editor_bg.wasm", import.meta.url)));

export type { CompiledModule, ModuleBytes, Source } from "../engine.js";
export * from "../editor.js";

/** Here for programs that are written for browsers too: the module is running already. */
export function init(_source?: Source): Promise<void> {
  return Promise.resolve();
}
