/**
 * Regular expressions for the engine, which has none of its own: those of JavaScript, which are what JSON Schema asks
 * for, in time that grows with the text and no faster.
 *
 * Patterns come from schemas, and schemas from servers and strangers: JavaScript's own engine takes years for `(a+)+$`.
 * Decides whether some part of a text matches, by following all ways at once. Sets of ways that were met before are
 * remembered, so most characters cost one look. Invariants: what would take too long is given up, and the value is
 * refused, since under `not` a text that does not match would pass; all work is
 * counted, so that checking can be given up over many texts and patterns; what is remembered is bounded.
 */
import { type Assertion, type Op, programOf } from "./pattern-program.js";

/** The most patterns that are kept ready, and the most steps of all their programs. */
const MAX_PATTERNS = 20_000;
const MAX_PATTERN_STEPS = 200_000;
/** The most steps for one text: some ten milliseconds. */
const STEP_BUDGET = 500_000;
/** The longest text that is looked at. */
const MAX_TEXT = 1_000_000;
/** The most sets of ways that a pattern remembers, and the most numbers in them. */
const MAX_STATES = 2000;
const MAX_REMEMBERED = 200_000;
/** The work that is counted for a text that was given up: more than checking one value may take. */
const ABORTED_WORK = 10_000_000;
/** What it takes to be asked, to read a pattern, and to make a step of its program, in units of some 40 ns. */
const CALL_WORK = 16;
const PARSE_WORK = 200;
const PARSE_STEP_WORK = 16;

const compiled = new Map<string, Matcher | null>();
let steps = 0;

/**
 * @internal 1 when some part of a text matches, 0 when none does, 2 when the pattern can't be read; and three times the
 * work that it took.
 */
export function pattern_judged(pattern: string, text: string): number {
  let known = compiled.get(pattern);
  let work = CALL_WORK + (text.length >> 1);
  if (known === undefined) {
    const { matcher, size } = read(pattern);
    work += PARSE_WORK + (pattern.length >> 1) + PARSE_STEP_WORK * size;
    if (compiled.size >= MAX_PATTERNS || steps + size > MAX_PATTERN_STEPS) {
      compiled.clear();
      steps = 0;
    }
    known = matcher;
    steps += size;
    compiled.set(pattern, known);
  }
  const found = known?.test(text);
  if (known !== null && found === undefined) work += ABORTED_WORK;
  const verdict = known === null ? 2 : Number(found ?? false);
  return verdict + 3 * (work + (known?.work ?? 0));
}

/** @internal 1 when some part of a text matches, 0 when none does, -1 when the pattern can't be read. */
export function pattern_test(pattern: string, text: string): number {
  const verdict = pattern_judged(pattern, text) % 3;
  return verdict === 2 ? -1 : verdict;
}

/** A pattern made ready, and how many steps were made on the way. */
function read(pattern: string): { matcher: Matcher | null; size: number } {
  try {
    // JavaScript says whether it is a pattern at all.
    void new RegExp(pattern, "u");
  } catch {
    return { matcher: null, size: 1 };
  }
  const program = programOf(pattern);
  return { matcher: program.ops === null ? null : new Matcher(program.ops), size: program.made };
}

/** What stands before a character, or after it. */
type Side = "edge" | "word" | "other";

/** Where all ways stand after a character, and what that was. */
interface MatchState {
  readonly at: readonly number[];
  readonly before: Side;
  /** Where they stand after the next one, by its code point. */
  readonly next: Map<number, MatchState | true>;
}

class PatternBudgetError extends Error {}

class Matcher {
  readonly #ops: readonly Op[];
  /** Whether what a way comes to depends on more of the text than the characters beside it. */
  readonly #hasLookaround: boolean;
  #known = new Map<string, MatchState>();
  /** How many numbers the sets hold, and the ways that lead from one to the next. */
  #held = 0;
  #stepsLeft = 0;
  /** In which round each step was last seen. */
  readonly #seen: Int32Array;
  #round = 0;
  #points: number[] = [];
  #looked = new Map<string, boolean>();

  constructor(ops: readonly Op[]) {
    this.#ops = ops;
    this.#seen = new Int32Array(ops.length);
    this.#hasLookaround = ops.some(({ op }) => op === "look");
  }

  /** How many steps the last text took. */
  get work(): number {
    return STEP_BUDGET - Math.max(0, this.#stepsLeft);
  }

  test(text: string): boolean | undefined {
    this.#stepsLeft = STEP_BUDGET;
    if (text.length > MAX_TEXT) return undefined;
    this.#points = Array.from(text, (sign) => sign.codePointAt(0)!);
    this.#looked.clear();
    try {
      return this.#matches(0, 0, true);
    } catch (error) {
      if (error instanceof PatternBudgetError) return undefined;
      throw error;
    }
  }

  /** Whether the program from `from` on matches at a position, or anywhere after it. */
  #matches(from: number, position: number, anywhere: boolean): boolean {
    const points = this.#points;
    let state = this.#stateFor([from], this.#side(position - 1));
    for (let at = position; at < points.length; at++) {
      const next = this.#step(state, at, anywhere ? from : -1);
      if (next === true) return true;
      if (next.at.length === 0) return false;
      state = next;
    }
    return this.#open(state.at, points.length).includes(-1);
  }

  #step(state: MatchState, at: number, from: number): MatchState | true {
    const point = this.#points[at]!;
    const known = this.#hasLookaround ? undefined : state.next.get(point);
    if (known !== undefined) return known;
    const open = this.#open(state.at, at);
    const after = open.includes(-1) ? true : this.#stateFor(this.#advance(open, point, from), this.#side(at));
    if (!this.#hasLookaround) {
      state.next.set(point, after);
      this.#held++;
    }
    return after;
  }

  /** Where the ways stand that this character lets on. */
  #advance(open: readonly number[], point: number, from: number): number[] {
    const taken = open.filter((at) => (this.#ops[at] as Op & { op: "char" }).test(point)).map((at) => at + 1);
    // What matches anywhere may begin after any character.
    if (from >= 0 && !taken.includes(from)) taken.push(from);
    return taken;
  }

  #stateFor(at: readonly number[], before: Side): MatchState {
    if (this.#hasLookaround) return { at, before, next: new Map() };
    const key = `${before} ${at.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_STATES || this.#held >= MAX_REMEMBERED) {
      this.#known.clear();
      this.#held = 0;
    }
    const state: MatchState = { at, before, next: new Map() };
    this.#known.set(key, state);
    this.#held += at.length;
    return state;
  }

  /** The characters that the ways wait for before the one at a position, and -1 when one has come to its end. */
  #open(from: readonly number[], position: number): number[] {
    const [seen, round] = [this.#seen, ++this.#round];
    const open: number[] = [];
    const pending = [...from].reverse();
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (seen[at] === round) continue;
      seen[at] = round;
      if (--this.#stepsLeft < 0) throw new PatternBudgetError();
      const op = this.#ops[at]!;
      if (op.op === "match") return [-1];
      if (op.op === "char") open.push(at);
      else if (op.op === "split") pending.push(...op.ways);
      else if (op.op === "look") {
        if (this.#hasLookaroundAt(op.from, position) === op.is) pending.push(op.next);
      } else if (assertionHolds(op.border, this.#side(position - 1), this.#side(position))) pending.push(at + 1);
    }
    return open;
  }

  #hasLookaroundAt(from: number, position: number): boolean {
    const key = `${from} ${position}`;
    const known = this.#looked.get(key);
    if (known !== undefined) return known;
    const matches = this.#matches(from, position, false);
    this.#looked.set(key, matches);
    return matches;
  }

  #side(position: number): Side {
    const point = this.#points[position];
    if (point === undefined) return "edge";
    const isWord = (point >= 48 && point <= 57) || (point >= 65 && point <= 90) || point === 95;
    return isWord || (point >= 97 && point <= 122) ? "word" : "other";
  }
}

function assertionHolds(border: Assertion, before: Side, after: Side): boolean {
  switch (border) {
    case "^":
      return before === "edge";
    case "$":
      return after === "edge";
    default:
      return ((before === "word") !== (after === "word")) === (border === "b");
  }
}
