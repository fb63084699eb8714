/** The entry for browsers, with or without a bundler. Call `await init()` first. */
import { start, type Source } from "./engine.js";
import { assertOptions } from "./options.js";
import { type MoreModules, setWireSource } from "./wire.js";

export type { CompiledModule, ModuleBytes, Source } from "./engine.js";
export type { MoreModules } from "./wire.js";
export * from "./index.js";

let wire: Source | undefined;

/**
 * Starts the engine. Default: the module next to this file. `more` says where the modules are that load later, if they
 * are not next to this file either.
 */
export function init(
  source: Source = new URL("../pkg/stepgraph_wasm_bg.wasm", import.meta.url),
  more: MoreModules<Source> = {},
): Promise<void> {
  assertOptions("init", more, { wire: "any" });
  wire = more.wire ?? wire;
  setWireSource(() => wire ?? new URL("../pkg/stepgraph_wire_bg.wasm", import.meta.url));
  return start(source);
}
