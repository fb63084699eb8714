/** The entry for runtimes with compiled modules, such as workerd. Call `init(module)` first. */
import { startSync, type CompiledModule, type ModuleBytes } from "./engine.js";

export type { CompiledModule, ModuleBytes } from "./engine.js";
export * from "./index.js";

/** Starts the engine from a compiled module, or from bytes if compiling is allowed. */
export function init(module: CompiledModule | ModuleBytes): void {
  startSync(module);
}
