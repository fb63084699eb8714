/** Plans and stubs with diagnostics. */
import { PlanGraph } from "../node.js";
import { checkOn, fileTexts, sortDiagnostics, readStubsText, type StubUses } from "../package-internals.js";
import type { Diagnostic, Stubs } from "../types.js";
import { hasErrors, Source } from "../terminal/diagnostics.js";
import { StubsError } from "./stubs-error.js";
import { decode, displayName, readBytes } from "./io.js";
import { parsePlanFile } from "./plan-folder.js";

/** `graph` is null for errors. */
export interface ParsedFile {
  graph: PlanGraph | null;
  diagnostics: Diagnostic[];
  source: Source;
  /** Decodes on demand. */
  text?: () => string;
  /** The text, with graphs of other files inside. */
  bundle?: () => string;
}

/** Passes bytes, because the engine rejects invalid UTF-8 and large files. */
export function readPlan(file: string, stubs?: Stubs): ParsedFile {
  const bytes = readBytes(file);
  const parsed = parsePlanFile(file, bytes);
  const { graph } = parsed;
  const diagnostics = (stubs && graph?.readFor(stubs)) ?? parsed.diagnostics;
  const text = diagnostics.length > 0 ? decode(bytes) : "";
  const source = new Source(displayName(file), text, fileTexts(parsed.files));
  const bundle = () =>
    graph !== null && Object.keys(parsed.files).length > 0 ? PlanGraph.print(graph) : decode(bytes);
  return { graph, diagnostics, source, text: () => decode(bytes), bundle };
}

/** Includes settings and nested graphs. */
export function checkedPlan(file: string, stubs?: Stubs, host: Parameters<typeof checkOn>[1] = {}): ParsedFile {
  const read = readPlan(file, stubs);
  return withDiagnostics(read, read.graph ? checkOn(read.graph, host) : []);
}

/** Invalid stubs count as present, so the plan's diagnostics stay complete. It omits their own. */
export function planWithStubs(file: string, stubs: Stubs): ParsedFile {
  const read = readPlan(file, stubs);
  const found = read.graph ? checkOn(read.graph, { tools: [], handlers: {}, stubs }) : [];
  return withDiagnostics(
    read,
    found.filter((one) => !isStubDiagnostic(one)),
  );
}

export function isStubDiagnostic({ code, span }: Diagnostic): boolean {
  return span === null && ["test/unused-stub", "run/unknown-handler", "stub/wrong-result"].includes(code);
}

export function withDiagnostics(read: ParsedFile, further: Diagnostic[]): ParsedFile {
  if (further.length === 0) return read;
  const source = new Source(read.source.name, read.text!(), read.source.files);
  return { ...read, source, diagnostics: sortDiagnostics([...read.diagnostics, ...further]) };
}

/** Reads the text again, for later diagnostics. */
export function sourceOf(file: string, files: Source["files"] = {}): Source {
  return new Source(file, file === "-" ? "" : decode(readBytes(file)), files);
}

export function isStubs(file: string): boolean {
  return /\.stubs\.(ya?ml|json)$/.test(file);
}

export interface ReadStubs {
  stubs: Stubs;
  diagnostics: Diagnostic[];
  source: Source;
  /** Plans mark the stubs they use. */
  uses: StubUses;
}

export function readStubsFile(file: string): ReadStubs {
  const text = decode(readBytes(file));
  const { stubs, diagnostics, uses } = readStubsText(text, file.endsWith(".json") ? "json" : "auto");
  return { stubs, diagnostics, source: new Source(displayName(file), text), uses };
}

/** Throws {@link StubsError}. */
export function readStubs(file: string): Stubs {
  const { stubs, diagnostics, source } = readStubsFile(file);
  if (hasErrors(diagnostics)) throw new StubsError(file, diagnostics, source, stubs);
  return stubs;
}
