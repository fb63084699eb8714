/** For browsers, with or without a bundler. */
import type { Source } from "../engine.js";
import { start } from "./engine.js";

export type { CompiledModule, ModuleBytes, Source } from "../engine.js";
export * from "../editor.js";

/** Starts the editor. Default: the module next to this file. */
export function init(source: Source = new URL("../../pkg/stepgraph_editor_bg.wasm", import.meta.url)): Promise<void> {
  return start(source);
}
