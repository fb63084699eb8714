/**
 * Compiles regular expressions to programs that run in linear time.
 *
 * JavaScript's engine tests single characters, so both agree. Backreferences and lookbehind need more time and are
 * unsupported. Source: ECMA-262, "Patterns", as JSON Schema requires.
 */

export type Test = (point: number) => boolean;

export type Assertion = "^" | "$" | "b" | "B";

/** Unless stated, the next instruction follows. */
export type Op =
  | { readonly op: "char"; readonly test: Test }
  | { readonly op: "border"; readonly border: Assertion }
  /** Lookahead: the program at `from` ends with its own `match`. */
  | { readonly op: "look"; readonly from: number; readonly is: boolean; readonly next: number }
  | { readonly op: "split"; readonly ways: readonly number[] }
  | { readonly op: "match" };

/** Repetitions are unrolled. */
const MAX_STEPS = 20_000;
/** Nested instructions are moved many times. */
const MAX_WORK = 20 * MAX_STEPS;

class Unsupported extends Error {}

/** `pattern` is valid with the flag `u`. `ops` is null if unsupported, and `made` counts the work. */
export function programOf(pattern: string): { ops: Op[] | null; made: number } {
  const reader = new PatternParser(pattern);
  try {
    reader.choice();
    reader.ops.push({ op: "match" });
    return { ops: reader.ops, made: reader.made };
  } catch {
    // Unsupported, or a stack overflow from nested groups.
    return { ops: null, made: reader.made };
  }
}

const DOT: Test = (point) => point !== 10 && point !== 13 && point !== 0x2028 && point !== 0x2029;

class PatternParser {
  ops: Op[] = [];
  made = 1;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  choice(): void {
    const from = this.ops.length;
    this.#sequence();
    if (this.#text[this.#at] !== "|") return;
    // Compile each alternative at the first one's position.
    const choices = [this.ops.splice(from)];
    while (this.#eat("|")) {
      this.#sequence();
      choices.push(this.ops.splice(from));
    }
    const last = choices.pop()!;
    const after = from + choices.reduce((sum, { length }) => sum + length + 2, last.length);
    for (const choice of choices) {
      this.#push({ op: "split", ways: [this.ops.length + 1, this.ops.length + choice.length + 2] });
      this.#push(...this.#shift(choice, this.ops.length - from));
      this.#push({ op: "split", ways: [after] });
    }
    this.#push(...this.#shift(last, this.ops.length - from));
  }

  #sequence(): void {
    while (this.#at < this.#text.length && !"|)".includes(this.#text[this.#at]!)) this.#term();
  }

  #term(): void {
    const from = this.ops.length;
    if (this.#atom()) this.#repeat(from);
  }

  /** Returns whether a quantifier may follow. */
  #atom(): boolean {
    const text = this.#text;
    const from = this.#at;
    const sign = text[this.#at++]!;
    switch (sign) {
      case "^":
      case "$":
        this.#push({ op: "border", border: sign });
        return false;
      case "(":
        return this.#group();
      case ".":
        this.#push({ op: "char", test: DOT });
        return true;
      case "[":
        this.#toEndOfClass();
        this.#push({ op: "char", test: characterTest(text.slice(from, this.#at)) });
        return true;
      case "\\":
        return this.#escape(from);
      default: {
        const point = text.codePointAt(from)!;
        this.#at = from + (point > 0xffff ? 2 : 1);
        this.#push({ op: "char", test: (other) => other === point });
        return true;
      }
    }
  }

  #group(): boolean {
    const [head = ""] = /^(?:\?(?::|=|!|<=|<!|<[^>]*>|[^:]*:))?/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += head.length;
    if (head === "?=" || head === "?!") return this.#lookaround(head === "?=");
    if (head !== "" && head !== "?:" && !/^\?<[^=!]/.test(head)) throw new Unsupported("it looks behind");
    this.choice();
    this.#at++;
    return true;
  }

  #lookaround(is: boolean): boolean {
    const from = this.ops.length;
    this.choice();
    this.#at++;
    const inner = this.ops.splice(from);
    this.#push({ op: "look", from: from + 1, is, next: from + inner.length + 2 });
    this.#push(...this.#shift(inner, 1), { op: "match" });
    return false;
  }

  #escape(from: number): boolean {
    const sign = this.#text[this.#at++]!;
    if (sign === "b" || sign === "B") {
      this.#push({ op: "border", border: sign });
      return false;
    }
    if (sign === "k" || /[1-9]/.test(sign)) throw new Unsupported("it refers back");
    const rest = this.#text.slice(from);
    const pair = /^\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/;
    const long = /^\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\})/;
    const [written] = pair.exec(rest) ?? long.exec(rest) ?? [rest.slice(0, 2)];
    this.#at = from + written.length;
    this.#push({ op: "char", test: characterTest(written) });
    return true;
  }

  /** Only an escaped bracket does not close a class. */
  #toEndOfClass(): void {
    while (this.#text[this.#at] !== "]") this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at++;
  }

  #repeat(from: number): void {
    const [written, sign, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(this.#text.slice(this.#at)) ?? [];
    if (written === undefined) return;
    this.#at += written.length;
    const [atLeast, atMost] =
      sign === "*"
        ? [0, Infinity]
        : sign === "+"
          ? [1, Infinity]
          : sign === "?"
            ? [0, 1]
            : [Number(least), comma === undefined ? Number(least) : most === "" ? Infinity : Number(most)];
    const one = this.ops.splice(from);
    if (one.length === 0) return;
    const copy = () => this.#push(...this.#shift(one, this.ops.length - from));
    for (let i = 0; i < atLeast; i++) copy();
    if (atMost === Infinity) {
      const loop = this.ops.length;
      this.#push({ op: "split", ways: [loop + 1, loop + one.length + 2] });
      copy();
      this.#push({ op: "split", ways: [loop] });
      return;
    }
    const end = this.ops.length + (atMost - atLeast) * (one.length + 1);
    for (let i = atLeast; i < atMost; i++) {
      this.#push({ op: "split", ways: [this.ops.length + 1, end] });
      copy();
    }
  }

  #shift(ops: readonly Op[], by: number): Op[] {
    this.#countSteps(ops.length);
    return ops.map((op) => {
      if (op.op === "split") return { ...op, ways: op.ways.map((way) => way + by) };
      return op.op === "look" ? { ...op, from: op.from + by, next: op.next + by } : op;
    });
  }

  #countSteps(steps: number): void {
    this.made += steps;
    if (this.made > MAX_WORK) throw new Unsupported("it is too long");
  }

  #push(...ops: Op[]): void {
    this.#countSteps(ops.length);
    if (this.ops.length + ops.length > MAX_STEPS) throw new Unsupported("it is too long");
    for (const op of ops) this.ops.push(op);
  }

  #eat(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }
}

/** JavaScript's engine is fast for one character. */
function characterTest(written: string): Test {
  const expression = new RegExp(`^${written}$`, "u");
  return (point) => expression.test(String.fromCodePoint(point));
}
