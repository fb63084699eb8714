/** Types of `stepgraph/engine.wasm`. The export itself resolves to the WebAssembly module. */

import type { CompiledModule } from "./engine.js";

/**
 * The WebAssembly module as the bundler provides it: its address, or the compiled module in workerd. Every `init`
 * accepts it.
 *
 * @example
 * import wasm from "stepgraph/engine.wasm";
 * import { init } from "stepgraph";
 * await init(wasm);
 */
declare const wasm: string & CompiledModule;
export default wasm;
