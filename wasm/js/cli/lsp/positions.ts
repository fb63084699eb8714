/**
 * Protocol positions. Columns use the negotiated encoding. One beyond a line means its end, as the protocol requires.
 */
import type { Position, Range } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Span } from "../../types.js";
import type { TextChange } from "../../editor/types.js";

export type Encoding = "utf-8" | "utf-16" | "utf-32";

/** The protocol's default comes first. */
export const ENCODINGS: readonly Encoding[] = ["utf-16", "utf-8", "utf-32"];

/** Units per character. */
const UNITS: Record<Exclude<Encoding, "utf-16">, (point: number) => number> = {
  "utf-8": (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
  "utf-32": () => 1,
};

export class TextPositions {
  readonly #document: TextDocument;

  constructor(
    uri: string,
    language: string,
    version: number,
    text: string,
    readonly encoding: Encoding,
  ) {
    this.#document = TextDocument.create(uri, language, version, text);
  }

  get text(): string {
    return this.#document.getText();
  }

  get version(): number {
    return this.#document.version;
  }

  get lines(): number {
    return this.#document.lineCount;
  }

  offset({ line, character }: Position): number {
    if (this.encoding === "utf-16") return this.#document.offsetAt({ line, character });
    const start = this.#document.offsetAt({ line, character: 0 });
    const text = this.#line(line);
    const units = UNITS[this.encoding];
    let at = 0;
    for (let left = character; at < text.length; ) {
      const point = text.codePointAt(at)!;
      left -= units(point);
      if (left < 0) break;
      at += point > 0xffff ? 2 : 1;
    }
    return start + at;
  }

  position(offset: number): Position {
    const { line, character } = this.#document.positionAt(offset);
    if (this.encoding === "utf-16") return { line, character };
    const units = UNITS[this.encoding];
    let count = 0;
    for (const part of this.#line(line).slice(0, character)) count += units(part.codePointAt(0)!);
    return { line, character: count };
  }

  range({ start, end }: Span): Range {
    return { start: this.position(start), end: this.position(end) };
  }

  /** Swaps reversed ends. */
  span({ start, end }: Range): Span {
    const [a, b] = [this.offset(start), this.offset(end)];
    return a <= b ? { start: a, end: b } : { start: b, end: a };
  }

  /** Returns ordered changes as one of the old text, or null if all was replaced. */
  change(changes: readonly ({ text: string } | { range: Range; text: string })[], version: number): TextChange | null {
    let hull: { start: number; end: number; now: number } | null = { start: 0, end: 0, now: 0 };
    let touched = false;
    for (const change of changes) {
      if (!("range" in change) || change.range === undefined) {
        TextDocument.update(this.#document, [{ text: change.text }], version);
        hull = null;
        continue;
      }
      const { start, end } = this.span(change.range);
      const range = { start: this.#document.positionAt(start), end: this.#document.positionAt(end) };
      TextDocument.update(this.#document, [{ range, text: change.text }], version);
      const grown = change.text.length - (end - start);
      if (hull === null) continue;
      const shift: number = hull.now - hull.end;
      if (!touched) hull = { start, end, now: end + grown };
      else
        hull = {
          start: Math.min(hull.start, start),
          end: Math.max(hull.end, end - shift),
          now: Math.max(hull.now, end) + grown,
        };
      touched = true;
    }
    if (changes.length === 0) TextDocument.update(this.#document, [], version);
    return hull && { span: { start: hull.start, end: hull.end }, text: this.text.slice(hull.start, hull.now) };
  }

  #line(line: number): string {
    const start = this.#document.offsetAt({ line, character: 0 });
    return this.text.slice(start, this.#document.offsetAt({ line, character: Number.MAX_SAFE_INTEGER }));
  }
}
