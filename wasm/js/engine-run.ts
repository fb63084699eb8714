/**
 * One run in the engine, for `run` and the synchronous `Run`.
 *
 * Invariant: between two calls of the engine, no other code uses its words.
 */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { type CopiedWords, copyWords, words } from "./engine.js";
import { PlanError } from "./errors.js";
import type { PlanGraph } from "./graph.js";
import { EMPTY_REGISTRY, type ToolRegistry } from "./host.js";
import { freeParts, type Program, type RunParts } from "./program.js";
import { RunReport } from "./report.js";
import { ThrownErrors } from "./thrown-errors.js";
import { TraceReader, valueAt } from "./trace-reader.js";
import { randomId } from "./random-id.js";
import { AbortableState, callId, RunState } from "./handler-state.js";
import type {
  Approval,
  RequestedApproval,
  ChatRequest,
  Decision,
  Limits,
  Outcome,
  RunOptions,
  Snapshot,
  State,
  ToolInfo,
  TraceEvent,
} from "./types.js";
import { toJson } from "./values.js";
import {
  ABANDON,
  APPROVAL,
  type Command,
  COMMANDS,
  COUNT,
  NO_PART,
  readCommand,
  SET_TIMER,
  timerName,
  REPORT,
  STEP_AT,
  STEP_LENGTH,
  STRIDE,
  TRACE,
} from "./command.js";
import { approvalRecord, RESERVED, encodeSettings } from "./run-settings.js";

const NO_WORDS: CopiedWords = { words: new Int32Array(0), start: 0, end: 0 };
const NO_TEXTS: readonly string[] = [];
const NO_LIMITS: Limits = {};
/** The parts of a longer run hold too much memory. */
const MAX_REUSED_STEPS = 1000;

function assertName(name: string): void {
  if (typeof name !== "string")
    throw new PlanError("api/bad-name", `an output has a name, which is text, not ${typeof name}`);
}

export class EngineRun {
  readonly graph: PlanGraph;
  readonly program: Program;
  readonly values: unknown[];
  /** Public for the driver's loop. */
  readonly raw: wasm.RawRun;
  /** Index of a step's words in {@link words}. */
  readonly io: number;
  tools: ToolRegistry = EMPTY_REGISTRY;
  /** Requested approvals, by serial. */
  #approvals: Map<number, Command> | undefined;
  readonly #parts: RunParts;
  readonly #keepsTrace: boolean;
  #texts: string[] = [];
  #fetched = false;
  #reader: TraceReader | undefined;
  #open = true;
  #runId: string | undefined;
  #thrown: ThrownErrors | undefined;
  #startedMs = 0;
  #endedMs = 0;

  /** `epochMs`: milliseconds since 1970 at `atMs` 0, if known. */
  constructor(graph: PlanGraph, program: Program, options: RunOptions, observed: boolean, epochMs?: number) {
    this.graph = graph;
    this.program = program;
    this.#keepsTrace = options.trace !== false;
    this.values = [options.input === undefined ? null : options.input];
    this.#runId = options.runId ?? options.snapshot?.run;
    const settings = encodeSettings(options, this.values);
    const parts = program.takeParts();
    if (parts === undefined) throw program.unrunnable(options);
    parts.table.values = this.values;
    const limits = options.limits ?? NO_LIMITS;
    const { visits = -1, steps = -1, calls = -1, timeout_ms = -1 } = limits;
    const { tokens = -1, usd = -1, output_bytes = -1 } = limits;
    const { input_price = -1, output_price = -1, max_output = -1 } = limits;
    const isReady = wasm.reset_run(
      parts.raw,
      program.bound,
      settings,
      observed,
      this.#keepsTrace,
      visits,
      steps,
      calls,
      timeout_ms,
      tokens,
      usd,
      input_price,
      output_price,
      max_output,
      output_bytes,
      epochMs ?? NaN,
    );
    if (!isReady) {
      freeParts(parts);
      throw program.unrunnable(options);
    }
    this.#parts = parts;
    ({ raw: this.raw, io: this.io } = parts);
  }

  /** Call it before the next step. */
  commands(): Command[] {
    const commands: Command[] = [];
    const value = (word: number) => this.#value(word);
    const part = (scope: number, serial: number) => this.#part(scope, serial);
    let at = words()[this.io + COMMANDS]! >>> 2;
    // Reading may move the words by growing the engine's memory.
    for (let remaining = words()[this.io + COUNT]!; remaining > 0; remaining--, at += STRIDE)
      commands.push(readCommand(words(), at, value, part));
    for (const command of commands)
      if (command.op === APPROVAL) (this.#approvals ??= new Map()).set(command.serial, command);
      else if (command.op === ABANDON) this.#approvals?.delete(command.serial);
    return commands;
  }

  #part(scope: number, serial: number): readonly [string, string | null] {
    const text = wasm.sub_call(this.raw, scope, serial);
    return text === "" ? NO_PART : (JSON.parse(text) as [string, string | null]);
  }

  nameOf({ node, visit, attempt, scope, purpose, op, part }: Command): string {
    const call = callId(this.pathOf(scope), this.program.nodes[node]!.id, visit, attempt) + part;
    return op === SET_TIMER ? timerName(purpose, call) : call;
  }

  /** Empty for the run itself. */
  pathOf(scope: number): string {
    return scope === 0 ? "" : this.raw.path_of(scope);
  }

  start(atMs: number): number {
    this.#startedMs = atMs;
    return this.raw.start(atMs);
  }

  resume(atMs: number): number {
    this.#startedMs = atMs;
    return this.raw.resume(atMs);
  }

  completeCall({ scope, serial, slot }: Command, output: unknown, atMs: number): number {
    this.values[slot] = output === undefined ? null : output;
    return this.raw.done(scope, serial, atMs);
  }

  failCall({ scope, serial }: Command, code: string, message: string, atMs: number): number {
    this.#approvals?.delete(serial);
    return this.raw.failed(scope, serial, code, message, atMs);
  }

  /** If `node` is missing, a listener threw. */
  keepError(scope: number, node: number | undefined, message: string, error: unknown): void {
    const id = node === undefined ? "" : this.program.nodes[node]!.id;
    (this.#thrown ??= new ThrownErrors()).add(this.pathOf(scope), id, message, error);
  }

  completeModelCall({ scope, serial }: Command, reply: unknown, atMs: number): number {
    return this.raw.replied(scope, serial, toJson(reply) ?? "null", atMs);
  }

  decideApproval({ scope, serial, slot }: Command, decision: Decision, atMs: number): number {
    this.#approvals?.delete(serial);
    if (decision === "approved") return this.raw.decided(scope, serial, 0, atMs);
    if (decision === "rejected") return this.raw.decided(scope, serial, 1, atMs);
    this.values[slot] = decision.value === undefined ? null : decision.value;
    return this.raw.decided(scope, serial, 2, atMs);
  }

  /** In milliseconds, or -1 if the call has no stub. */
  stubDelay({ scope, serial }: Command): number {
    return wasm.stub_delay(this.raw, scope, serial);
  }

  fireTimer({ scope, serial }: Command, atMs: number): number {
    return this.raw.fired(scope, serial, atMs);
  }

  completeStub({ scope, serial }: Command, atMs: number): number {
    this.#approvals?.delete(serial);
    return this.raw.stub_done(scope, serial, atMs);
  }

  stubResult({
    scope,
    serial,
  }: Command): { output: unknown; writes?: Record<string, unknown> } | { code: string; message: string } | null {
    return JSON.parse(wasm.stub_answer(this.raw, scope, serial)) as ReturnType<EngineRun["stubResult"]>;
  }

  /** The engine stops long steps early. */
  continueStep(atMs: number): number {
    return this.raw.go_on(atMs);
  }

  cancel(atMs: number): number {
    return this.raw.cancel(atMs);
  }

  state({ scope, serial }: Command, options: RunOptions, open?: { readonly signal: AbortSignal }): State {
    return open === undefined
      ? new RunState(this, options, scope, serial)
      : new AbortableState(this, options, scope, serial, open);
  }

  request({ scope, serial }: Command): ChatRequest {
    return JSON.parse(wasm.model_request(this.raw, scope, serial)) as ChatRequest;
  }

  last(scope: number): unknown {
    return this.#open ? this.#value(this.raw.last(scope)) : undefined;
  }

  inputOf(scope: number): unknown {
    return this.#open ? this.#value(this.raw.input(scope)) : undefined;
  }

  output(scope: number, name: string): unknown {
    assertName(name);
    return this.#open ? this.#value(this.raw.output(scope, name)) : undefined;
  }

  /** Takes effect with the call's answer. */
  write(scope: number, serial: number, name: string, value: unknown): void {
    this.assertWritable(name);
    const slot = this.raw.write(scope, serial, name);
    if (slot < 0)
      throw new PlanError("run/answered", `the call was answered or abandoned; \`${name}\` can't be written any more`);
    this.values[slot] = value === undefined ? null : value;
  }

  assertWritable(name: string): void {
    assertName(name);
    if (!this.#open) throw new PlanError("run/finished", "the run is over; outputs can't be written any more");
    if (RESERVED.has(name))
      throw new PlanError("graph/reserved-id", `\`${name}\` is the name of an initial value of the run`);
  }

  /** Null for other calls. */
  approval(command: Command): Approval | null {
    if (command.op !== APPROVAL) return null;
    const { id, metadata } = this.program.nodes[command.node]!;
    const scope = this.pathOf(command.scope);
    const { tool } = command;
    const server = this.#toolOf(command)?.server;
    return {
      call: this.nameOf(command),
      node: id,
      scope,
      input: command.input,
      metadata,
      ...(tool !== null && { tool }),
      ...(server !== undefined && { server }),
    };
  }

  #toolOf({ tool }: Command): ToolInfo | undefined {
    return tool === null ? undefined : this.tools.list[this.tools.indexes.get(tool) ?? -1];
  }

  get runId(): string {
    return (this.#runId ??= randomId());
  }

  /** Null after the run's end. */
  snapshot(atMs: number, redact: (value: unknown) => unknown = (value) => value): Snapshot | null {
    const text = this.#open ? wasm.snapshot_run(this.raw, atMs) : "";
    if (text === "") return null;
    const slots = this.raw.report_words() >>> 2;
    const heap = words().subarray(slots, slots + this.raw.report_length());
    const values = Array.from(heap, (place) => this.#value(place));
    return {
      type: "snapshot",
      format: 1,
      plan: this.graph.fingerprint,
      state: JSON.parse(text) as unknown,
      values,
      ...(this.#runId !== undefined && { run: this.#runId }),
      ...(this.#approvals?.size && { asked: this.#approvalRecords(redact) }),
    };
  }

  #approvalRecords(redact: (value: unknown) => unknown): Record<string, RequestedApproval> {
    const record = (command: Command) =>
      approvalRecord(this.approval(command)!, redact(command.input), this.#toolOf(command)?.annotations);
    return Object.fromEntries([...this.#approvals!.values()].map(record));
  }

  /** Call it at once. */
  events(): TraceEvent[] {
    const heap = words();
    const length = heap[this.io + STEP_LENGTH]!;
    if (length === 0) return [];
    const at = heap[this.io + STEP_AT]! >>> 2;
    this.#fetched = false;
    const reader = (this.#reader ??= new TraceReader(NO_WORDS, () => this.#newTexts(), this.values, this.program));
    reader.reset(heap, at, at + length);
    const events: TraceEvent[] = [];
    while (!reader.done) events.push(reader.event());
    return events;
  }

  /** Fetches only new texts if the run stores its trace. */
  #newTexts(): readonly string[] {
    if (this.#fetched) return this.#texts;
    this.#fetched = true;
    if (!this.#keepsTrace) this.#texts = [];
    const more = this.raw.texts(this.#texts.length);
    // Fetching may move the words, too.
    this.#reader?.relocate(words());
    // A call accepts only some 100 000 arguments.
    if (more !== "") for (const text of JSON.parse(more) as string[]) this.#texts.push(text);
    return this.#texts;
  }

  /** Also for an interim report. */
  markEnded(atMs: number): void {
    this.#endedMs = atMs;
  }

  get endedMs(): number {
    return this.#endedMs;
  }

  close(outcome?: Outcome, snapshot: Snapshot | null = null): RunReport {
    const report = this.report(outcome, snapshot);
    this.free();
    return report;
  }

  report(outcome?: Outcome, snapshot: Snapshot | null = null): RunReport {
    const raw = this.raw;
    wasm.report_run(raw);
    const heap = words();
    const summary = this.#copy(heap, REPORT);
    const trace = this.#copy(heap, TRACE);
    const hasTexts = heap[this.io + REPORT + 2] !== 0;
    const hasTraceTexts = trace !== NO_WORDS && heap[this.io + TRACE + 2] !== 0;
    const texts = hasTexts ? (JSON.parse(raw.report_texts()) as string[]) : NO_TEXTS;
    this.#fetched = false;
    const traceTexts = hasTraceTexts ? this.#newTexts() : NO_TEXTS;
    // A run in progress reuses its slots.
    const values = outcome ? [...this.values] : this.values;
    const durationMs = this.#endedMs - this.#startedMs;
    const program = this.program;
    return new RunReport(
      this.graph,
      new TraceReader(summary, () => texts, values, program),
      () => new TraceReader(trace, () => traceTexts, values, program),
      { durationMs, outcome, snapshot, thrown: this.#thrown },
    );
  }

  #copy(heap: Int32Array, at: number): CopiedWords {
    const length = heap[this.io + at + 1]!;
    return length === 0 ? NO_WORDS : copyWords(heap[this.io + at]!, length);
  }

  /** For an ended run of lone handlers: no call is left that could reach the next run. */
  closeForReuse(outcome: Outcome | undefined): RunReport {
    const report = this.report(outcome);
    if (report.counts.steps > MAX_REUSED_STEPS) this.free();
    else this.program.keepParts(this.#parts);
    this.#open = false;
    return report;
  }

  free(): void {
    if (!this.#open) return;
    this.#open = false;
    freeParts(this.#parts);
  }

  #value(word: number): unknown {
    return valueAt(word, this.values, this.program);
  }
}
