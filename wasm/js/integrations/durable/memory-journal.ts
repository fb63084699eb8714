/**
 * The reference journal: lines of JSON in memory, which anything may keep.
 *
 * Decides what any journal has to: recorded answers come first, in their order, and steps are carried out only when
 * there are none left, so that what was given up before a crash is not done again after it. Invariant: an answer is
 * handed on only when its line has been kept.
 */
import { internals, PlanError, type Approval, type Clock, type Decision } from "stepgraph";
import type { Kinds } from "../../options.js";
import { invalidEntry, HEAD, readDecision } from "./journal-entry.js";
import { stepError, type Journal, type JournalAnswer, type JournalStep } from "./journal.js";

/** What a journal in memory is given. */
export interface MemoryJournalOptions {
  /** What was recorded before, a line per answer. */
  lines?: readonly string[];
  /** Keeps a line before the run goes on: appends it to a file or a table. What it throws, the run throws. */
  append?: (line: string) => void | Promise<void>;
  /** Asks a person; without it `decide` says what was decided. */
  onApproval?: (approval: Approval) => Decision | Promise<Decision>;
  /** Whose time counts; the platform's unless given. */
  clock?: Clock;
}

const OPTIONS: Kinds<MemoryJournalOptions> = {
  lines: "[]text",
  append: "function",
  onApproval: "function",
  clock: ".now.after",
};

const PLATFORM: Clock = {
  now: Date.now,
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** The longest that the platform's timers can wait. */
const MAX_TIMER_MS = 0x7fffffff;

type StepOutcome = { name: string; value: unknown } | { name: string; thrown: unknown };
type CallStep = Extract<JournalStep, { kind: "call" }>;

/** A call that is carried out, for as long as somebody may want its answer. */
interface PendingCall {
  /** Who wants it: the run that goes on, or none until the next attempt at it. */
  wanted: "now" | "later" | "never";
  settled: Promise<void>;
}

/** What was decided, as it stands in a line: what only reads as a decision once it is JSON is none. */
function plainDecision(call: string, decision: Decision): object {
  const read = readDecision(call, { decision });
  if ("error" in read) return { error: read.error };
  if (typeof read.decision === "string") return read;
  const { value } = read.decision;
  return { decision: { value: value === undefined ? null : value } };
}

/** What stands in the place of an answer when the run is to be cancelled. */
const CANCELLED = JSON.stringify({ cancelled: true });

/**
 * A journal in memory, whose lines anything may keep; a run goes on from any number of them.
 *
 * @example
 * const journal = new MemoryJournal({ lines, append: (line) => appendFile("run.ndjson", line + "\n") });
 * const report = await runDurable(graph, journal, options);
 */
export class MemoryJournal implements Journal {
  readonly #lines: string[];
  readonly #options: MemoryJournalOptions;
  readonly #clock: Clock;
  /** How many lines this process has replayed. */
  #replayed = 0;
  /** Steps that were begun, and not yet carried out. */
  readonly #waiting = new Map<string, JournalStep>();
  readonly #approvals = new Map<string, Approval>();
  /** What ends the wait of a timer. */
  readonly #timers = new Map<string, () => void>();
  /** Answers that nobody has taken yet, in the order in which they came. */
  readonly #outcomes: StepOutcome[] = [];
  /** Answers that no line was kept of when an attempt failed: the next one finds them, and makes no call again. */
  readonly #unrecorded = new Map<string, StepOutcome>();
  readonly #pending = new Map<string, PendingCall>();
  /** Whether a run waits for an answer. */
  #isWaiting = false;
  readonly #turns = new internals.TurnScheduler();
  #wake: () => void = () => {};
  #cancelled = false;

  constructor(options: MemoryJournalOptions = {}) {
    internals.assertOptions("MemoryJournal", options, OPTIONS);
    this.#options = options;
    this.#clock = options.clock ?? PLATFORM;
    this.#lines = [...(options.lines ?? [])];
  }

  /**
   * The lines of a file to which they were appended. A last line that has no end was being written when its process
   * ended, and counts for nothing.
   */
  static lines(text: string): string[] {
    internals.assertKind("MemoryJournal.lines", "text", text, "text");
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "");
  }

  /** What has been recorded so far, a line per answer. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** What a person is to decide. */
  get approvals(): Approval[] {
    return [...this.#approvals.values()];
  }

  /**
   * Says what a person decided; by the name of the approval's call.
   *
   * @throws PlanError `durable/unknown-approval` when nobody asks for that decision, or it was taken.
   */
  decide(call: string, decision: Decision): void {
    if (!this.#approvals.delete(call))
      throw new PlanError("durable/unknown-approval", `the run does not wait for a decision on \`${call}\``);
    this.#push({ name: call, value: { ...plainDecision(call, decision), atMs: this.#clock.now() } });
  }

  /** Cancels the run, for good: that is written down, too. It ends with the outcome `cancelled`. */
  cancel(): void {
    this.#cancelled = true;
    this.#wake();
  }

  /** See {@link Journal}. */
  begin(step: JournalStep): void {
    if (step.name === HEAD) this.#rewind();
    this.#waiting.set(step.name, step);
  }

  /** A run that begins reads the lines from the first on. */
  #rewind(): void {
    if (this.#isWaiting) throw new PlanError("durable/locked", "a run is under way on this journal");
    this.#replayed = 0;
    for (const outcome of this.#outcomes.splice(0))
      if (!("thrown" in outcome)) this.#unrecorded.set(outcome.name, outcome);
    this.#waiting.clear();
    this.#approvals.clear();
  }

  /** See {@link Journal}. */
  abandon(name: string, cutOff = false): void {
    const pending = this.#pending.get(name);
    if (pending !== undefined) pending.wanted = cutOff ? "later" : "never";
    if (!cutOff) this.#pending.delete(name);
    this.#waiting.delete(name);
    this.#approvals.delete(name);
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  /** See {@link Journal}. */
  async race(pending: readonly string[]): Promise<JournalAnswer | null> {
    if (this.#turns.isDue) await this.#turns.yieldTurn();
    if (this.#replayed < this.#lines.length) return this.#replayLine(this.#lines[this.#replayed++]!);
    // In their order: the one that could not be kept may stand in a database that failed to say so.
    for (const [name, outcome] of this.#unrecorded) if (this.#waiting.delete(name)) this.#outcomes.push(outcome);
    for (const step of this.#waiting.values()) this.#execute(step);
    this.#waiting.clear();
    this.#isWaiting = true;
    try {
      return await this.#firstOf(new Set(pending));
    } finally {
      this.#isWaiting = false;
    }
  }

  async #firstOf(wanted: ReadonlySet<string>): Promise<JournalAnswer | null> {
    for (;;) {
      if (this.#cancelled) return await this.#append(CANCELLED), null;
      const at = this.#outcomes.findIndex(({ name }) => wanted.has(name));
      if (at >= 0) return this.#record(this.#outcomes.splice(at, 1)[0]!);
      this.#outcomes.length = 0;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #replayLine(line: string): JournalAnswer | null {
    let read: unknown;
    try {
      read = JSON.parse(line);
    } catch {
      throw invalidEntry(`line ${this.#replayed}`, "it is not JSON");
    }
    if (line === CANCELLED) return null;
    const { name, value, ...more } = Object(read) as Partial<JournalAnswer>;
    if (typeof name !== "string") throw invalidEntry(`line ${this.#replayed}`, "it has no `name`");
    const [strange] = Object.keys(more);
    if (strange !== undefined)
      throw invalidEntry(`line ${this.#replayed}`, `it has \`${strange}\`, which no entry has`);
    this.#waiting.delete(name);
    return { name, value };
  }

  async #record(outcome: StepOutcome): Promise<JournalAnswer> {
    if ("thrown" in outcome) throw outcome.thrown;
    const line = JSON.stringify(outcome);
    // What a run begins with is no call: the next attempt may begin with something else.
    if (outcome.name !== HEAD) this.#unrecorded.set(outcome.name, outcome);
    await this.#append(line);
    this.#unrecorded.delete(outcome.name);
    return JSON.parse(line) as JournalAnswer;
  }

  async #append(line: string): Promise<void> {
    await this.#options.append?.(line);
    this.#lines.push(line);
    this.#replayed++;
  }

  #execute(step: JournalStep): void {
    switch (step.kind) {
      case "timer":
        return this.#setTimer(step.name, Math.max(0, step.dueMs - this.#clock.now()), () =>
          this.#push({ name: step.name, value: null }),
        );
      case "approval":
        return this.#ask(step.name, step.approval);
      default:
        return this.#call(step);
    }
  }

  /** Never carries out a call twice at a time: what an attempt that was cut off began may still go on. */
  #call(step: CallStep): void {
    const before = this.#pending.get(step.name)?.settled;
    const pending: PendingCall = { wanted: "now", settled: Promise.resolve() };
    this.#pending.set(step.name, pending);
    pending.settled = this.#finishCall(step, pending, before);
  }

  async #finishCall(step: CallStep, pending: PendingCall, before: Promise<void> | undefined): Promise<void> {
    const { name } = step;
    let outcome: StepOutcome | undefined;
    if (before !== undefined) {
      await before;
      outcome = this.#unrecorded.get(name);
      if (pending.wanted !== "now") return;
    }
    try {
      outcome ??= { name, value: await this.#attempt(step, pending) };
    } catch (thrown) {
      outcome = { name, thrown };
    }
    if (this.#pending.get(name) === pending) this.#pending.delete(name);
    if (pending.wanted === "now") this.#push(outcome);
    // That it failed may come of nobody wanting it.
    else if (pending.wanted === "later" && isSuccess(outcome)) this.#unrecorded.set(name, outcome);
  }

  /** Tries as often as the step says, when it is for a journal to try again. */
  async #attempt({ name, work, retry }: CallStep, pending: PendingCall): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (retry === undefined || pending.wanted !== "now") throw error;
        if (attempt >= retry.attempts) return stepError(error);
        const ms = Math.min(retry.backoffMs * retry.factor ** (attempt - 1), retry.maxMs);
        await new Promise<void>((resolve) => this.#setTimer(name, ms, resolve));
      }
    }
  }

  #ask(name: string, approval: Approval): void {
    this.#approvals.set(name, approval);
    const { onApproval } = this.#options;
    if (onApproval === undefined) return;
    const asked = async () => onApproval(approval);
    void asked().then(
      (decision) => this.#approvals.has(name) && this.decide(name, decision),
      (error: unknown) =>
        this.#approvals.delete(name) &&
        this.#push({ name, value: { error: { code: "approval/failed", message: stepError(error).error.message } } }),
    );
  }

  /** Waits longer than the platform can, if it must. */
  #setTimer(name: string, ms: number, then: () => void): void {
    const clear = this.#clock.after(Math.min(ms, MAX_TIMER_MS), () => {
      this.#timers.delete(name);
      if (ms > MAX_TIMER_MS) this.#setTimer(name, ms - MAX_TIMER_MS, then);
      else then();
    });
    this.#timers.set(name, clear);
  }

  #push(outcome: StepOutcome): void {
    this.#outcomes.push(outcome);
    this.#wake();
  }
}

function isSuccess(outcome: StepOutcome): boolean {
  return "value" in outcome && (outcome.value as { error?: unknown } | null)?.error === undefined;
}
