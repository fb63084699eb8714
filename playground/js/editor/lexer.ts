/**
 * Lexes a line of YAML or JSON, even invalid, for highlighting.
 *
 * The result depends on the line and the prior state, so lexing ends where states agree. Semantic tokens come too late
 * for a keystroke's frame. The lexer costs 1.4 kB, gzipped.
 */

export type TokenKind = "key" | "string" | "number" | "atom" | "comment" | "meta" | "mark" | "template";

/** Tokens are ordered and disjoint. */
export type EmitToken = (from: number, to: number, kind: TokenKind) => void;

/** The construct at a line's start, in the constants below. */
export type LexerState = number;

export const PLAIN: LexerState = 0;
const DOUBLE = 1;
const SINGLE = 2;
/** States from here to {@link BLOCK} hold the number of open brackets. */
const FLOW = 3;
const MAX_DEPTH = 60;
/** States from here on are a block scalar under a key in this column. */
const BLOCK = 64;

/** The rest of a longer line is plain, to keep typing fast. */
const MAX_LINE_LENGTH = 20_000;

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$|^0x[\da-fA-F]+$|^0o[0-7]+$|^[-+]?\.inf$|^\.nan$/i;
const ATOM = /^(?:true|false|null|~)$/i;
const MARKER = /^(?:---|\.\.\.)(?=\s|$)/;

/** Returns the state at the line's end. */
export function line(text: string, state: LexerState, emit: EmitToken): LexerState {
  return new LineLexer(text.length > MAX_LINE_LENGTH ? text.slice(0, MAX_LINE_LENGTH) : text, emit).read(state);
}

class LineLexer {
  #at = 0;
  #flow = 0;
  /** The last key or dash. Block scalars are deeper. */
  #column: number;

  constructor(
    readonly text: string,
    readonly emit: EmitToken,
  ) {
    this.#column = indentOf(text);
  }

  read(state: LexerState): LexerState {
    const { text } = this;
    if (state >= BLOCK) {
      if (text.trim() === "") return state;
      if (indentOf(text) > state - BLOCK - 1) {
        this.#string(indentOf(text), text.length, "string");
        return state;
      }
    } else if (state === DOUBLE || state === SINGLE) {
      const end = this.#quoted(0, state);
      if (end < 0) return state;
      this.#at = end;
    } else if (state >= FLOW) {
      this.#flow = state - FLOW + 1;
    }
    if (state === PLAIN || state >= BLOCK) {
      const marker = text.startsWith("%") ? text : MARKER.exec(text)?.[0];
      if (marker) this.#put(marker.length, "meta");
    }
    return this.#scanLine();
  }

  #scanLine(): LexerState {
    const { text } = this;
    while (this.#at < text.length) {
      const at = this.#at;
      const letter = text[at]!;
      if (letter === " " || letter === "\t") this.#at++;
      else if (letter === "#" && (at === 0 || isBlank(text[at - 1]))) this.#put(text.length - at, "comment");
      else if ("-?".includes(letter) && this.#flow === 0 && isBlank(text[at + 1])) {
        this.#column = at;
        this.#put(1, "mark");
      } else if (letter === '"' || letter === "'") {
        const open = letter === '"' ? DOUBLE : SINGLE;
        const end = this.#quoted(at + 1, open);
        if (end < 0) return open;
        this.#at = end;
      } else if ("[{".includes(letter)) {
        this.#flow = Math.min(this.#flow + 1, MAX_DEPTH);
        this.#put(1, "mark");
      } else if ("]}".includes(letter) && this.#flow > 0) {
        this.#flow--;
        this.#put(1, "mark");
      } else if (letter === "," && this.#flow > 0) this.#put(1, "mark");
      else if (letter === ":" && (isBlank(text[at + 1]) || this.#flow > 0)) this.#put(1, "mark");
      else if ("&*!".includes(letter) && /^[&*!][^\s,[\]{}]*/.test(text.slice(at)))
        this.#put(/^[&*!][^\s,[\]{}]*/.exec(text.slice(at))![0].length, "meta");
      else if (this.#flow === 0 && /^[|>][-+\d]{0,2}(?:\s+#.*|\s*)$/.test(text.slice(at))) {
        this.#put(/^[|>][-+\d]{0,2}/.exec(text.slice(at))![0].length, "mark");
        const comment = text.indexOf("#", this.#at);
        if (comment >= 0) this.emit(comment, text.length, "comment");
        return BLOCK + this.#column + 1;
      } else this.#plain();
    }
    return this.#flow > 0 ? FLOW + this.#flow - 1 : PLAIN;
  }

  #put(length: number, kind: TokenKind): void {
    this.emit(this.#at, this.#at + length, kind);
    this.#at += length;
  }

  /** Returns the string's end, or -1 if on a later line. */
  #quoted(begin: number, open: LexerState): number {
    const { text } = this;
    const from = Math.max(0, begin - 1);
    let at = begin;
    for (; at < text.length; at++) {
      if (open === DOUBLE && text[at] === "\\") at++;
      else if (open === SINGLE && text.startsWith("''", at)) at++;
      else if (text[at] === (open === DOUBLE ? '"' : "'")) break;
    }
    if (at >= text.length) {
      this.#string(from, text.length, "string");
      return -1;
    }
    const isKey =
      /^\s*:/.test(text.slice(at + 1, at + 9)) && (this.#flow > 0 || /^\s*:(?:\s|$)/.test(text.slice(at + 1, at + 12)));
    if (isKey && this.#flow === 0) this.#column = from;
    this.#string(from, at + 1, isKey ? "key" : "string");
    return at + 1;
  }

  #plain(): void {
    const { text } = this;
    const from = this.#at;
    let at = from;
    for (; at < text.length; at++) {
      const letter = text[at]!;
      if (letter === ":" && (isBlank(text[at + 1]) || (this.#flow > 0 && ",[]{}".includes(text[at + 1]!)))) break;
      if (letter === "#" && isBlank(text[at - 1])) break;
      if (letter === "$" && text[at + 1] === "{") {
        const close = text.indexOf("}", at);
        if (close > 0) at = close;
      } else if (this.#flow > 0 && ",[]{}".includes(letter)) break;
    }
    at = Math.max(at, from + 1);
    const word = text.slice(from, at).trimEnd();
    const isKey = text[at] === ":";
    if (isKey && this.#flow === 0) this.#column = from;
    if (isKey) this.emit(from, from + word.length, "key");
    else if (NUMBER.test(word)) this.emit(from, from + word.length, "number");
    else if (ATOM.test(word)) this.emit(from, from + word.length, "atom");
    else this.#string(from, from + word.length, "string");
    this.#at = at;
  }

  #string(from: number, to: number, kind: TokenKind): void {
    let at = from;
    for (const found of this.text.slice(from, to).matchAll(/\$*\$\{[^}]*\}?/g)) {
      // `$${` escapes `${`.
      const dollars = /^\$+/.exec(found[0])![0].length;
      if (dollars % 2 === 0) continue;
      const begin = from + found.index + dollars - 1;
      if (begin > at) this.emit(at, begin, kind);
      at = from + found.index + found[0].length;
      this.emit(begin, at, "template");
    }
    if (to > at) this.emit(at, to, kind);
  }
}

export function indentOf(text: string): number {
  return /^ */.exec(text)![0].length;
}

function isBlank(letter: string | undefined): boolean {
  return letter === undefined || letter === " " || letter === "\t";
}
