/** Loads the editor's module. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { ownModule, starterOf } from "../compile-module.js";
import type { CompiledModule, ModuleBytes } from "../engine.js";
import { PlanError } from "../errors.js";

let started = false;

/** @internal */
export function startSync(module: ModuleBytes | CompiledModule): void {
  if (started) return;
  wasm.initSync({ module: ownModule(module, "editor") });
  started = true;
}

/** @internal */
export const start = /* @__PURE__ */ starterOf("the editor's module", () => started, startSync);

/** @internal */
export function assertStarted(): void {
  if (!started) throw new PlanError("api/not-started", "the editor's module was not started: await `init()` first");
}
