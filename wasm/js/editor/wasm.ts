/**
 * Declaration of `stepgraph/editor.wasm`. The export itself points to the module, so only this declaration is shipped.
 */
import type { CompiledModule } from "../engine.js";

/**
 * The editor's WebAssembly module in the form of your bundler: its URL, or a compiled module in workerd. Every `init`
 * of `stepgraph/editor` accepts it.
 *
 * @example
 * import wasm from "stepgraph/editor.wasm";
 * import { init } from "stepgraph/editor";
 * await init(wasm);
 */
declare const wasm: string & CompiledModule;
export default wasm;
