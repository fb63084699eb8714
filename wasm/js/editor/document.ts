/** A plan that is being edited. */
import * as wasm from "../../pkg/stepgraph_editor.js";
import { PlanError } from "../errors.js";
import type { Diagnostic } from "../types.js";
import { assertStarted } from "./engine.js";
import type { DocumentOptions, HostOffer, Outline, TextChange } from "./types.js";

/**
 * A plan that is being edited: its text, and everything an editor asks of it.
 *
 * Every offset is in UTF-16 units. Nothing throws for what the text says; what is thrown is a {@link PlanError} for misuse.
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
    this.#raw = new wasm.RawDocument(text, options.format ?? "auto");
    this.#text = text;
    this.offer(options);
  }

  get #document(): wasm.RawDocument {
    if (this.#raw === null) throw new PlanError("api/freed", "this document was freed");
    return this.#raw;
  }

  /** What the text is read as. */
  get format(): "yaml" | "json" {
    return this.#document.format() as "yaml" | "json";
  }

  /** The text as it is now. */
  get text(): string {
    return (this.#text ??= this.#document.text());
  }

  /** Says what is known of the host from now on; what is left out is not judged. */
  offer(host: HostOffer): void {
    const { tools = null, types = null, ids = [], models = null, stubs = null } = host;
    this.#document.offer(JSON.stringify({ tools, types, ids, models, stubs }));
  }

  /**
   * Changes parts of the text, in any order. All places are those of the text before; they must not overlap. What lies behind the
   * end of the text means its end.
   *
   * @throws {PlanError} `api/bad-change` for a place that is none, and for two that overlap; nothing is changed then.
   */
  change(changes: readonly TextChange[]): void {
    const sorted = inOrder(changes);
    this.#document.change(new Uint32Array(sorted.flatMap(({ span }) => [span.start, span.end])), sorted.map(({ text }) => text));
    this.#text = null;
  }

  /** Makes the whole text another one. What is the same at its beginning and end is not read as a change. */
  setText(text: string): void {
    const old = this.text;
    if (text === old) return;
    const most = Math.min(old.length, text.length);
    let start = 0;
    while (start < most && old.charCodeAt(start) === text.charCodeAt(start)) start++;
    let tail = 0;
    while (tail < most - start && old.charCodeAt(old.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail)) tail++;
    // No character is torn in two.
    if (start > 0 && isHigh(text.charCodeAt(start - 1))) start--;
    if (tail > 0 && !isHigh(text.charCodeAt(text.length - tail)) && isHigh(text.charCodeAt(text.length - tail - 1))) tail--;
    this.change([{ span: { start, end: old.length - tail }, text: text.slice(start, text.length - tail) }]);
    this.#text = text;
  }

  /** Everything that is wrong with the text as it is, in its order. */
  diagnostics(): Diagnostic[] {
    return JSON.parse(this.#document.diagnostics()) as Diagnostic[];
  }

  /** What there is to draw: of the text as it is, or of the last text whose plan was sound; null when there was none yet. */
  outline(): Outline | null {
    return JSON.parse(this.#document.outline()) as Outline | null;
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

/** Changes in the order of the text. */
function inOrder(changes: readonly TextChange[]): TextChange[] {
  const sorted = [...changes].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  let behind = 0;
  for (const { span: { start, end }, text } of sorted) {
    const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start;
    if (!isPlace || typeof text !== "string") throw new PlanError("api/bad-change", `there is no place from ${start} to ${end}`);
    if (start < behind) throw new PlanError("api/bad-change", `the change from ${start} to ${end} overlaps the one before it`);
    behind = end;
  }
  return sorted;
}

/** Whether a unit is the first half of a character. */
function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
