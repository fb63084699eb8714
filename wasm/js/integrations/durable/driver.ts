/**
 * Drives a durable run: one loop with one wait. Times come from the journal, so a replay has the same commands and
 * names.
 *
 * Invariants: a process begins each step once. The first entries record plan, host names, tools and limits. Only the
 * journal waits for several things.
 */
import {
  type Command,
  internals,
  PlanError,
  type Run,
  type PlanGraph,
  type Report,
  type RunComparison,
  type RunEvent,
  type TraceEvent,
} from "stepgraph";
import type { CallCommand, Calls } from "./calls.js";
import { type EntryEncoding, invalidEntry, readCall, readDecision, decodeEntry } from "./journal-entry.js";
import { compareLines, type CompareJournalOptions, upgradeJournal } from "./compare-journal.js";
import type { Journal } from "./journal.js";
import type { Recording } from "../../machine-options.js";
import { assertDurable, DURABLE, type DurableOptions } from "./options.js";
import type { MovedRun, PlanMoves } from "./plan-moves.js";
import { renumberEdges } from "./renumber-edges.js";
import { answerOf, readOwnStep, startRun, type StartedRun } from "./start-run.js";

/**
 * Runs a plan, or continues a run, with a journal. New runs use the first of several plans. A started run continues
 * with its own.
 *
 * Returns the report, which includes failed calls. After an error the journal is valid: fix the problem and call this
 * again.
 *
 * @throws PlanError `run/plan-changed` if the run started with another plan. `durable/host-changed` if a handler, model
 * or tool client is missing. `durable/entry-version`, `durable/bad-entry` or `durable/diverged` if the journal does not
 * fit. `durable/value-lost` if a stored result is missing. `durable/locked` if a run uses the journal.
 * `run/listener-failed` if `onEvent` or `onUpdate` fails. It also throws the journal's errors.
 * @example
 * const report = await runDurable(graph, new MemoryJournal(), { input: "hola", tools, models });
 */
export async function runDurable(
  plan: PlanGraph | readonly PlanGraph[],
  journal: Journal,
  options: DurableOptions = {},
): Promise<Report> {
  assertDurable(options);
  const plans = Array.isArray(plan) ? (plan as readonly PlanGraph[]) : [plan as PlanGraph];
  if (plans.length === 0) throw new PlanError("api/invalid-plan", "a durable run is given one plan or more");
  for (const one of plans) internals.assertPlan("runDurable", one);
  internals.assertKind("runDurable", "journal", journal, ".begin.race.abandon");
  // Two runs would take each other's answers.
  if (ACTIVE_JOURNALS.has(journal)) throw new PlanError("durable/locked", "a run is in progress on this journal");
  return drive(plans, journal, options);
}

/** @internal Drives a checked run. `recording` gets its cassette. */
export async function drive(
  plans: readonly PlanGraph[],
  journal: Journal,
  options: DurableOptions,
  recording?: Recording,
): Promise<Report> {
  const encoding: EntryEncoding = { maxBytes: options.maxResultBytes ?? Infinity, store: options.store };
  ACTIVE_JOURNALS.add(journal);
  const listeners: Listeners = new internals.Listeners(options, () => {});
  try {
    if (options.acceptChangedPlan !== undefined && journal.recordsWork !== true)
      await upgradeJournal(runDurable, plans as [PlanGraph, ...PlanGraph[]], journal, options);
    const begun = await startRun(plans, journal, listeners.options, encoding, recording);
    if ("report" in begun) return begun.report;
    return await new Driver(journal, begun, listeners, encoding).drive();
  } finally {
    ACTIVE_JOURNALS.delete(journal);
  }
}

/**
 * Compares a changed plan with a durable run's finished and pending calls. Replays the journal's `lines` without calls.
 * Pass the run's input and the names of its host.
 *
 * @throws PlanError as `runDurable` for a journal that it can't replay, `api/bad-option` for another plan in `from`.
 * @example
 * const { proved, conflicts } = await compareJournal(newGraph, journal.lines, { from: oldGraph, input, tools });
 */
export async function compareJournal(
  graph: PlanGraph,
  lines: readonly string[],
  options: CompareJournalOptions = {},
): Promise<RunComparison> {
  internals.assertPlan("compareJournal", graph);
  internals.assertKind("compareJournal", "lines", lines, "[]text");
  assertDurable<CompareJournalOptions>(options, "compareJournal", { ...DURABLE, from: "any" });
  if (options.from !== undefined) internals.assertPlan("compareJournal", options.from);
  return compareLines(runDurable, graph, lines, options);
}

type Listeners = InstanceType<typeof internals.Listeners<DurableOptions>>;

const ACTIVE_JOURNALS = new WeakSet<Journal>();

/** `decided` records a decision's time if the host does not. */
type Waiting =
  | { kind: "call" | "approval"; call: string; abort?: AbortController }
  | { kind: "timer"; timer: string; dueMs: number }
  | { kind: "turn" }
  | { kind: "decided"; call: string; event: RunEvent };

class Driver {
  readonly #journal: Journal;
  #run: Run;
  #calls: Calls;
  readonly #options: DurableOptions;
  readonly #encoding: EntryEncoding;
  readonly #listeners: Listeners;
  readonly #waiting = new Map<string, Waiting>();
  readonly #moves: PlanMoves | null;
  /** Runs of earlier plans: open calls may still read from them. */
  readonly #left: Run[] = [];
  /** Events before the move to the present plan. */
  #earlier: TraceEvent[] = [];
  /** How many events the present plan resumed with. */
  #resumed = 0;
  #turns = 0;
  #choices = 0;
  /** Time of the last event. */
  #at: number;

  constructor(
    journal: Journal,
    { run, atMs, calls, moves }: StartedRun,
    listeners: Listeners,
    encoding: EntryEncoding,
  ) {
    this.#journal = journal;
    this.#run = run;
    this.#calls = calls;
    this.#moves = moves;
    this.#listeners = listeners;
    this.#options = listeners.options;
    this.#encoding = encoding;
    this.#at = atMs;
  }

  async drive(): Promise<Report> {
    try {
      let event: RunEvent = { type: this.#options.snapshot === undefined ? "start" : "resume", atMs: this.#at };
      for (;;) {
        const { commands, trace } = this.#run.step(event);
        this.#emit(trace);
        if (this.#run.outcome !== null) return this.#report(this.#run.report);
        for (const command of commands) this.#execute(command);
        const next = await this.#next();
        if (next === "paused") return this.#report(this.#run.paused(this.#at));
        event = next;
      }
    } finally {
      const cutOff = this.#run.outcome === null;
      for (const name of [...this.#waiting.keys()]) this.#abandon(name, cutOff);
      for (const run of [this.#run, ...this.#left]) run.free();
    }
  }

  #report(report: Report): Report {
    if (this.#left.length > 0) report.trace.splice(0, this.#resumed, ...this.#earlier);
    return report;
  }

  #emit(trace: readonly TraceEvent[]): void {
    const { onEvent } = this.#options;
    if (onEvent !== undefined) for (const event of trace) onEvent(event);
    this.#checkListeners();
  }

  #checkListeners(): void {
    const { failure } = this.#listeners;
    if (failure !== undefined) throw new PlanError(failure.code, failure.message);
  }

  #execute(command: Command): void {
    switch (command.type) {
      case "finish":
        return;
      case "continue":
        return this.#yieldTurn();
      case "abandon":
        return this.#abandon(command.call);
      case "clear-timer":
        return this.#abandon(timerStep(command.timer));
      case "set-timer":
        return this.#wait(command);
      case "ask-approval":
        this.#waiting.set(command.call, { kind: "approval", call: command.call });
        return this.#journal.begin({
          kind: "approval",
          name: command.call,
          approval: this.#run.approval(command.call)!,
        });
      default:
        return this.#call(command);
    }
  }

  #call(command: CallCommand): void {
    const abort = new AbortController();
    const { call: name, retry } = command;
    this.#waiting.set(name, { kind: "call", call: name, abort });
    this.#journal.begin({
      kind: "call",
      name,
      work: this.#calls.execute(command, abort.signal),
      remote: () => this.#calls.toRemoteCall(command),
      ...(retry && { retry }),
    });
  }

  /** A step, so that a due timer comes first on every replay. */
  #yieldTurn(): void {
    const name = `${++this.#turns}.turn`;
    const now = this.#options.now ?? internals.now;
    this.#waiting.set(name, { kind: "turn" });
    const work = () =>
      new Promise<object>((resolve) => internals.nextTurn(() => resolve({ output: null, atMs: now() })));
    this.#journal.begin({ kind: "call", name, work });
  }

  #wait({ timer, afterMs }: { timer: string; afterMs: number }): void {
    const [name, dueMs] = [timerStep(timer), this.#at + afterMs];
    this.#waiting.set(name, { kind: "timer", timer, dueMs });
    this.#journal.begin({ kind: "timer", name, afterMs, dueMs });
  }

  /** Also the step that records a decision's time. */
  #abandon(name: string, cutOff = false): void {
    for (const step of [name, decisionTimeStep(name)]) {
      const waiting = this.#waiting.get(step);
      if (waiting === undefined) continue;
      this.#waiting.delete(step);
      if ("abort" in waiting) waiting.abort?.abort();
      this.#journal.abandon(step, cutOff);
    }
  }

  /** The loop's only wait. */
  async #next(): Promise<RunEvent | "paused"> {
    for (;;) {
      const answer = await this.#journal.race([...this.#waiting.keys()]);
      this.#checkListeners();
      if (answer === "paused") return answer;
      if (answer === null) return { type: "cancel", atMs: this.#at };
      const value = answerOf(answer, this.#waiting);
      const waiting = this.#waiting.get(answer.name)!;
      if (LONG_WAITS.has(waiting.kind) && !(await this.#choosePlan())) return { type: "cancel", atMs: this.#at };
      const event = await this.#event(answer.name, waiting, value);
      if (event !== null) return event;
    }
  }

  /** Returns false if the run was cancelled meanwhile. */
  async #choosePlan(): Promise<boolean> {
    if (this.#moves === null) return true;
    const name = `${++this.#choices}.plan`;
    // Only a choice and a move need it.
    const place = () => ({ snapshot: this.#run.snapshot(this.#at)!, atMs: this.#at, isOpen: this.#isOpen });
    const now = this.#options.now ?? internals.now;
    const work = async () => ({ output: this.#moves!.choose(place), atMs: now() });
    this.#journal.begin({ kind: "call", name, work });
    const answer = await readOwnStep(this.#journal, name, this.#encoding);
    if (answer === null) return false;
    const entry = readCall(name, answer);
    if (!("output" in entry)) throw invalidEntry(name, "it names no plan");
    const moved = this.#moves.move(entry.output, place);
    if (moved !== null) this.#continueWith(moved);
    return true;
  }

  #continueWith({ run, calls, trace, from, to }: MovedRun): void {
    const earlier = [...this.#earlier, ...this.#run.report.trace.slice(this.#resumed)];
    this.#earlier = renumberEdges(earlier, from, to);
    this.#left.push(this.#run);
    [this.#run, this.#calls] = [run, calls];
    this.#resumed = this.#options.trace === false ? 0 : trace.length;
  }

  readonly #isOpen = (command: Command): boolean => {
    const has = (name: string) => this.#waiting.has(name) || this.#waiting.has(decisionTimeStep(name));
    if ("call" in command) return has(command.call);
    if ("timer" in command) return has(timerStep(command.timer));
    return command.type === "continue" && [...this.#waiting.values()].some(({ kind }) => kind === "turn");
  };

  async #event(name: string, waiting: Waiting, value: unknown): Promise<RunEvent | null> {
    this.#waiting.delete(name);
    switch (waiting.kind) {
      case "timer":
        return { type: "timer-fired", timer: waiting.timer, atMs: this.#time(waiting.dueMs) };
      case "turn": {
        const { atMs } = readCall(name, await decodeEntry(name, value, undefined));
        return { type: "continue", atMs: this.#time(atMs) };
      }
      case "decided": {
        const { atMs } = readCall(name, await decodeEntry(name, value, undefined));
        return { ...waiting.event, atMs: this.#time(atMs) };
      }
      case "approval":
        return this.#decision(waiting.call, await decodeEntry(name, value, undefined));
      default:
        return this.#answer(waiting.call, await decodeEntry(name, value, this.#encoding.store));
    }
  }

  #answer(call: string, value: Record<string, unknown>): RunEvent {
    const entry = readCall(call, value);
    const atMs = this.#time(entry.atMs);
    if ("error" in entry)
      return { type: "call-failed", call, code: entry.error.code, message: entry.error.message, atMs };
    if ("reply" in entry) return { type: "call-done", call, reply: entry.reply, atMs };
    return { type: "call-done", call, output: entry.output, ...(entry.writes && { writes: entry.writes }), atMs };
  }

  /** Null if the time must be recorded first. */
  #decision(call: string, value: Record<string, unknown>): RunEvent | null {
    const entry = readDecision(call, value);
    const atMs = this.#time(entry.atMs);
    const event: RunEvent =
      "error" in entry
        ? { type: "call-failed", call, code: entry.error.code, message: entry.error.message, atMs }
        : { type: "decided", call, decision: entry.decision, atMs };
    if (entry.atMs !== undefined) return event;
    const name = decisionTimeStep(call);
    const now = this.#options.now ?? internals.now;
    this.#waiting.set(name, { kind: "decided", call, event });
    this.#journal.begin({ kind: "call", name, work: async () => ({ output: null, atMs: now() }) });
    return null;
  }

  /** Time never goes back, even if clocks differ. */
  #time(atMs: number | undefined): number {
    if (atMs !== undefined && atMs > this.#at) this.#at = atMs;
    return this.#at;
  }
}

/** Meanwhile the plan may change. */
const LONG_WAITS: ReadonlySet<Waiting["kind"]> = new Set(["approval", "timer"]);

/** Calls' names end in a number, so none is equal. */
function timerStep(timer: string): string {
  return `${timer}.timer`;
}

function decisionTimeStep(call: string): string {
  return `${call}.time`;
}
