/** The editor's module: loading it. It has nothing in common with the engine's, and neither needs the other. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import type { CompiledModule, ModuleBytes, Source } from "../engine.js";
import { PlanError } from "../errors.js";

let started = false;

/** @internal Starts the module at once, from bytes or a compiled module. */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (started) return;
  wasm.initSync({ module: module as wasm.SyncInitInput });
  started = true;
}

/** @internal Starts the module from wherever it is. The glue sees to it that several starts at a time are one. */
export async function start(source: Source): Promise<void> {
  if (started) return;
  await wasm.default({ module_or_path: source as wasm.InitInput });
  started = true;
}

/** @internal Refuses to go on without the module. */
export function assertStarted(): void {
  if (!started) throw new PlanError("api/not-started", "the editor's module was not started: await `init()` first");
}
