/**
 * Reads plans and stubs from files, and tells what is wrong with them.
 */
import { PlanGraph } from "../node.js";
import { checkOn, sortDiagnostics, readStubsText, type StubUses } from "../package-internals.js";
import type { Diagnostic, Stubs } from "../types.js";
import { hasErrors, Source } from "../terminal/diagnostics.js";
import { StubsError } from "./stubs-error.js";
import { decode, displayName, readBytes } from "./io.js";

/** A plan as it was read. `graph` is null when it has errors. */
export interface ParsedFile {
  graph: PlanGraph | null;
  diagnostics: Diagnostic[];
  source: Source;
  /** Its text, made when somebody asks. */
  text?: () => string;
}

/**
 * Reads a plan, for a run with stubs if there are any. The bytes go to the engine as they are, since only it decides
 * what is too large or not text.
 */
export function readPlan(file: string, stubs?: Stubs): ParsedFile {
  const bytes = readBytes(file);
  const parsed = PlanGraph.parse(bytes, file.endsWith(".json") ? { format: "json" } : {});
  const { graph } = parsed;
  const diagnostics = (stubs && graph?.readFor(stubs)) ?? parsed.diagnostics;
  const text = diagnostics.length > 0 ? decode(bytes) : "";
  return { graph, diagnostics, source: new Source(displayName(file), text), text: () => decode(bytes) };
}

/** A plan with all that is wrong with it on any host: its settings, and what stands inside its nodes, among it. */
export function checkedPlan(file: string, stubs?: Stubs): ParsedFile {
  const read = readPlan(file, stubs);
  return withDiagnostics(read, read.graph ? checkOn(read.graph, {}) : []);
}

/**
 * A plan with all that is wrong with it where nothing answers but stubs. Stubs with mistakes stand for what they name,
 * so that theirs hide none of the plan's. What is wrong with the stubs themselves is told at their own file.
 */
export function planWithStubs(file: string, stubs: Stubs): ParsedFile {
  const read = readPlan(file, stubs);
  const found = read.graph ? checkOn(read.graph, { tools: [], handlers: {}, stubs }) : [];
  return withDiagnostics(
    read,
    found.filter((one) => !isStubDiagnostic(one)),
  );
}

/** Whether it is about the stubs that stand beside a plan, and not about the plan. */
export function isStubDiagnostic({ code, span }: Diagnostic): boolean {
  return span === null && ["test/unused-stub", "run/unknown-handler", "stub/wrong-result"].includes(code);
}

/** The same plan with further diagnostics, which need its text. */
export function withDiagnostics(read: ParsedFile, further: Diagnostic[]): ParsedFile {
  if (further.length === 0) return read;
  const source = new Source(read.source.name, read.text!());
  return { ...read, source, diagnostics: sortDiagnostics([...read.diagnostics, ...further]) };
}

/** A source whose text is read again, for diagnostics that come later. */
export function sourceOf(file: string): Source {
  return new Source(file, file === "-" ? "" : decode(readBytes(file)));
}

/** Whether a file is one of stubs, by its name: they stand beside plans, and are checked along with them. */
export function isStubs(file: string): boolean {
  return /\.stubs\.(ya?ml|json)$/.test(file);
}

/** A file of stubs as it was read. */
export interface ReadStubs {
  stubs: Stubs;
  diagnostics: Diagnostic[];
  source: Source;
  /** Which of the stubs plans use. */
  uses: StubUses;
}

/** Reads a file of stubs, with all that is wrong with it. */
export function readStubsFile(file: string): ReadStubs {
  const text = decode(readBytes(file));
  const { stubs, diagnostics, uses } = readStubsText(text, file.endsWith(".json") ? "json" : "auto");
  return { stubs, diagnostics, source: new Source(displayName(file), text), uses };
}

/** The stubs of a file. */
export function readStubs(file: string): Stubs {
  const { stubs, diagnostics, source } = readStubsFile(file);
  if (hasErrors(diagnostics)) throw new StubsError(file, diagnostics, source, stubs);
  return stubs;
}
