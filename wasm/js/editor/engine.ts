/** Loads the editor's module. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import type { CompiledModule, ModuleBytes, Source } from "../engine.js";
import { PlanError } from "../errors.js";

let started = false;

/** @internal */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (started) return;
  wasm.initSync({ module: module as wasm.SyncInitInput });
  started = true;
}

/** @internal The generated glue merges concurrent starts. */
export async function start(source: Source): Promise<void> {
  if (started) return;
  await wasm.default({ module_or_path: source as wasm.InitInput });
  started = true;
}

/** @internal */
export function assertStarted(): void {
  if (!started) throw new PlanError("api/not-started", "the editor's module was not started: await `init()` first");
}
