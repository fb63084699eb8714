/** A plan in an editor. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { PlanError } from "../errors.js";
import { assertOptions } from "../options.js";
import { encodeFiles } from "../plan-files.js";
import type { Diagnostic, Span } from "../types.js";
import { parseEditResult, assertApplied, formatOperations } from "./edit-result.js";
import type { GraphEdit } from "./edits.js";
import { assertStarted } from "./engine.js";
import { DOCUMENT, HOST } from "./host.js";
import type {
  CodeAction,
  Completion,
  DocumentOptions,
  EditorFiles,
  EditResult,
  FileLink,
  FoldingRange,
  Hover,
  HostCapabilities,
  DiagramData,
  PlanSymbol,
  RenameTarget,
  TextChange,
} from "./types.js";

/** Token kinds, by index in {@link PlanDocument.tokens}. */
export const tokenKinds = [
  "key",
  "type",
  "node",
  "tool",
  "name",
  "root",
  "property",
  "operator",
  "text",
  "number",
  "keyword",
  "punctuation",
] as const;

/**
 * A plan's text with an editor's operations. Offsets are in UTF-16 units. Errors in it become diagnostics, misuse
 * throws a {@link PlanError}.
 *
 * @example
 * const document = new PlanDocument("nodes:\n  a: {type: log}\n");
 * document.change([{ span: { start: 19, end: 22 }, text: "noop" }]);
 * document.diagnostics();
 */
export class PlanDocument {
  #raw: wasm.RawDocument | null;
  /** Null until it is read after a change. */
  #text: string | null;

  constructor(text: string, options: DocumentOptions = {}) {
    assertStarted();
    if (typeof text !== "string") throw new PlanError("api/bad-text", "a document is text");
    assertOptions("PlanDocument", options, DOCUMENT);
    this.#raw = new wasm.RawDocument(text, options.format ?? "auto");
    this.#text = text;
    this.#setHost(options);
  }

  get #document(): wasm.RawDocument {
    if (this.#raw === null) throw new PlanError("api/freed", "this document was freed");
    return this.#raw;
  }

  /** Language of the text. */
  get language(): "yaml" | "json" {
    return this.#document.format() as "yaml" | "json";
  }

  /** The current text. */
  get text(): string {
    return (this.#text ??= this.#document.text());
  }

  /** Sets the host capabilities. */
  setHost(host: HostCapabilities): void {
    assertOptions("setHost", host, HOST);
    this.#setHost(host);
  }

  #setHost(host: HostCapabilities): void {
    const { tools = null, types = null, ids = [], models = null, stubs = null } = host;
    this.#document.set_host(JSON.stringify({ tools, types, ids, models, stubs }));
  }

  /**
   * Sets the files that the plan runs, by path from it. Only diagnostics use them: nodes that run files stay closed. A
   * missing text is a hint.
   *
   * @example
   * document.setFiles({ "sub/other.yaml": "nodes: {a: {type: log}}" });
   */
  setFiles(files: EditorFiles): void {
    assertOptions("setFiles", { files }, { files: "{}text|bytes|map" });
    this.#document.set_files(encodeFiles(files));
  }

  /** Returns unset files that the plan runs, directly or not. */
  missingFiles(): string[] {
    return JSON.parse(this.#document.missing_files()) as string[];
  }

  /** Returns paths to other files. */
  fileLinks(): FileLink[] {
    return JSON.parse(this.#document.file_links()) as FileLink[];
  }

  /**
   * Applies changes, in any order. Ranges refer to the old text and must not overlap. Offsets after the end mean the
   * end.
   *
   * @throws {PlanError} `api/bad-change` for an invalid range or an overlap. Then the text stays as it is.
   */
  change(changes: readonly TextChange[]): void {
    const sorted = sortChanges(changes);
    this.#document.change(
      new Uint32Array(sorted.flatMap(({ span }) => [span.start, span.end])),
      sorted.map(({ text }) => text),
    );
    this.#text = null;
  }

  /** Replaces the text, parsing only the part that differs. */
  setText(text: string): void {
    const old = this.text;
    if (text === old) return;
    const max = Math.min(old.length, text.length);
    let start = 0;
    while (start < max && old.charCodeAt(start) === text.charCodeAt(start)) start++;
    let tail = 0;
    while (tail < max - start && old.charCodeAt(old.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail))
      tail++;
    // Surrogate pairs stay together.
    if (start > 0 && isHighSurrogate(text.charCodeAt(start - 1))) start--;
    if (
      tail > 0 &&
      !isHighSurrogate(text.charCodeAt(text.length - tail)) &&
      isHighSurrogate(text.charCodeAt(text.length - tail - 1))
    )
      tail--;
    this.change([{ span: { start, end: old.length - tail }, text: text.slice(start, text.length - tail) }]);
    this.#text = text;
  }

  /** Returns diagnostics in document order. */
  diagnostics(): Diagnostic[] {
    return JSON.parse(this.#document.diagnostics()) as Diagnostic[];
  }

  /** Returns nodes and edges of the current text, else of the last valid one, or null. */
  diagram(): DiagramData | null {
    return JSON.parse(this.#document.diagram()) as DiagramData | null;
  }

  /** Returns completions, most likely first. */
  complete(offset: number): Completion[] {
    return JSON.parse(this.#document.complete(assertOffset(offset))) as Completion[];
  }

  /** Returns documentation of an element, or null. */
  hover(offset: number): Hover | null {
    return JSON.parse(this.#document.hover(assertOffset(offset))) as Hover | null;
  }

  /** Returns the definition of a name, or null. */
  definition(offset: number): Span | null {
    return JSON.parse(this.#document.definition(assertOffset(offset))) as Span | null;
  }

  /** Returns a name's references and definition, in document order. */
  references(offset: number): Span[] {
    return JSON.parse(this.#document.references(assertOffset(offset))) as Span[];
  }

  /** Returns a renameable name, or null. */
  prepareRename(offset: number): RenameTarget | null {
    return JSON.parse(this.#document.prepare_rename(assertOffset(offset))) as RenameTarget | null;
  }

  /** Computes edits that rename an element and its references. */
  rename(offset: number, name: string): EditResult {
    return parseEditResult(this.#document.rename(assertOffset(offset), name), () => this.text);
  }

  /** Returns the plan's named parts as a tree. */
  symbols(): PlanSymbol[] {
    return JSON.parse(this.#document.symbols()) as PlanSymbol[];
  }

  /** Returns fixes and refactorings for a range. */
  actions(span: Span): CodeAction[] {
    return JSON.parse(this.#document.actions(assertOffset(span.start), assertOffset(span.end))) as CodeAction[];
  }

  /**
   * Returns single-line tokens in document order, each as four numbers: start, end, index in {@link tokenKinds}, and 1
   * for a definition or 0.
   */
  tokens(): Uint32Array {
    return this.#document.tokens();
  }

  /** Returns the foldable ranges. */
  folding(): FoldingRange[] {
    return JSON.parse(this.#document.folding()) as FoldingRange[];
  }

  /** Computes edits that format the text. */
  format(): EditResult {
    return parseEditResult(this.#document.formatted(), () => this.text);
  }

  /**
   * Computes the edits of operations, in order, or none if one is refused. Apply them in your editor, then pass them to
   * {@link PlanDocument.change}.
   *
   * @throws {PlanError} `api/bad-edit` for an unknown operation or a missing field.
   *
   * @example
   * const { changes, refused } = document.edit([{ op: "rename_node", node: "a", to: "fetch" }]);
   * if (!refused) document.change(changes);
   */
  edit(edits: readonly GraphEdit[]): EditResult {
    return assertApplied(parseEditResult(this.#document.edit(formatOperations(edits)), () => this.text));
  }

  /** Frees the memory before garbage collection. */
  free(): void {
    this.#raw?.free();
    this.#raw = null;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

function assertOffset(offset: number): number {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new PlanError("api/bad-offset", `${offset} is no place in a text`);
  return Math.min(offset, 0xffff_ffff);
}

function sortChanges(changes: readonly TextChange[]): TextChange[] {
  const sorted = [...changes].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  let behind = 0;
  for (const {
    span: { start, end },
    text,
  } of sorted) {
    const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start;
    if (!isPlace || typeof text !== "string")
      throw new PlanError("api/bad-change", `there is no place from ${start} to ${end}`);
    if (start < behind)
      throw new PlanError("api/bad-change", `the change from ${start} to ${end} overlaps the one before it`);
    behind = end;
  }
  return sorted;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
