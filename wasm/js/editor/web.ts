/** The entry `stepgraph/editor` for browsers, with or without a bundler: `await init()` before anything else. */
import type { Source } from "../engine.js";
import { start } from "./engine.js";

export type { CompiledModule, ModuleBytes, Source } from "../engine.js";
export * from "../editor.js";

/** Starts the editor's module, from the file that is shipped beside this one unless told otherwise. */
export function init(source: Source = new URL("../../pkg/stepgraph_editor_bg.wasm", import.meta.url)): Promise<void> {
  return start(source);
}
