/** The entry `stepgraph/editor` for Node, Deno and Bun, ready on import. */
import type { Source } from "../engine.js";
import { readModule } from "../module-files.js";
import { startSync } from "./engine.js";

startSync(readModule(() => new URL("../../pkg/stepgraph_editor_bg.wasm", import.meta.url), import.meta.url));

export type { CompiledModule, ModuleBytes, Source } from "../engine.js";
export * from "../editor.js";

/** Does nothing, for programs that also run in browsers. */
export function init(_source?: Source): Promise<void> {
  return Promise.resolve();
}
