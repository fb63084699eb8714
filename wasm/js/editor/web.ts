/** For browsers, with or without a bundler. */
import type { Source } from "../engine.js";
import { packageModule } from "../package-module.js";
import { start } from "./engine.js";

export type { CompiledModule, ModuleBytes, Source } from "../engine.js";
export * from "../editor.js";

const editorModule = packageModule(
  () => new URL("../../pkg/stepgraph_editor_bg.wasm", import.meta.url),
  "If your bundler does not copy the file, pass `stepgraph/editor.wasm` to `init`.",
);

/** Starts the editor. Default: the module in the folder of the package. */
export function init(source?: Source): Promise<void> {
  return start(source ?? editorModule);
}
