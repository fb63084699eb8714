/** Decodes packed events as `wasm/engine/src/word_writer.rs` lays them out. */
import {
  CONVERSATION,
  type EventName,
  LOGGED,
  NODE_COMPLETED,
  NODE_FAILED,
  NODE_RETRIED,
  NODE_STARTED,
  RUN_ENDED,
  RUN_RESUMED,
  RUN_STARTED,
  SCOPE_ENDED,
  SCOPE_STARTED,
  SCOPE_STATUSES,
  TRANSITION_REASONS,
} from "./event-kinds.js";
import type { CopiedWords } from "./engine.js";
import type { Program } from "./program.js";
import type { Outcome, TraceEvent, Verdict } from "./types.js";
import { getPath } from "./values.js";

const NO_VALUE = -0x80000000;

/** Fails to compile if the engine's event names differ from {@link TraceEvent}. */
type EngineEvent = [EventName, TraceEvent["type"]] extends [TraceEvent["type"], EventName] ? TraceEvent : never;

/** Two words make a number. */
const halves = new Int32Array(2);
const float = new Float64Array(halves.buffer);

export class TraceReader {
  // `#private` names would slow down every event.
  private words: Int32Array;
  private at: number;
  private end: number;
  private readonly texts: () => readonly string[];
  private readonly values: readonly unknown[];
  readonly program: Program;
  /** In the last outcome, or -1. */
  failedNode = -1;
  /** Names of active scopes. */
  private readonly scopes = new Map<number, string>();

  /** `texts` is called on demand. */
  constructor(from: CopiedWords, texts: () => readonly string[], values: readonly unknown[], program: Program) {
    this.words = from.words;
    this.at = from.start;
    this.end = from.end;
    this.texts = texts;
    this.values = values;
    this.program = program;
  }

  reset(words: Int32Array, at: number, end: number): void {
    this.words = words;
    this.at = at;
    this.end = end;
  }

  /** The engine's memory grew. Copied words stay. */
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
    return float[0]!;
  }

  text(): string {
    return this.texts()[this.count()]!;
  }

  name(): string {
    const number = this.count();
    if (number >= 0) return this.program.names[number]!;
    return number === -1 ? this.text() : number === -2 ? "input" : "memory";
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
        return { type: "completed", reason: TRANSITION_REASONS[this.count()] as "terminal" | "no-match" };
      case 1: {
        const [code, message, node] = [this.text(), this.text(), this.count()];
        this.failedNode = node;
        const scope = this.count();
        if (node < 0) return { type: "failed", code, message };
        const failed: Outcome = { type: "failed", code, message, node: this.program.nodes[node]!.id };
        return scope < 0 ? failed : { ...failed, scope: this.texts()[scope]! };
      }
      default:
        return { type: "cancelled" };
    }
  }

  event(): EngineEvent {
    const kind = this.count();
    const atMs = this.number();
    switch (kind) {
      case RUN_STARTED:
        return { type: "run-started", atMs, input: this.value() };
      case RUN_ENDED:
        return { type: "run-ended", atMs, outcome: this.outcome() };
      case SCOPE_STARTED:
        return this.scopeStarted(atMs);
      case RUN_RESUMED:
        return this.resumed(atMs);
    }
    const serial = this.count();
    const event = this.inScope(kind, atMs, serial);
    // Events of the run itself have no scope.
    if (serial !== 0) (event as { scope?: string }).scope = this.scopes.get(serial) ?? "";
    if (kind === SCOPE_ENDED) this.scopes.delete(serial);
    return event;
  }

  private inScope(kind: number, atMs: number, serial: number): EngineEvent {
    switch (kind) {
      case NODE_STARTED:
        return { type: "node-started", atMs, node: this.id(), visit: this.count(), input: this.value() };
      case NODE_COMPLETED:
        return {
          type: "node-completed",
          atMs,
          node: this.id(),
          visit: this.count(),
          output: this.value(),
          durationMs: this.number(),
        };
      case NODE_FAILED:
        return {
          type: "node-failed",
          atMs,
          node: this.id(),
          visit: this.count(),
          code: this.text(),
          message: this.text(),
          durationMs: this.number(),
        };
      case CONVERSATION:
        return this.conversationEvent(atMs);
      case LOGGED:
        return { type: "logged", atMs, node: this.id(), value: this.value() };
      case NODE_RETRIED:
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
      case SCOPE_ENDED:
        return {
          type: "scope-ended",
          atMs,
          scope: this.scopes.get(serial) ?? "",
          status: SCOPE_STATUSES[this.count()]!,
        };
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
    const reason = TRANSITION_REASONS[this.count()]!;
    const verdicts: Verdict[] = [];
    for (let remaining = this.count(); remaining > 0; remaining--) verdicts.push(this.verdict());
    const to = taken ? this.program.nodes[taken.target]!.id : null;
    return { type: "edge-decided", atMs, node: from, from, to, edge: taken?.index ?? null, reason, verdicts };
  }

  private verdict(): Verdict {
    const { index: edge, text: condition } = this.program.edges[this.count()]!;
    const result = this.count();
    const saw: Verdict["saw"] = [];
    for (let remaining = this.count(); remaining > 0; remaining--) saw.push(this.comparedValue());
    return { edge, condition, holds: result === 1, saw, ...(result === 2 && { failed: true as const }) };
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

export function valueAt(word: number, values: readonly unknown[], program: Program): unknown {
  if (word === NO_VALUE) return undefined;
  return word >= 0 ? values[word] : program.table.values[~word];
}
