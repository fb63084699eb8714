/** A plan that is being edited. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { PlanError } from "../errors.js";
import { assertOptions } from "../options.js";
import type { Diagnostic, Span } from "../types.js";
import { parseEditResult, assertApplied, formatOperations } from "./edit-result.js";
import type { GraphEdit } from "./edits.js";
import { assertStarted } from "./engine.js";
import { DOCUMENT, HOST } from "./host.js";
import type {
  CodeAction,
  Completion,
  DocumentOptions,
  EditResult,
  FoldingRange,
  Hover,
  HostCapabilities,
  DiagramData,
  PlanSymbol,
  RenameTarget,
  TextChange,
} from "./types.js";

/** The kinds of tokens, by their numbers in {@link PlanDocument.tokens}. */
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
 * A plan that is being edited: its text, and everything an editor asks of it.
 *
 * Every offset is in UTF-16 units. Nothing throws for what the text says; what is thrown is a {@link PlanError} for
 * misuse.
 *
 * @example
 * const document = new PlanDocument("nodes:\n  a: {type: log}\n");
 * document.change([{ span: { start: 19, end: 22 }, text: "noop" }]);
 * document.diagnostics();
 */
export class PlanDocument {
  #raw: wasm.RawDocument | null;
  /** The text as JavaScript has it; asked of the module only when somebody wants it. */
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

  /** What the text is read as. */
  get language(): "yaml" | "json" {
    return this.#document.format() as "yaml" | "json";
  }

  /** The text as it is now. */
  get text(): string {
    return (this.#text ??= this.#document.text());
  }

  /** Says what is known of the host from now on; what is left out is not judged. */
  setHost(host: HostCapabilities): void {
    assertOptions("setHost", host, HOST);
    this.#setHost(host);
  }

  #setHost(host: HostCapabilities): void {
    const { tools = null, types = null, ids = [], models = null, stubs = null } = host;
    this.#document.offer(JSON.stringify({ tools, types, ids, models, stubs }));
  }

  /**
   * Changes parts of the text, in any order. All places are those of the text before; they must not overlap. What lies
   * behind the end of the text means its end.
   *
   * @throws {PlanError} `api/bad-change` for a place that is none, and for two that overlap; nothing is changed then.
   */
  change(changes: readonly TextChange[]): void {
    const sorted = sortChanges(changes);
    this.#document.change(
      new Uint32Array(sorted.flatMap(({ span }) => [span.start, span.end])),
      sorted.map(({ text }) => text),
    );
    this.#text = null;
  }

  /** Makes the whole text another one. What is the same at its beginning and end is not read as a change. */
  setText(text: string): void {
    const old = this.text;
    if (text === old) return;
    const max = Math.min(old.length, text.length);
    let start = 0;
    while (start < max && old.charCodeAt(start) === text.charCodeAt(start)) start++;
    let tail = 0;
    while (tail < max - start && old.charCodeAt(old.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail))
      tail++;
    // No character is torn in two.
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

  /** Everything that is wrong with the text as it is, in its order. */
  diagnostics(): Diagnostic[] {
    return JSON.parse(this.#document.diagnostics()) as Diagnostic[];
  }

  /**
   * What there is to draw: of the text as it is, or of the last text whose plan was sound; null when there was none
   * yet.
   */
  diagram(): DiagramData | null {
    return JSON.parse(this.#document.outline()) as DiagramData | null;
  }

  /** What can be written at a place, the most likely first. */
  complete(offset: number): Completion[] {
    return JSON.parse(this.#document.complete(assertOffset(offset))) as Completion[];
  }

  /** What is known of the thing at a place; null where there is nothing to tell. */
  hover(offset: number): Hover | null {
    return JSON.parse(this.#document.hover(assertOffset(offset))) as Hover | null;
  }

  /** Where the thing that is spoken of at a place is made. */
  definition(offset: number): Span | null {
    return JSON.parse(this.#document.definition(assertOffset(offset))) as Span | null;
  }

  /** Everywhere that the thing at a place is spoken of, where it is made included, in the order of the text. */
  references(offset: number): Span[] {
    return JSON.parse(this.#document.references(assertOffset(offset))) as Span[];
  }

  /** The name at a place, if it can be changed. */
  prepareRename(offset: number): RenameTarget | null {
    return JSON.parse(this.#document.prepare_rename(assertOffset(offset))) as RenameTarget | null;
  }

  /** Works out what gives the thing at a place another name, wherever it is spoken of. The document stays as it is. */
  rename(offset: number, name: string): EditResult {
    return parseEditResult(this.#document.rename(assertOffset(offset), name), () => this.text);
  }

  /** The parts of the plan that have names, as a tree. */
  symbols(): PlanSymbol[] {
    return JSON.parse(this.#document.symbols()) as PlanSymbol[];
  }

  /** What can be done about the text in a range: fixes of what is wrong, and changes that are often wanted. */
  actions(span: Span): CodeAction[] {
    return JSON.parse(this.#document.actions(assertOffset(span.start), assertOffset(span.end))) as CodeAction[];
  }

  /**
   * The words that mean something in a plan, to be coloured: four numbers for each, its beginning, its end, the
   * position of its kind in {@link tokenKinds}, and 1 where a name is given, else 0. In the order of the text, each on
   * one line.
   */
  tokens(): Uint32Array {
    return this.#document.tokens();
  }

  /** The parts of the text that can be folded. */
  folding(): FoldingRange[] {
    return JSON.parse(this.#document.folding()) as FoldingRange[];
  }

  /** Works out what writes the text the usual way. The document stays as it is. */
  format(): EditResult {
    return parseEditResult(this.#document.formatted(), () => this.text);
  }

  /**
   * Works out what operations on the plan come to in its text, one after another; none is done where one of them can't
   * be. The document stays as it is: who shows the text makes the changes there, and they come back by {@link
   * PlanDocument.change}.
   *
   * @throws {PlanError} `api/bad-edit` for an operation that does not exist, or lacks something.
   *
   * @example
   * const { changes, refused } = document.edit([{ op: "rename_node", node: "a", to: "fetch" }]);
   * if (!refused) document.change(changes);
   */
  edit(edits: readonly GraphEdit[]): EditResult {
    return assertApplied(parseEditResult(this.#document.edit(formatOperations(edits)), () => this.text));
  }

  /** Gives the memory back at once; the collector would in time. */
  free(): void {
    this.#raw?.free();
    this.#raw = null;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

/** An offset that is one. */
function assertOffset(offset: number): number {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new PlanError("api/bad-offset", `${offset} is no place in a text`);
  return Math.min(offset, 0xffff_ffff);
}

/** Changes in the order of the text. */
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

/** Whether a unit is the first half of a character. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
