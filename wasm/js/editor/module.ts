/** The entry for runtimes with precompiled modules, such as workerd. */
import type { CompiledModule, ModuleBytes } from "../engine.js";
import { startSync } from "./engine.js";

export type { CompiledModule, ModuleBytes } from "../engine.js";
export * from "../editor.js";

/** Starts the editor with a compiled module, or with bytes if the runtime compiles them. */
export function init(module: CompiledModule | ModuleBytes): void {
  startSync(module);
}
