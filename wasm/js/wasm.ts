/** Types of `stepgraph/engine.wasm`. */

import type { CompiledModule } from "./engine.js";

/**
 * The WebAssembly module as the bundler provides it, for `init`: its address, or the compiled module in workerd.
 *
 * @example
 * import wasm from "stepgraph/engine.wasm";
 * import { init } from "stepgraph";
 * await init(wasm);
 */
declare const wasm: string & CompiledModule;
export default wasm;
