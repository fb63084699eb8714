/** Only this declaration is shipped: the export points to the module. */
import type { CompiledModule } from "../engine.js";

/**
 * The editor's module in your bundler's form: a URL, or compiled in workerd. Every `init` accepts it.
 *
 * @example
 * import wasm from "stepgraph/editor.wasm";
 * import { init } from "stepgraph/editor";
 * await init(wasm);
 */
declare const wasm: string & CompiledModule;
export default wasm;
