/** Stubs are read by the engine; here only what is wrong with them is asked. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { PlanError } from "./errors.js";
import type { Stubs } from "./types.js";

/** What is wrong with stubs, if anything. */
export function stubError(stubs: Stubs): { place: string; message: string } | null {
  const error = wasm.stub_error(JSON.stringify(stubs));
  return error === undefined ? null : (JSON.parse(error) as { place: string; message: string });
}

/** @internal Refuses stubs that can't be read. */
export function assertStubs(stubs: Stubs | undefined): void {
  const error = stubs === undefined ? null : stubError(stubs);
  if (error) throw new PlanError("stub/wrong-shape", `stubs at \`${error.place}\`: ${error.message}`);
}
