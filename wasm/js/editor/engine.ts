/** Loads the editor's module. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { compileModule } from "../compile-module.js";
import type { CompiledModule, ModuleBytes, Source } from "../engine.js";
import { PlanError } from "../errors.js";
import { policyError } from "../page-policy.js";

let started = false;

/** @internal */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (started) return;
  wasm.initSync({ module: module as wasm.SyncInitInput });
  started = true;
}

let starting: Promise<void> | undefined;

/** @internal Merges concurrent starts. A function requests the module if it is needed. */
export async function start(source: Source | (() => Promise<Response>)): Promise<void> {
  if (!started)
    await (starting ??= startOnce(source).finally(() => {
      starting = undefined;
    }));
}

async function startOnce(source: Source | (() => Promise<Response>)): Promise<void> {
  try {
    startSync(await compileModule(source));
  } catch (error) {
    throw policyError(error);
  }
}

/** @internal */
export function assertStarted(): void {
  if (!started) throw new PlanError("api/not-started", "the editor's module was not started: await `init()` first");
}
