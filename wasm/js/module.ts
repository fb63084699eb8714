/** The entry for runtimes with compiled modules, such as workerd. */
import { type CompiledModule, type ModuleBytes, type MoreModules, setWireSource, startSync } from "./engine.js";
import { assertOptions } from "./options.js";

export type { CompiledModule, ModuleBytes, MoreModules } from "./engine.js";
export * from "./index.js";

/**
 * Starts the engine. Bytes work if the runtime allows compiling.
 *
 * @example
 * import engine from "stepgraph/engine.wasm";
 * import wire from "stepgraph/wire.wasm";
 * import { init } from "stepgraph";
 * init(engine, { wire });
 */
export function init(module: CompiledModule | ModuleBytes, more: MoreModules<CompiledModule | ModuleBytes> = {}): void {
  assertOptions("init", more, { wire: "any" });
  const { wire } = more;
  if (wire !== undefined) setWireSource({ main: () => wire });
  startSync(module);
}
