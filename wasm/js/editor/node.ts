/** For Node, Deno and Bun, ready on import. */
import { createRequire } from "node:module";
import type { Source } from "../engine.js";
import { startSync } from "./engine.js";

// Faster than an import.
const { readFileSync } = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");

startSync(readFileSync(new URL("../../pkg/stepgraph_editor_bg.wasm", import.meta.url)));

export type { CompiledModule, ModuleBytes, Source } from "../engine.js";
export * from "../editor.js";

/** Does nothing, for programs that also run in browsers. */
export function init(_source?: Source): Promise<void> {
  return Promise.resolve();
}
