/** Stubs are read and judged by the engine; here it is only asked. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { PlanError } from "./errors.js";
import type { PlanGraph } from "./graph.js";
import type { Diagnostic, Stubs } from "./types.js";

/** The first thing that is wrong with stubs, and how many more there are. */
export interface StubError {
  code: string;
  place: string;
  message: string;
  help: string;
  more: number;
}

/** What is wrong with stubs, if anything. */
export function stubError(stubs: Stubs): StubError | null {
  const error = wasm.stub_error(JSON.stringify(stubs));
  return error === undefined ? null : (JSON.parse(error) as StubError);
}

/** @internal Refuses stubs that can't be read, or that can't do what they are for. */
export function assertStubs(stubs: Stubs | undefined): void {
  const error = stubs === undefined ? null : stubError(stubs);
  if (error === null) return;
  const { code, place, message, help, more } = error;
  const rest = more > 0 ? `; and ${more} more` : "";
  throw new PlanError(code, `stubs${place === "" ? "" : ` at \`${place}\``}: ${message} (${help})${rest}`);
}

/** Which stubs of a file plans use. */
export interface StubUses {
  /** Notes which of them a plan uses. */
  lookAt(graph: PlanGraph): void;
  /** Warnings of those that none of the plans uses. */
  unused(): Diagnostic[];
}

/** The stubs of a file's text, with all that is wrong with them. */
export function readStubsText(
  text: string,
  format: "auto" | "json" | "yaml" = "auto",
): { stubs: Stubs; diagnostics: Diagnostic[]; uses: StubUses } {
  const raw = wasm.read_stubs(text, format);
  return {
    // An empty file stands for nobody.
    stubs: (JSON.parse(raw.value()) as Stubs | null) ?? {},
    diagnostics: JSON.parse(raw.diagnostics()) as Diagnostic[],
    uses: {
      lookAt: (graph) => raw.look_at(graph.raw),
      unused: () => JSON.parse(raw.unused()) as Diagnostic[],
    },
  };
}
