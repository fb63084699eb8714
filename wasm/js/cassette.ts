/**
 * Writes and reads cassettes, see `docs/cassettes.md`.
 *
 * Invariants: an event precedes the calls it caused. Refused events have no line. No line contains a secret or a text
 * of the context.
 */
import { shortHash } from "./value-hash.js";
import type { PlanGraph } from "./graph.js";
import type { Program } from "./program.js";
import { Redactor } from "./redact.js";
import { EngineRun } from "./engine-run.js";
import { toFailure } from "./host.js";
import { APPROVAL, type Command, HANDLER, MODEL, REFUSED, TOOL } from "./command.js";
import { RunState } from "./handler-state.js";
import { isDecision, isMap } from "./guards.js";
import type { Decision, Fingerprint, Limits, Outcome, RunOptions, Snapshot, State } from "./types.js";

export const FORMAT = 1;

/** The first line: the options without the context. */
export interface Head {
  type: "cassette";
  format: typeof FORMAT;
  plan: Fingerprint;
  host: unknown;
  input?: unknown;
  outputs?: Record<string, unknown>;
  memory?: unknown;
  limits?: Limits;
  snapshot?: Snapshot;
  /** Milliseconds since 1970 at `atMs` 0. */
  epochMs?: number;
}

export interface CallLine {
  type: "asked";
  call: string;
  kind: "handler" | "tool" | "model" | "approval";
  tool?: string;
  arguments?: unknown;
  request?: unknown;
  input?: unknown;
}

/** `reads` has short hashes of values that a handler read. */
export type EventLine =
  | { type: "start" | "resume" | "continue" | "cancel"; atMs: number }
  | {
      type: "done";
      call: string;
      output: unknown;
      writes?: Record<string, unknown>;
      reads?: Record<string, string>;
      atMs: number;
    }
  | { type: "replied"; call: string; reply: unknown; atMs: number }
  | { type: "failed"; call: string; code: string; message: string; reads?: Record<string, string>; atMs: number }
  | { type: "decided"; call: string; decision: Decision; atMs: number }
  | { type: "fired"; timer: string; atMs: number }
  | { type: "end"; outcome: Outcome["type"]; run?: string; atMs: number };

export type Line = CallLine | EventLine;

export interface Cassette {
  head: Head;
  lines: Line[];
}

export function callLine(run: EngineRun, command: Command): CallLine {
  const call = run.nameOf(command);
  switch (command.op) {
    case TOOL:
      return { type: "asked", call, kind: "tool", tool: command.tool!, arguments: command.args };
    case MODEL:
      return { type: "asked", call, kind: "model", request: run.request(command) };
    default:
      return { type: "asked", call, kind: command.op === APPROVAL ? "approval" : "handler", input: command.input };
  }
}

export function isCall({ op }: Command): boolean {
  return op >= HANDLER && op <= APPROVAL;
}

export class RecordingRun extends EngineRun {
  readonly #write: (line: string) => void;
  readonly #redactor: Redactor;
  /** Open calls' writes and reads, by serial. */
  readonly #writes = new Map<number, Record<string, unknown>>();
  readonly #reads = new Map<number, Record<string, string>>();

  constructor(graph: PlanGraph, program: Program, options: RunOptions, offer: string, epochMs: number | undefined) {
    super(graph, program, options, options.onEvent !== undefined, epochMs);
    this.#write = options.record!;
    this.#redactor = new Redactor(options.context, options);
    this.#write(headLine(graph, { ...options, epochMs }, offer, this.#redactor));
  }

  override start(atMs: number): number {
    return this.#recordStep(super.start(atMs), { type: "start", atMs });
  }

  override resume(atMs: number): number {
    return this.#recordStep(super.resume(atMs), { type: "resume", atMs });
  }

  override continueStep(atMs: number): number {
    return this.#recordStep(super.continueStep(atMs), { type: "continue", atMs });
  }

  override cancel(atMs: number): number {
    return this.#recordStep(super.cancel(atMs), { type: "cancel", atMs });
  }

  override commands(): Command[] {
    const commands = super.commands();
    for (const command of commands) if (isCall(command)) this.#writeLine(callLine(this, command));
    return commands;
  }

  // The event may remove the call's scope and name.

  override completeCall(command: Command, output: unknown, atMs: number): number {
    const access = this.#readsAndWrites(command.serial);
    const flaw = findUnwritable({ output, ...access.writes });
    if (flaw !== null)
      return this.failCall(command, command.op === TOOL ? "tool/not-json" : "handler/not-json", flaw, atMs);
    const line = {
      type: "done",
      call: this.nameOf(command),
      output: output === undefined ? null : output,
      ...access,
      atMs,
    };
    return this.#recordStep(super.completeCall(command, output, atMs), line as EventLine);
  }

  override failCall(command: Command, code: string, message: string, atMs: number): number {
    const { reads } = this.#readsAndWrites(command.serial);
    const line = { type: "failed", call: this.nameOf(command), code, message, ...(reads && { reads }), atMs };
    return this.#recordStep(super.failCall(command, code, message, atMs), line as EventLine);
  }

  override completeModelCall(command: Command, reply: unknown, atMs: number): number {
    const line: EventLine = { type: "replied", call: this.nameOf(command), reply, atMs };
    return this.#recordStep(super.completeModelCall(command, reply, atMs), line);
  }

  override decideApproval(command: Command, decision: Decision, atMs: number): number {
    const line: EventLine = { type: "decided", call: this.nameOf(command), decision, atMs };
    return this.#recordStep(super.decideApproval(command, decision, atMs), line);
  }

  override fireTimer(command: Command, atMs: number): number {
    const line: EventLine = { type: "fired", timer: this.nameOf(command), atMs };
    return this.#recordStep(super.fireTimer(command, atMs), line);
  }

  override completeStub(command: Command, atMs: number): number {
    const answer = this.stubResult(command);
    // The call was abandoned meanwhile.
    if (answer === null) return super.completeStub(command, atMs);
    const line = { type: "code" in answer ? "failed" : "done", call: this.nameOf(command), ...answer, atMs };
    return this.#recordStep(super.completeStub(command, atMs), line as EventLine);
  }

  override write(scope: number, serial: number, name: string, value: unknown): void {
    super.write(scope, serial, name, value);
    this.#writes.set(serial, { ...this.#writes.get(serial), [name]: value === undefined ? null : value });
  }

  override state(command: Command, options: RunOptions, open?: { readonly signal: AbortSignal }): State {
    const reads: Record<string, string> = {};
    this.#reads.set(command.serial, reads);
    return new TrackedState(super.state(command, options, open), reads);
  }

  /** Call it before closing: the listener may fail. */
  recordEnd(outcome?: Outcome, snapshot: Snapshot | null = null): void {
    const { type } = this.report(outcome, snapshot).outcome;
    // A resumed run calls tools under the same id.
    const run = snapshot?.run;
    this.#writeLine({ type: "end", outcome: type, atMs: this.endedMs, ...(run !== undefined && { run }) });
  }

  #readsAndWrites(serial: number): { writes?: Record<string, unknown>; reads?: Record<string, string> } {
    const [writes, reads] = [this.#writes.get(serial), this.#reads.get(serial)];
    this.#writes.delete(serial);
    this.#reads.delete(serial);
    return { ...(writes && { writes }), ...(reads && { reads }) };
  }

  #recordStep(op: number, line: EventLine): number {
    if (op !== REFUSED) this.#writeLine(line);
    return op;
  }

  #writeLine(line: Line): void {
    this.#write(this.#redactor.text(line));
  }
}

/** Most JSON readers go no deeper. */
const MAX_DEPTH = 1000;

function findUnwritable(values: Record<string, unknown>): string | null {
  try {
    for (const value of Object.values(values))
      if (value !== undefined && JSON.stringify(value) === undefined) return `JSON has no ${typeof value}`;
    return measureDepth(values) > MAX_DEPTH ? `the result of the call is deeper than ${MAX_DEPTH}` : null;
  } catch (error) {
    return `the result of the call can't be written as JSON: ${toFailure(error, "").message}`;
  }
}

function measureDepth(value: unknown, max = MAX_DEPTH + 1): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 1;
  for (const inner of max > 0 ? Object.values(value) : [])
    deepest = Math.max(deepest, 1 + measureDepth(inner, max - 1));
  return deepest;
}

class TrackedState implements State {
  readonly #state: State;
  readonly #reads: Record<string, string>;

  constructor(state: State, reads: Record<string, string>) {
    this.#state = state;
    this.#reads = reads;
  }

  get last(): unknown {
    return this.#track("last", this.#state.last);
  }

  get input(): unknown {
    return this.#track("input", this.#state.input);
  }

  get context(): State["context"] {
    return this.#state.context;
  }

  get signal(): AbortSignal {
    return this.#state.signal;
  }

  readonly output: State["output"] = (name) => this.#track(`output.${name}`, this.#state.output(name));

  readonly write: State["write"] = (name, value) => this.#state.write(name, value);

  #track(name: string, value: unknown): unknown {
    this.#reads[name] ??= shortHash(value);
    return value;
  }
}

export function hasSameReads(reads: Record<string, string>, run: EngineRun, command: Command): boolean {
  const state = new RunState(run, {}, command.scope, command.serial);
  return Object.entries(reads).every(([name, hash]) => {
    const value =
      name === "last" ? state.last : name === "input" ? state.input : state.output(name.slice("output.".length));
    return shortHash(value) === hash;
  });
}

function headLine(
  graph: PlanGraph,
  options: RunOptions & { epochMs: number | undefined },
  offer: string,
  redactor: Redactor,
): string {
  const { input = null, outputs, memory, limits, snapshot, epochMs } = options;
  const given = redactor.text({ input, outputs, memory, limits, snapshot, epochMs });
  // They hold no secrets, but schemas may name a property `password`.
  const plain = JSON.stringify({
    type: "cassette",
    format: FORMAT,
    plan: graph.fingerprint,
    host: recordedHost(offer),
  });
  return `${plain.slice(0, -1)},${given.slice(1)}`;
}

/** The log has the answers of stubs. */
function recordedHost(offer: string): unknown {
  const host = JSON.parse(offer) as { stubs: Record<string, Record<string, unknown>> | null };
  const names = (group: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(group ?? {}).map(([name, stub]) => [name, recordedStub(stub)]));
  const stubs = host.stubs && Object.fromEntries(Object.entries(host.stubs).map(([group, all]) => [group, names(all)]));
  return { ...host, stubs };
}

/** Models and checks see descriptions and schemas. */
function recordedStub(stub: unknown): unknown {
  const {
    return: _return,
    writes: _writes,
    sequence: _sequence,
    by: _by,
    cases: _cases,
    else: _else,
    fail: _fail,
    code: _code,
    delay_ms: _delay,
    ...description
  } = Object(stub) as Record<string, unknown>;
  return typeof stub === "string" || Object.keys(description).length === 0 ? "last" : { ...description, return: null };
}

/** Returns the reason if the text is no cassette. Ignores an incomplete last line. */
export function readCassette(given: string | readonly string[]): Cassette | string {
  const texts = (typeof given === "string" ? given.split("\n") : given).filter((line) => line.trim() !== "");
  const head = parseJson(texts[0] ?? "") as Partial<Head> | undefined;
  if (head?.type !== "cassette") return "its first line is not that of a cassette";
  if (head.format !== FORMAT)
    return `it has format ${JSON.stringify(head.format) ?? "none"}, and this program reads ${FORMAT}`;
  if (typeof head.plan?.hash !== "string" || typeof head.plan.parts !== "string" || !isMap(head.host))
    return "its first line lacks the plan or the host";
  const lines: Line[] = [];
  for (const [i, text] of texts.slice(1).entries()) {
    const line = parseJson(text);
    if (line === undefined && i === texts.length - 2) break;
    if (!isLine(line)) return `line ${i + 2} is not a cassette line`;
    lines.push(line);
  }
  return { head: head as Head, lines };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const TEXT_FIELDS: Record<string, readonly string[]> = {
  asked: ["call", "kind"],
  start: [],
  resume: [],
  continue: [],
  cancel: [],
  done: ["call"],
  replied: ["call"],
  failed: ["call", "code", "message"],
  decided: ["call"],
  fired: ["timer"],
  end: ["outcome"],
};

function isLine(line: unknown): line is Line {
  if (typeof line !== "object" || line === null) return false;
  const fields = line as Record<string, unknown>;
  const texts =
    typeof fields.type === "string" && Object.hasOwn(TEXT_FIELDS, fields.type) ? TEXT_FIELDS[fields.type] : undefined;
  if (fields.type === "decided" && !isDecision(fields.decision)) return false;
  if (fields.reads !== undefined && !isMap(fields.reads) && !Array.isArray(fields.reads)) return false;
  return (
    (texts?.every((name) => typeof fields[name] === "string") ?? false) &&
    (fields.type === "asked" || typeof fields.atMs === "number")
  );
}
