/** Splits a condition into tokens without checking it. */

/** `word` is all other text. */
export interface ConditionToken {
  readonly kind: "operator" | "number" | "quote" | "open" | "close" | "word" | "space";
  readonly text: string;
  readonly start: number;
}

/** Most programs never need it. */
let pattern: RegExp | undefined;

function tokenPattern(): RegExp {
  const quotes = [/"""[^]*?(?:"""|$)/, /'''[^]*?(?:'''|$)/, /"(?:\\.|[^"\\])*"?/, /'(?:\\.|[^'\\])*'?/];
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

/** Together the tokens are the text. */
export function conditionTokens(condition: string): ConditionToken[] {
  return Array.from(condition.matchAll((pattern ??= tokenPattern())), ({ 0: text, index, groups }) => {
    const [kind] = Object.entries(groups!).find(([, value]) => value !== undefined)!;
    return { kind: kind as ConditionToken["kind"], text, start: index };
  });
}

/** Such a condition is also evaluated after a failure. */
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
