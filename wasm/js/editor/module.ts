/** For runtimes with precompiled modules, such as workerd. */
import type { CompiledModule, ModuleBytes } from "../engine.js";
import { startSync } from "./engine.js";

export type { CompiledModule, ModuleBytes } from "../engine.js";
export * from "../editor.js";

/** Starts the editor. Bytes need a runtime that compiles them. */
export function init(module: CompiledModule | ModuleBytes): void {
  startSync(module);
}
