/**
 * Matches JavaScript regular expressions of untrusted schemas in linear time. JavaScript's engine takes years for
 * `(a+)+$`.
 *
 * Follows all threads at once and caches sets of them. Invariants: the value of a match over budget is rejected, since
 * under `not` a mismatch would pass. All work is counted, so that checks can stop. The cache is limited.
 */
import { type Assertion, type Op, programOf } from "./pattern-program.js";

const MAX_PATTERNS = 20_000;
const MAX_PATTERN_STEPS = 200_000;
/** Per text: some 10 ms. */
const STEP_BUDGET = 500_000;
const MAX_TEXT = 1_000_000;
const MAX_STATES = 2000;
const MAX_REMEMBERED = 200_000;
/** Ends the check. */
const ABORTED_WORK = 10_000_000;
/** Units of some 40 ns. */
const CALL_WORK = 16;
const PARSE_WORK = 200;
const PARSE_STEP_WORK = 16;

const compiled = new Map<string, Matcher | null>();
let steps = 0;

/** @internal 1 is a match, 0 none, 2 an unreadable pattern. Adds three times the work. */
export function evaluate_pattern(pattern: string, text: string): number {
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

/** @internal 1 is a match, 0 none, -1 an unreadable pattern. */
export function pattern_test(pattern: string, text: string): number {
  const verdict = evaluate_pattern(pattern, text) % 3;
  return verdict === 2 ? -1 : verdict;
}

function read(pattern: string): { matcher: Matcher | null; size: number } {
  try {
    void new RegExp(pattern, "u");
  } catch {
    return { matcher: null, size: 1 };
  }
  const program = programOf(pattern);
  return { matcher: program.ops === null ? null : new Matcher(program.ops), size: program.made };
}

type Side = "edge" | "word" | "other";

interface MatchState {
  readonly at: readonly number[];
  readonly before: Side;
  readonly next: Map<number, MatchState | true>;
}

class PatternBudgetError extends Error {}

class Matcher {
  readonly #ops: readonly Op[];
  /** Lookahead depends on more than the neighbours, which rules out caching. */
  readonly #hasLookaround: boolean;
  #known = new Map<string, MatchState>();
  #held = 0;
  #stepsLeft = 0;
  /** Each instruction's last round. */
  readonly #seen: Int32Array;
  #round = 0;
  #points: number[] = [];
  #looked = new Map<string, boolean>();

  constructor(ops: readonly Op[]) {
    this.#ops = ops;
    this.#seen = new Int32Array(ops.length);
    this.#hasLookaround = ops.some(({ op }) => op === "look");
  }

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

  #advance(open: readonly number[], point: number, from: number): number[] {
    const taken = open.filter((at) => (this.#ops[at] as Op & { op: "char" }).test(point)).map((at) => at + 1);
    // An unanchored match may start anywhere.
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

  /** Stops at character tests. -1 is a match. */
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
