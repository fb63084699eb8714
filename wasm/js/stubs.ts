/** Parses and checks stubs with the engine. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { PlanError } from "./errors.js";
import type { PlanGraph } from "./graph.js";
import type { Diagnostic, Stubs } from "./types.js";
import { strictJson } from "./strict-json.js";

export interface StubError {
  code: string;
  path: string;
  message: string;
  help: string;
  more: number;
}

export function stubError(stubs: Stubs): StubError | null {
  const error = wasm.stub_error(strictJson("`stubs`", stubs));
  return error === undefined ? null : (JSON.parse(error) as StubError);
}

/** @internal */
export function assertStubs(stubs: Stubs | undefined): void {
  if (stubs === undefined) return;
  const error = stubError(stubs);
  if (error === null) return;
  const { code, path, message, help, more } = error;
  const rest = more > 0 ? `; and ${more} more` : "";
  throw new PlanError(code, `stubs${path === "" ? "" : ` at \`${path}\``}: ${message} (${help})${rest}`);
}

export interface StubUses {
  /** Marks stubs as used. */
  lookAt(graph: PlanGraph): void;
  unused(): Diagnostic[];
}

export function readStubsText(
  text: string,
  format: "auto" | "json" | "yaml" = "auto",
): { stubs: Stubs; diagnostics: Diagnostic[]; uses: StubUses } {
  const raw = wasm.read_stubs(text, format);
  return {
    // An empty file has no stubs.
    stubs: (JSON.parse(raw.value()) as Stubs | null) ?? {},
    diagnostics: JSON.parse(raw.diagnostics()) as Diagnostic[],
    uses: {
      lookAt: (graph) => raw.look_at(graph.raw),
      unused: () => JSON.parse(raw.unused()) as Diagnostic[],
    },
  };
}
