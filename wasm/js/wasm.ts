/**
 * What `stepgraph/wasm` is to who imports it. Only its declaration is shipped: the export leads to the module itself.
 */

import type { CompiledModule } from "./engine.js";

/**
 * The WebAssembly module, as the bundler in use hands it out: its address, or in workerd the compiled module. Every
 * `init` takes it as it comes.
 *
 * @example
 * import wasm from "stepgraph/wasm";
 * import { init } from "stepgraph";
 * await init(wasm);
 */
declare const wasm: string & CompiledModule;
export default wasm;
