/** Decodes events from the engine's packed words. The layout is that of `wasm/engine/src/word_writer.rs`. */
import type { Program } from "./program.js";
import type { Outcome, TraceEvent, Verdict } from "./types.js";
import { getPath } from "./values.js";

const NO_VALUE = -0x80000000;
const REASONS = ["condition", "fallback", "no-match", "terminal"] as const;
const ENDS = ["completed", "failed", "abandoned"] as const;

/** Converts two words to a number. */
const halves = new Int32Array(2);
const whole = new Float64Array(halves.buffer);

export class TraceReader {
  // `#private` names would slow down reading, which happens for every event.
  private words: Int32Array;
  private at: number;
  private end: number;
  private readonly texts: () => readonly string[];
  private readonly values: readonly unknown[];
  private readonly program: Program;
  /** Names of active scopes. */
  private readonly scopes = new Map<number, string>();

  /** `texts` is called only if a word refers to a text. */
  constructor(words: Int32Array, texts: () => readonly string[], values: readonly unknown[], program: Program) {
    this.words = words;
    this.at = 0;
    this.end = words.length;
    this.texts = texts;
    this.values = values;
    this.program = program;
  }

  reset(words: Int32Array, at: number, end: number): void {
    this.words = words;
    this.at = at;
    this.end = end;
  }

  /** Follows the engine's memory after it grew. Copied words stay. */
  relocate(words: Int32Array): void {
    if (this.words.length === 0) this.words = words;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  count(): number {
    return this.words[this.at++]!;
  }

  number(): number {
    halves[0] = this.words[this.at++]!;
    halves[1] = this.words[this.at++]!;
    return whole[0]!;
  }

  text(): string {
    return this.texts()[this.count()]!;
  }

  value(): unknown {
    return valueAt(this.count(), this.values, this.program);
  }

  id(): string {
    return this.program.nodes[this.count()]!.id;
  }

  outcome(): Outcome {
    switch (this.count()) {
      case 0:
        return { type: "completed", reason: REASONS[this.count()] as "terminal" | "no-match" };
      case 1: {
        const [code, message, node] = [this.text(), this.text(), this.count()];
        const scope = this.count();
        if (node < 0) return { type: "failed", code, message };
        const failed: Outcome = { type: "failed", code, message, node: this.program.nodes[node]!.id };
        return scope < 0 ? failed : { ...failed, scope: this.texts()[scope]! };
      }
      default:
        return { type: "cancelled" };
    }
  }

  event(): TraceEvent {
    const kind = this.count();
    const atMs = this.number();
    switch (kind) {
      case 0:
        return { type: "run-started", atMs, input: this.value() };
      case 6:
        return { type: "run-ended", atMs, outcome: this.outcome() };
      case 8:
        return this.scopeStarted(atMs);
      case 10:
        return this.resumed(atMs);
    }
    const serial = this.count();
    const event = this.inScope(kind, atMs, serial);
    // Events of the run itself have no scope.
    if (serial !== 0) (event as { scope?: string }).scope = this.scopes.get(serial) ?? "";
    if (kind === 9) this.scopes.delete(serial);
    return event;
  }

  private inScope(kind: number, atMs: number, serial: number): TraceEvent {
    switch (kind) {
      case 1:
        return { type: "node-started", atMs, node: this.id(), visit: this.count(), input: this.value() };
      case 2:
        return {
          type: "node-completed",
          atMs,
          node: this.id(),
          visit: this.count(),
          output: this.value(),
          durationMs: this.number(),
        };
      case 3:
        return {
          type: "node-failed",
          atMs,
          node: this.id(),
          visit: this.count(),
          code: this.text(),
          message: this.text(),
          durationMs: this.number(),
        };
      case 11:
        return this.conversationEvent(atMs);
      case 4:
        return { type: "logged", atMs, node: this.id(), value: this.value() };
      case 7:
        return {
          type: "node-retried",
          atMs,
          node: this.id(),
          visit: this.count(),
          attempt: this.count(),
          code: this.text(),
          message: this.text(),
          delayMs: this.number(),
        };
      case 9:
        return { type: "scope-ended", atMs, scope: this.scopes.get(serial) ?? "", status: ENDS[this.count()]! };
      default:
        return this.decision(atMs);
    }
  }

  private scopeStarted(atMs: number): TraceEvent {
    const [serial, scope] = [this.count(), this.text()];
    this.scopes.set(serial, scope);
    return { type: "scope-started", atMs, scope, node: this.id(), input: this.value() };
  }

  private resumed(atMs: number): TraceEvent {
    for (let remaining = this.count(); remaining > 0; remaining--) this.scopes.set(this.count(), this.text());
    return { type: "run-resumed", atMs };
  }

  private conversationEvent(atMs: number): TraceEvent {
    const [node, type, call] = [this.id(), this.text(), this.text()];
    return { type, atMs, node, call, ...(this.value() as object) } as TraceEvent;
  }

  private decision(atMs: number): TraceEvent {
    const from = this.id();
    const taken = this.program.edges[this.count()];
    const reason = REASONS[this.count()]!;
    const verdicts: Verdict[] = [];
    for (let remaining = this.count(); remaining > 0; remaining--) verdicts.push(this.verdict());
    const to = taken ? this.program.nodes[taken.target]!.id : null;
    return { type: "edge-decided", atMs, node: from, from, to, edge: taken?.index ?? null, reason, verdicts };
  }

  private verdict(): Verdict {
    const { index: edge, text: condition } = this.program.edges[this.count()]!;
    const holds = this.count() === 1;
    const saw: Verdict["saw"] = [];
    for (let remaining = this.count(); remaining > 0; remaining--) saw.push(this.comparedValue());
    return { edge, condition, holds, saw };
  }

  private comparedValue(): Verdict["saw"][number] {
    const { reference, path } = this.program.atoms[this.count()]!;
    const root = this.count();
    const found =
      root === NO_VALUE
        ? undefined
        : getPath(valueAt(root, this.values, this.program), this.program.table.paths[path]!);
    return found === undefined ? { reference, missing: true } : { reference, value: found };
  }
}

/** Returns a value of the run, or a constant of the program. */
export function valueAt(word: number, values: readonly unknown[], program: Program): unknown {
  if (word === NO_VALUE) return undefined;
  return word >= 0 ? values[word] : program.table.values[~word];
}
