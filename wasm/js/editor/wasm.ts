/**
 * What `stepgraph/editor/wasm` is to who imports it. Only its declaration is shipped: the export leads to the module
 * itself.
 */
import type { CompiledModule } from "../engine.js";

/**
 * The editor's WebAssembly module, as the bundler in use hands it out: its address, or in workerd the compiled module.
 * Every `init` of `stepgraph/editor` takes it as it comes.
 *
 * @example
 * import wasm from "stepgraph/editor/wasm";
 * import { init } from "stepgraph/editor";
 * await init(wasm);
 */
declare const wasm: string & CompiledModule;
export default wasm;
