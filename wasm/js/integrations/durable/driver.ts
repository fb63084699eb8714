/**
 * The driver of a run whose waiting is a durable engine's: one loop, and in it one wait.
 *
 * Decides nothing that the machine decides, and reads no clock: times are those that the journal has recorded, a
 * timer's is when it was set and how long it was, and none is before another that came earlier. So a replay meets the
 * same commands again, under the same names. Invariants: a step is begun once in a process; what a run began with
 * (plan, names of handlers and models, tools, limits) is written down first, and a replay goes by that; nobody but the
 * journal waits for more than one thing.
 */
import {
  type Command,
  internals,
  PlanError,
  type Run,
  type PlanGraph,
  type Report,
  type RunEvent,
  type TraceEvent,
} from "stepgraph";
import type { CallCommand, Calls } from "./calls.js";
import { type EntryEncoding, readCall, readDecision, decodeEntry } from "./journal-entry.js";
import type { Journal } from "./journal.js";
import { assertDurable, type DurableOptions } from "./options.js";
import { answerOf, startRun, type StartedRun } from "./start-run.js";

/**
 * Runs a plan, or goes on with a run, whose journal is a durable engine's. Of several plans the first is for new runs;
 * a run that began with another of them goes on with that one.
 *
 * Gives the report; a failing call is a part of it. What is thrown ends nothing: the journal stands, and the run goes
 * on with it once what was wrong is put right.
 *
 * @throws PlanError `run/plan-changed` when the journal is of none of these plans; `durable/host-changed` when a
 * handler, model or tool client is missing that the run began with; `durable/entry-version`, `durable/bad-entry`,
 * `durable/diverged` when the journal is not this run's; `durable/value-lost` when a result that was kept elsewhere is
 * not there; `durable/locked` when a run is under way on this journal; `run/listener-failed` when `onEvent` or
 * `onUpdate` throws or rejects; and whatever the journal throws.
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
  // Two runs would take each other's answers, and make calls twice.
  if (ACTIVE_JOURNALS.has(journal)) throw new PlanError("durable/locked", "a run is under way on this journal");
  const encoding: EntryEncoding = { maxBytes: options.maxResultBytes ?? Infinity, store: options.store };
  ACTIVE_JOURNALS.add(journal);
  const listeners: Listeners = new internals.Listeners(options, () => {});
  try {
    const begun = await startRun(plans, journal, listeners.options, encoding);
    if ("report" in begun) return begun.report;
    return await new Driver(journal, begun, listeners, encoding).drive();
  } finally {
    ACTIVE_JOURNALS.delete(journal);
  }
}

type Listeners = InstanceType<typeof internals.Listeners<DurableOptions>>;

/** Journals with a run under way. */
const ACTIVE_JOURNALS = new WeakSet<Journal>();

/** What is waited for; when a person decided is a step of its own, where the host does not tell. */
type Waiting =
  | { kind: "call" | "approval"; call: string; abort?: AbortController }
  | { kind: "timer"; timer: string; dueMs: number }
  | { kind: "turn" }
  | { kind: "decided"; call: string; event: RunEvent };

/** One run being driven. */
class Driver {
  readonly #journal: Journal;
  readonly #run: Run;
  readonly #calls: Calls;
  readonly #options: DurableOptions;
  readonly #encoding: EntryEncoding;
  readonly #listeners: Listeners;
  readonly #waiting = new Map<string, Waiting>();
  #turns = 0;
  /** The time of the last event. */
  #at: number;

  constructor(journal: Journal, { run, atMs, calls }: StartedRun, listeners: Listeners, encoding: EntryEncoding) {
    this.#journal = journal;
    this.#run = run;
    this.#calls = calls;
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
        if (this.#run.outcome !== null) return this.#run.report;
        for (const command of commands) this.#execute(command);
        event = await this.#next();
      }
    } finally {
      const cutOff = this.#run.outcome === null;
      for (const name of [...this.#waiting.keys()]) this.#abandon(name, cutOff);
      this.#run.free();
    }
  }

  #emit(trace: readonly TraceEvent[]): void {
    const { onEvent } = this.#options;
    if (onEvent !== undefined) for (const event of trace) onEvent(event);
    this.#checkListeners();
  }

  /** A listener that failed cuts the run off: what was answered is in the journal, and nothing is carried out. */
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

  /** Goes on in a step of its own, so that a timer that is due comes first, and does so on every replay. */
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

  /** An approval may have been decided, and its time be asked for: then that is given up. */
  #abandon(name: string, cutOff = false): void {
    for (const step of [name, decisionTimeStep(name)]) {
      const waiting = this.#waiting.get(step);
      if (waiting === undefined) continue;
      this.#waiting.delete(step);
      if ("abort" in waiting) waiting.abort?.abort();
      this.#journal.abandon(step, cutOff);
    }
  }

  /** The next event, which the journal knows: the one wait of the loop. */
  async #next(): Promise<RunEvent> {
    for (;;) {
      const answer = await this.#journal.race([...this.#waiting.keys()]);
      this.#checkListeners();
      if (answer === null) return { type: "cancel", atMs: this.#at };
      const value = answerOf(answer, this.#waiting);
      const event = await this.#event(answer.name, this.#waiting.get(answer.name)!, value);
      if (event !== null) return event;
    }
  }

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

  /** What was decided; nothing yet, where the time has to be written down first. */
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

  /** Time goes forward only, whatever clocks of several processes say. */
  #time(atMs: number | undefined): number {
    if (atMs !== undefined && atMs > this.#at) this.#at = atMs;
    return this.#at;
  }
}

/** No call is called so: the names of calls end in a number. */
function timerStep(timer: string): string {
  return `${timer}.timer`;
}

function decisionTimeStep(call: string): string {
  return `${call}.time`;
}
