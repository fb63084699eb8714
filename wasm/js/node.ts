/** The entry for Node, Deno and Bun, ready on import. */
import { startSync, type Source } from "./engine.js";
import { readEngine } from "./node-modules.js";
import type { MoreModules } from "./wire.js";

startSync(readEngine());

export type { CompiledModule, ModuleBytes, Source } from "./engine.js";
export type { MoreModules } from "./wire.js";
export * from "./index.js";

/** For programs that also run in browsers. The engine is already running. */
export function init(_source?: Source, _more?: MoreModules<Source>): Promise<void> {
  return Promise.resolve();
}
