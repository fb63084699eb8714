/** The entry for runtimes that hand out compiled modules, such as workerd: `init(module)` before anything else. */
import { startSync } from "./engine.js";

export * from "./index.js";

/** Starts the engine from a compiled module, or from bytes where compiling is allowed. */
export function init(module: WebAssembly.Module | BufferSource): void {
  startSync(module);
}
