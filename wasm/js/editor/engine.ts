/** Loads the editor's module. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { compileModule, ownModule } from "../compile-module.js";
import type { CompiledModule, ModuleBytes, Source } from "../engine.js";
import { PlanError } from "../errors.js";
import { policyError } from "../page-policy.js";

let started = false;

/** @internal */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (started) return;
  wasm.initSync({ module: ownModule(module, "editor") });
  started = true;
}

let starting: Promise<void> | undefined;

/** @internal Merges concurrent starts. If `source` is a function, it requests the module. */
export async function start(source: Source | (() => Promise<Response>)): Promise<void> {
  if (!started)
    await (starting ??= startOnce(source).finally(() => {
      starting = undefined;
    }));
}

async function startOnce(source: Source | (() => Promise<Response>)): Promise<void> {
  try {
    startSync(await compileModule(source));
  } catch (failure) {
    const error = policyError(failure);
    if (error instanceof PlanError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlanError("api/not-loaded", `the editor's module was not loaded: ${reason}`);
  }
}

/** @internal */
export function assertStarted(): void {
  if (!started) throw new PlanError("api/not-started", "the editor's module was not started: await `init()` first");
}
