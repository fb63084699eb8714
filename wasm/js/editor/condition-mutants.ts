/** Each mutant changes one part. */
import { type ConditionToken, conditionTokens, refersToError } from "../condition-text.js";

export interface ConditionMutant {
  readonly kind: "negate-condition" | "swap-comparison" | "drop-operand" | "always-true" | "change-number";
  readonly message: string;
  readonly condition: string;
}

const SWAPPED: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "==": "!=",
  "!=": "==",
};

/** A lone `==` or `!=` is swapped and not negated, because both mean nearly the same. */
export function conditionMutants(condition: string): ConditionMutant[] {
  const tokens = conditionTokens(condition);
  const found: ConditionMutant[] = [];
  if (!isEquality(tokens))
    found.push({ kind: "negate-condition", message: "condition negated", condition: negated(condition, tokens) });
  if (condition.trim() !== "true")
    found.push({ kind: "always-true", message: "condition always true", condition: "true" });
  for (const [at, token] of tokens.entries()) {
    const mutant = tokenMutant(condition, token, isIndex(tokens, at));
    if (mutant !== null) found.push(mutant);
  }
  return [...found, ...droppedOperands(condition, tokens)];
}

function negated(condition: string, tokens: readonly ConditionToken[]): string {
  const [first, second, ...rest] = tokens.filter(({ kind }) => kind !== "space");
  if (first?.text !== "!" || second?.text !== "(") return `!(${condition})`;
  let depth = 1;
  const end = rest.findIndex(({ kind }) => (depth += kind === "open" ? 1 : kind === "close" ? -1 : 0) === 0);
  const isWhole = end === rest.length - 1;
  return isWhole ? condition.slice(second.start + 1, rest[end]!.start) : `!(${condition})`;
}

function isEquality(tokens: readonly ConditionToken[]): boolean {
  const operators = tokens.filter(({ kind }) => kind === "operator");
  return operators.length === 1 && ["==", "!="].includes(operators[0]!.text);
}

/** At most one holds: both compare one reference with two literals. */
export function isExclusive(one: string, other: string): boolean {
  const [left, right] = [one, other].map((condition) => {
    const tokens = conditionTokens(condition);
    const at = tokens.findIndex(({ text }) => text === "==");
    const isLone = isEquality(tokens) && at > 0;
    return isLone
      ? [condition.slice(0, tokens[at]!.start).trim(), condition.slice(tokens[at]!.start + 2).trim()]
      : null;
  });
  return !!left && !!right && left[0] === right[0] && unquoted(left[1]!) !== unquoted(right[1]!);
}

/** In the top graph, it holds only after a failure. Then runs evaluate no other conditions. */
export function isFailureOnly(condition: string): boolean {
  const tokens = conditionTokens(condition).filter(({ kind }) => kind === "operator");
  return refersToError(condition) && !tokens.some(({ text }) => ["!", "||", "?"].includes(text));
}

function unquoted(literal: string): string {
  return literal.replace(/^(["'])(.*)\1$/, "$2");
}

function tokenMutant(condition: string, { kind, text, start }: ConditionToken, index: boolean): ConditionMutant | null {
  const isComparison = kind === "operator" && Object.hasOwn(SWAPPED, text);
  if (!isComparison && (kind !== "number" || index)) return null;
  const by = isComparison ? SWAPPED[text]! : nextNumber(text);
  if (by === null) return null;
  return {
    kind: isComparison ? "swap-comparison" : "change-number",
    message: `\`${text}\` replaced by \`${by}\``,
    condition: condition.slice(0, start) + by + condition.slice(start + text.length),
  };
}

/** As in `last[0]`. The checker knows which indexes exist. */
function isIndex(tokens: readonly ConditionToken[], at: number): boolean {
  return tokens[at - 1]?.text === "[" && tokens[at + 1]?.text === "]" && /[\w)\]]$/.test(tokens[at - 2]?.text ?? "");
}

/** Null if JavaScript would round the sum. */
export function nextNumber(text: string): string | null {
  const next = Number(text) + 1;
  if (!Number.isFinite(next) || Math.abs(next) > Number.MAX_SAFE_INTEGER) return null;
  const digits = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
  return next.toFixed(Math.min(digits, 20));
}

interface Operands {
  operator: "&&" | "||";
  ranges: [number, number][];
}

function droppedOperands(condition: string, tokens: readonly ConditionToken[]): ConditionMutant[] {
  const lists = operandLists(condition, tokens).filter(({ ranges }) => ranges.every(([start, end]) => start < end));
  return lists.flatMap(({ operator, ranges }) =>
    ranges.map(([start, end], at): ConditionMutant => {
      // Drops the operator after the first operand, or before any other.
      const [from, to] = at === 0 ? [start, ranges[1]![0]] : [ranges[at - 1]![1], end];
      const operand = condition.slice(start, end);
      return {
        kind: "drop-operand",
        message: `operand \`${operand}\` of \`${operator}\` dropped`,
        condition: condition.slice(0, from) + condition.slice(to),
      };
    }),
  );
}

/** `&&` binds tighter than `||`. Lists in brackets count, too. */
function operandLists(condition: string, tokens: readonly ConditionToken[]): Operands[] {
  const found: Operands[] = [];
  const open: GroupReader[] = [new GroupReader(condition, 0)];
  for (const { kind, text, start } of tokens) {
    const group = open[open.length - 1]!;
    if (kind === "open") open.push(new GroupReader(condition, start + 1));
    else if (kind === "close") {
      if (open.length === 1) return [];
      open.pop();
      found.push(...group.end(start));
    } else if (kind === "operator" && (text === "&&" || text === "||")) group.operator(text, start);
    else if (kind === "operator" && (text === "," || text === "?" || (text === ":" && group.asked)))
      found.push(...group.separate(text, start));
  }
  return open.length === 1 ? [...found, ...open[0]!.end(condition.length)] : [];
}

class GroupReader {
  /** A `?` waits for its `:`. */
  asked = false;
  #ors: [number, number][] = [];
  #ands: [number, number][] = [];
  #found: Operands[] = [];
  #start: number;
  #orStart: number;

  constructor(
    readonly text: string,
    start: number,
  ) {
    this.#start = start;
    this.#orStart = start;
  }

  operator(operator: "&&" | "||", at: number): void {
    this.#ands.push(this.#range(this.#start, at));
    if (operator === "||") this.#endAnds(at, at + 2);
    this.#start = at + 2;
  }

  separate(text: string, at: number): Operands[] {
    this.asked = text === "?" || (this.asked && text !== ":");
    const found = this.end(at);
    this.#start = at + 1;
    this.#orStart = at + 1;
    return found;
  }

  end(at: number): Operands[] {
    this.#ands.push(this.#range(this.#start, at));
    this.#endAnds(at, at);
    if (this.#ors.length > 1) this.#found.push({ operator: "||", ranges: this.#ors });
    const found = this.#found;
    [this.#ors, this.#found] = [[], []];
    return found;
  }

  #endAnds(end: number, next: number): void {
    if (this.#ands.length > 1) this.#found.push({ operator: "&&", ranges: this.#ands });
    this.#ors.push(this.#range(this.#orStart, end));
    this.#ands = [];
    this.#orStart = next;
  }

  #range(start: number, end: number): [number, number] {
    const part = this.text.slice(start, end);
    const from = start + (part.length - part.trimStart().length);
    return [from, Math.max(from, end - (part.length - part.trimEnd().length))];
  }
}
