/** The entry for Node, Deno and Bun, ready on import. */
import { type MoreModules, startSync, type Source } from "./engine.js";
import { readEngine } from "./node-modules.js";

startSync(readEngine());

export type { CompiledModule, ModuleBytes, MoreModules, Source } from "./engine.js";
export * from "./index.js";

/** For programs that also run in browsers. */
export function init(_source?: Source, _more?: MoreModules<Source>): Promise<void> {
  return Promise.resolve();
}
