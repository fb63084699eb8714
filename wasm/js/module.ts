/** The entry for runtimes that hand out compiled modules, such as workerd: `init(module)` before anything else. */
import { startSync, type CompiledModule, type ModuleBytes } from "./engine.js";

export type { CompiledModule, ModuleBytes } from "./engine.js";
export * from "./index.js";

/** Starts the engine from a compiled module, or from bytes where compiling is allowed. */
export function init(module: CompiledModule | ModuleBytes): void {
  startSync(module);
}
