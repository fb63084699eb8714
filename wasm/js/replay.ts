/**
 * Replays a cassette without calls and waiting.
 *
 * Calls are compared in order, so the first difference is reported.
 */
import {
  callLine,
  type CallLine,
  type Cassette,
  type EventLine,
  type Head,
  isCall,
  type Line,
  readCassette,
} from "./cassette.js";
import { differences, clippedJson } from "./value-diff.js";
import { assertSnapshot } from "./snapshot-shape.js";
import { sortedText } from "./value-hash.js";
import type { PlanGraph } from "./graph.js";
import { indexTools } from "./host.js";
import type { Program } from "./program.js";
import { Listeners } from "./listeners.js";
import { alignRedacted, Redactor } from "./redact.js";
import { changesSinceRecording, planChanges } from "./plan-changes.js";
import { rejectRun, rejectUnbound } from "./prepare-run.js";
import { EngineRun } from "./engine-run.js";
import { ABANDON, CLEAR_TIMER, type Command, CONTINUE, FINISHED, REFUSED, SET_TIMER } from "./command.js";
import type { Outcome, Report, RunOptions, Snapshot, ToolInfo } from "./types.js";

type Failed = Extract<Outcome, { type: "failed" }>;

export function replay(graph: PlanGraph, options: RunOptions): Report {
  const read = readCassette(options.replay!);
  if (typeof read === "string") return rejectRun(graph, options, unusableCassette(read)).report;
  const given = { ...options, ...replayOptions(read.head, options) };
  const changed = planChanges(graph, given) ?? changesSinceRecording(graph, read.head, options);
  if (changed !== null)
    return rejectRun(graph, given, { type: "failed", code: "run/plan-changed", message: changed }).report;
  const program = graph.bind(JSON.stringify(read.head.host));
  if (!program.ready) return rejectUnbound(graph, program, given).report;
  return new CassettePlayer(graph, program, given, read).play();
}

/** @internal */
export function unusableCassette(why: string): Failed {
  return { type: "failed", code: "replay/unusable", message: `this is no cassette that can be used: ${why}` };
}

/** @internal Options override recorded ones. The context is never recorded. */
export function replayOptions(
  head: Head,
  options: RunOptions,
): Pick<RunOptions, "input" | "outputs" | "memory" | "limits" | "snapshot"> {
  const { input = null, outputs, memory, limits, snapshot } = head;
  const given = {
    input: options.input !== undefined ? options.input : input,
    outputs: options.outputs ?? outputs,
    memory: options.memory !== undefined ? options.memory : memory,
    limits: options.limits ?? limits,
    snapshot: options.snapshot ?? snapshot,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

class ReplayStop {
  constructor(
    readonly code: "replay/diverged" | "replay/incomplete" | "run/listener-failed",
    readonly message: string,
  ) {}
}

class CassettePlayer {
  readonly #run: EngineRun;
  readonly #options: RunOptions;
  readonly #listeners: Listeners;
  readonly #lines: readonly Line[];
  readonly #redactor: Redactor;
  #at = 0;
  #now = 0;
  /** Open calls and timers by name, and names by serial. */
  readonly #open = new Map<string, Command>();
  readonly #names = new Map<number, string>();
  /** Taken before the recorded cancellation. */
  #snapshot: Snapshot | null = null;

  constructor(graph: PlanGraph, program: Program, options: RunOptions, { head, lines }: Cassette) {
    const { stubs: _stubs, ...rest } = options;
    const end = lines.at(-1);
    this.#listeners = new Listeners(options, () => {});
    const runId = options.runId ?? (end?.type === "end" ? end.run : undefined);
    const given = runId === undefined ? rest : { ...rest, runId };
    assertSnapshot(given.snapshot);
    this.#run = new EngineRun(graph, program, given, options.onEvent !== undefined, head.epochMs);
    const { tools: list = [], servers = [] } = head.host as { tools?: ToolInfo[]; servers?: string[] };
    this.#run.tools = { list, servers, clients: [], indexes: indexTools(list, servers) };
    this.#options = this.#listeners.options;
    this.#lines = lines;
    this.#redactor = new Redactor(options.context, options);
    this.#redactor.text(replayOptions({} as Head, options));
  }

  play(): Report {
    const run = this.#run;
    try {
      const outcome = this.#all();
      if (outcome?.type === "paused") return run.close(outcome, run.snapshot(this.#now));
      return run.close(outcome, this.#snapshot);
    } catch (error) {
      if (!(error instanceof ReplayStop)) throw error;
      run.markEnded(this.#now);
      return run.close({ type: "failed", code: error.code, message: error.message });
    } finally {
      run.free();
    }
  }

  /** Returns only an outcome unknown to the engine: a pause. */
  #all(): Outcome | undefined {
    for (;;) {
      const line = this.#lines[this.#at++];
      if (line === undefined) throw this.#cutOff();
      if (line.type === "asked") throw divergedError(`the recording requests ${nameOf(line)}, but the plan does not`);
      this.#now = line.atMs;
      if (line.type === "end") return this.#end(line.outcome);
      if (this.#step(this.#feed(line))) return this.#over();
    }
  }

  #step(op: number): boolean {
    if (op === REFUSED) throw divergedError("what was recorded makes no sense to the run at this point");
    if (this.#options.onEvent) for (const event of this.#run.events()) this.#options.onEvent(event);
    const { failure } = this.#listeners;
    if (failure) throw new ReplayStop("run/listener-failed", failure.message);
    let over = false;
    for (const command of this.#run.commands()) {
      if (command.op === FINISHED) over = true;
      else if (command.op === ABANDON || command.op === CLEAR_TIMER) this.#forget(command.serial);
      else if (command.op !== CONTINUE) this.#addOpen(command);
    }
    return over;
  }

  #addOpen(command: Command): void {
    const name = this.#run.nameOf(command);
    this.#open.set(name, command);
    this.#names.set(command.serial, name);
    if (command.op !== SET_TIMER && isCall(command)) this.#compare(callLine(this.#run, command));
  }

  #compare(now: CallLine): void {
    const then = this.#lines[this.#at];
    if (then === undefined) throw incompleteError(now.call);
    if (then.type !== "asked") throw divergedError(`the plan requests ${nameOf(now)}, but the recording does not`);
    if (then.call !== now.call)
      throw divergedError(`the plan requests ${nameOf(now)}, but the recording requests ${nameOf(then)}`);
    const plain = alignRedacted(then, this.#redactor.plain(now)) as CallLine;
    const first = sortedText(plain) === sortedText(then) ? undefined : differences(then, plain, { most: 1 })[0];
    if (first)
      throw divergedError(
        `${nameOf(now)} differs at \`${first.path}\`: recorded ${clippedJson(first.expected)}, now ${clippedJson(first.got)}`,
      );
    this.#at++;
  }

  #feed(line: Exclude<EventLine, { type: "end" }>): number {
    const run = this.#run;
    switch (line.type) {
      case "start":
        return run.start(line.atMs);
      case "resume":
        return run.resume(line.atMs);
      case "continue":
        return run.continueStep(line.atMs);
      case "cancel":
        this.#snapshot = run.snapshot(line.atMs);
        return run.cancel(line.atMs);
      case "fired":
        return run.fireTimer(this.#takeOpen(line.timer, "timer"), line.atMs);
      default:
        return this.#answer(line);
    }
  }

  #answer(line: Extract<EventLine, { call: string }>): number {
    const command = this.#takeOpen(line.call, "call");
    return feedAnswer(this.#run, command, line, line.atMs);
  }

  #takeOpen(name: string, what: string): Command {
    const command = this.#open.get(name);
    if (command === undefined)
      throw divergedError(`the recording contains ${what} \`${name}\`, but the run does not wait for it`);
    this.#forget(command.serial);
    return command;
  }

  #forget(serial: number): void {
    const name = this.#names.get(serial);
    this.#names.delete(serial);
    if (name !== undefined) this.#open.delete(name);
  }

  #over(): undefined {
    const rest = this.#lines[this.#at];
    if (rest !== undefined && rest.type !== "end")
      throw divergedError("the run has ended, but the recording continues");
    if (rest !== undefined) this.#now = rest.atMs;
    this.#run.markEnded(this.#now);
  }

  /** A recording may end early only at an approval. */
  #end(recorded: Outcome["type"]): Outcome {
    if (recorded !== "paused") throw divergedError(`the recording ends as ${recorded} where the run continues`);
    this.#run.markEnded(this.#now);
    const approvals = [...this.#open.values()].flatMap((command) => this.#run.approval(command) ?? []);
    if (approvals.length === 0) throw divergedError("the recording waits for a person where the run does not");
    return { type: "paused", approval: approvals[0]!, approvals };
  }

  #cutOff(): ReplayStop {
    const calls = [...this.#open.values()].filter(isCall);
    const timers = [...this.#open.keys()];
    if (calls.length === 0 && timers.length === 0)
      return new ReplayStop("replay/incomplete", "the cassette ends before the run begins");
    return incompleteError(calls[0] ? this.#run.nameOf(calls[0]) : timers[0]!);
  }
}

/** @internal */
export function feedAnswer(
  run: EngineRun,
  command: Command,
  line: Extract<EventLine, { call: string }>,
  atMs: number,
): number {
  switch (line.type) {
    case "failed":
      return run.failCall(command, line.code, line.message, atMs);
    case "decided":
      return run.decideApproval(command, line.decision, atMs);
    case "replied":
      return run.completeModelCall(command, line.reply, atMs);
    case "done":
      for (const [name, value] of Object.entries(line.writes ?? {}))
        run.write(command.scope, command.serial, name, value);
      return run.completeCall(command, line.output, atMs);
  }
}

function nameOf({ call, kind, tool }: CallLine): string {
  return tool === undefined ? `${kind} call \`${call}\`` : `call \`${call}\` of tool \`${tool}\``;
}

function divergedError(message: string): ReplayStop {
  return new ReplayStop("replay/diverged", message);
}

function incompleteError(name: string): ReplayStop {
  return new ReplayStop("replay/incomplete", `the cassette ends before \`${name}\` was answered`);
}
