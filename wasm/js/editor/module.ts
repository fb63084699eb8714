/**
 * The entry `stepgraph/editor` for runtimes that hand out compiled modules, such as workerd: `init(module)` before
 * anything else.
 */
import type { CompiledModule, ModuleBytes } from "../engine.js";
import { startSync } from "./engine.js";

export type { CompiledModule, ModuleBytes } from "../engine.js";
export * from "../editor.js";

/** Starts the editor's module from a compiled one, or from bytes where compiling is allowed. */
export function init(module: CompiledModule | ModuleBytes): void {
  startSync(module);
}
