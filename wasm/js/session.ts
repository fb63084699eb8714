/**
 * One run on the engine, in numbers: what `run` drives and what the synchronous `Run` shows.
 *
 * Decides nothing. Invariant: between two calls of the engine nobody else uses its words.
 */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { words } from "./engine.js";
import { PlanError } from "./errors.js";
import type { PlanGraph } from "./graph.js";
import type { Program } from "./program.js";
import { RunReport } from "./report.js";
import { Reader, valueAt } from "./trace.js";
import type { Outcome, RunOptions, TraceEvent } from "./types.js";
import { addTable, removeTable, toJson } from "./values.js";

/** What a step asks for; the numbers are those of `wasm/src/run.rs`. */
export const FINISHED = 0;
export const HANDLER = 1;
export const TOOL = 2;
export const MODEL = 3;
export const REFUSED = 4;

/** Words beyond those of a command: where the events of the last step are, and how many words they take. */
const STEP_AT = 6;
const STEP_LENGTH = 7;

const NO_WORDS = new Int32Array(0);
const NO_EVENTS: TraceEvent[] = [];

/** The names that only the engine sets. */
const RESERVED = new Set(["input", "memory"]);

/** A run and its values. */
export class Session {
  readonly graph: PlanGraph;
  readonly program: Program;
  readonly values: unknown[];
  readonly input: unknown;
  /** The engine's part; the driver's loop calls it without a detour. */
  readonly raw: wasm.RawRun;
  readonly #table: number;
  readonly #io: number;
  readonly #kept: boolean;
  #texts: string[] = [];
  #fetched = false;
  readonly #reader: Reader;
  #open = true;
  #startedMs = 0;
  #endedMs = 0;

  constructor(graph: PlanGraph, program: Program, options: RunOptions, observed: boolean) {
    this.graph = graph;
    this.program = program;
    this.input = options.input === undefined ? null : options.input;
    this.#kept = options.trace !== false;
    this.values = [this.input];
    const settings = settingsOf(options, this.values);
    this.#table = addTable({ values: this.values, paths: program.table.paths, literals: program.table.literals, texts: program.table.texts });
    const { visits = -1, steps = -1, calls = -1 } = options.limits ?? {};
    const raw = wasm.RawRun.begin(program.bound, this.#table, settings, observed, this.#kept, visits, steps, calls);
    if (raw === undefined) {
      removeTable(this.#table);
      throw new PlanError("api/invalid-plan", "this plan can't run with what it was given; `check` says why");
    }
    this.raw = raw;
    this.#io = raw.io() >>> 2;
    this.#reader = new Reader(NO_WORDS, 0, 0, () => this.#newTexts(), this.values, program);
  }

  /** Where the words of the last command are among {@link words}: node, input, arguments, answer slot, visit, call. */
  get io(): number {
    return this.#io;
  }
  get node(): number {
    return words()[this.#io]!;
  }
  get nodeInput(): unknown {
    return valueAt(words()[this.#io + 1]!, this.values, this.program);
  }
  get callArguments(): unknown {
    return valueAt(words()[this.#io + 2]!, this.values, this.program);
  }
  get answerSlot(): number {
    return words()[this.#io + 3]!;
  }
  get visit(): number {
    return words()[this.#io + 4]!;
  }
  get call(): number {
    return words()[this.#io + 5]!;
  }

  start(atMs: number): number {
    this.#startedMs = atMs;
    return this.raw.start(atMs);
  }

  /** Answers the outstanding call; the value must stand in its answer slot. */
  done(call: number, atMs: number): number {
    return this.raw.done(call, atMs);
  }

  failed(call: number, code: string, message: string, atMs: number): number {
    return this.raw.failed(call, code, message, atMs);
  }

  replied(call: number, reply: unknown, atMs: number): number {
    return this.raw.replied(call, toJson(reply) ?? "null", atMs);
  }

  /** Milliseconds to wait before the stub's answer, or -1 when no stub stands in. */
  stub(): number {
    return this.raw.stub();
  }

  stubDone(call: number, atMs: number): number {
    return this.raw.stub_done(call, atMs);
  }

  cancel(atMs: number): number {
    return this.raw.cancel(atMs);
  }

  request(): string {
    return this.raw.request();
  }

  get last(): unknown {
    return this.#open ? this.#value(this.raw.last()) : undefined;
  }

  output(name: string): unknown {
    return this.#open ? this.#value(this.raw.output(name)) : undefined;
  }

  /** Sets a further named output, with the answer to the outstanding call. */
  write(name: string, value: unknown): void {
    this.assertWritable(name);
    this.values[this.raw.write(name)] = value === undefined ? null : value;
  }

  assertWritable(name: string): void {
    if (!this.#open) throw new PlanError("run/finished", "the run is over; nothing can be written any more");
    if (RESERVED.has(name)) throw new PlanError("graph/reserved-id", `\`${name}\` names what the run was given`);
  }

  /** The events of the last step; to be read at once. */
  events(): TraceEvent[] {
    const heap = words();
    const length = heap[this.#io + STEP_LENGTH]!;
    if (length === 0) return NO_EVENTS;
    const at = heap[this.#io + STEP_AT]! >>> 2;
    this.#fetched = false;
    this.#reader.reset(heap, at, at + length);
    const events: TraceEvent[] = [];
    while (!this.#reader.done) events.push(this.#reader.event());
    return events;
  }

  /** The texts of the events; of a kept trace only the new ones are fetched. */
  #newTexts(): readonly string[] {
    if (this.#fetched) return this.#texts;
    this.#fetched = true;
    if (!this.#kept) this.#texts = [];
    const more = this.raw.texts(this.#texts.length);
    if (more !== "") this.#texts.push(...(JSON.parse(more) as string[]));
    return this.#texts;
  }

  /** When the run ended, or for now. */
  ended(atMs: number): void {
    this.#endedMs = atMs;
  }

  /** Takes everything out of the engine and frees its part. */
  close(): RunReport {
    const report = this.report();
    this.free();
    return report;
  }

  report(outcome?: Outcome): RunReport {
    const raw = this.raw;
    const length = raw.pack_report();
    const texts = raw.report_texts();
    const packed = slice(raw.report_words(), length);
    const trace = slice(raw.trace_words(), raw.trace_length());
    this.#fetched = !this.#kept;
    const traceTexts = this.#newTexts();
    // While the run goes on its values change their slots, so a report on the way has a copy.
    const values = outcome ? [...this.values] : this.values;
    const parsed = texts === "" ? [] : (JSON.parse(texts) as string[]);
    const reader = new Reader(packed, 0, length, () => parsed, values, this.program);
    const events = new Reader(trace, 0, trace.length, () => traceTexts, values, this.program);
    return new RunReport(this.graph, this.program, reader, events, this.#endedMs - this.#startedMs, outcome);
  }

  free(): void {
    if (!this.#open) return;
    this.#open = false;
    removeTable(this.#table);
    this.raw.free();
  }

  #value(word: number): unknown {
    return valueAt(word, this.values, this.program);
  }
}

/** A copy of words, by their address. */
function slice(address: number, length: number): Int32Array {
  return length === 0 ? NO_WORDS : words().slice(address >>> 2, (address >>> 2) + length);
}


/** What the engine is told besides the input, as JSON; empty when there is nothing. Fills the first slots. */
function settingsOf(options: RunOptions, values: unknown[]): string {
  const { memory, context, outputs, stubs } = options;
  if (memory === undefined && context === undefined && !outputs && !stubs) return "";
  if (memory !== undefined) values.push(memory);
  if (context !== undefined) values.push(context);
  const given = Object.entries(outputs ?? {}).filter(([name]) => !RESERVED.has(name));
  for (const [, value] of given) values.push(value === undefined ? null : value);
  return JSON.stringify({
    stubs: stubs ?? null,
    outputs: given.map(([name]) => name),
    memory: memory !== undefined,
    context: context !== undefined,
  });
}
