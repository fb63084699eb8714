/** Splits the text of a condition into tokens, to find and change its parts. Does not check it. */

/** A part of a condition. `word` is all text that is no operator, quote, number or bracket. */
export interface ConditionToken {
  readonly kind: "operator" | "number" | "quote" | "open" | "close" | "word" | "space";
  readonly text: string;
  readonly start: number;
}

/** Created on first use, because most programs never need it. */
let pattern: RegExp | undefined;

function tokenPattern(): RegExp {
  const quotes = [/"""[^]*?(?:"""|$)/, /'''[^]*?(?:'''|$)/, /"(?:\\.|[^"\\])*"?/, /'(?:\\.|[^'\\])*'?/];
  /** In the order in which they are tried. */
  const kinds: Readonly<Record<ConditionToken["kind"], RegExp>> = {
    quote: new RegExp(`[rRbB]{0,2}(?:${quotes.map(({ source }) => source).join("|")})`),
    operator: /&&|\|\||==|!=|<=|>=|[<>!?,:]/,
    open: /[([{]/,
    close: /[)\]}]/,
    number: /\d+(?:\.\d+)?(?![\w.])/,
    space: /\s+/,
    word: /[A-Za-z_$][\w$-]*|\d[\w.-]*|[^]/,
  };
  const named = Object.entries(kinds).map(([kind, { source }]) => `(?<${kind}>${source})`);
  return new RegExp(named.join("|"), "gy");
}

/** Returns the tokens of a condition. Together they are its text. */
export function conditionTokens(condition: string): ConditionToken[] {
  return Array.from(condition.matchAll((pattern ??= tokenPattern())), ({ 0: text, index, groups }) => {
    const [kind] = Object.entries(groups!).find(([, value]) => value !== undefined)!;
    return { kind: kind as ConditionToken["kind"], text, start: index };
  });
}

/** Whether a condition refers to `error`, so that it is also evaluated after a failure. */
export function refersToError(condition: string): boolean {
  const tokens = conditionTokens(condition).filter(({ kind }) => kind !== "space");
  return tokens.some(({ kind, text }, at) => {
    if (kind !== "word" || text !== "error") return false;
    const [before, after] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
    if (before === ".") return false;
    // A lone word after a comparison is a text.
    return after === "." || after === "[" || before === undefined || ["(", "!", "&&", "||"].includes(before);
  });
}
