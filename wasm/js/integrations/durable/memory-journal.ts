/**
 * The reference journal. An answer reaches the run only after its line is stored.
 *
 * Steps run after all recorded answers, so a step abandoned before a crash is not repeated.
 */
import { internals, PlanError, type Approval, type Clock, type Decision, type Fingerprint } from "stepgraph";
import type { Kinds } from "../../options.js";
import { invalidEntry, HEAD, plainDecision } from "./journal-entry.js";
import type { DecisionGate } from "./decision-gate.js";
import { isHead, replayedLines } from "./journal-lines.js";
import { stepError, type Journal, type JournalAnswer, type JournalStep } from "./journal.js";

/** Options of `MemoryJournal`. */
export interface MemoryJournalOptions {
  /** One for each answer. */
  lines?: readonly string[];
  /** Stores a line before the run continues. Its errors end `runDurable`. */
  append?: (line: string) => void | Promise<void>;
  /**
   * Called while approvals are open, and again after each return. `isStuck`: only a decision can continue the run.
   * `paused` ends it.
   */
  onWait?: (approvals: Approval[], isStuck: boolean) => Promise<"paused" | undefined>;
  onApproval?: (approval: Approval) => Decision | Promise<Decision>;
  /** Default: the platform's. */
  clock?: Clock;
}

const OPTIONS: Kinds<MemoryJournalOptions> = {
  lines: "[]text",
  append: "function",
  onWait: "function",
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

const MAX_TIMER_MS = 0x7fffffff;

type StepOutcome = { name: string; value: unknown } | { name: string; thrown: unknown };
type CallStep = Extract<JournalStep, { kind: "call" }>;

interface PendingCall {
  /** Reader of the answer: this `runDurable`, a later one, or none. */
  wanted: "now" | "later" | "never";
  settled: Promise<void>;
}

const CANCELLED = JSON.stringify({ cancelled: true });

/**
 * A journal in memory. Store its lines anywhere, and continue a run from them.
 *
 * @example
 * const journal = new MemoryJournal({ lines, append: (line) => appendFile("run.ndjson", line + "\n") });
 * const report = await runDurable(graph, journal, options);
 */
export class MemoryJournal implements Journal {
  readonly #lines: string[];
  /** Replaces the first head: the run moved to a changed plan. */
  #newHead: string | undefined;
  readonly #options: MemoryJournalOptions;
  readonly #clock: Clock;
  #replayed = 0;
  /** Begun, not executed. */
  readonly #waiting = new Map<string, JournalStep>();
  readonly #approvals = new Map<string, Approval>();
  readonly #timers = new Map<string, () => void>();
  /** In order of arrival. */
  readonly #outcomes: StepOutcome[] = [];
  /** Not recorded by an earlier `runDurable`. The next one repeats no call. */
  readonly #unrecorded = new Map<string, StepOutcome>();
  readonly #pending = new Map<string, PendingCall>();
  readonly #gate: DecisionGate | undefined;
  /** An ended process may hold the gate. */
  #isHeld = true;
  /** Not recorded yet. */
  readonly #decided = new Set<string>();
  #isWaiting = false;
  #waitCall: Promise<"paused" | undefined> | undefined;
  readonly #turns = new internals.TurnScheduler();
  #wake: () => void = () => {};
  #cancelled = false;
  #interrupted = false;
  #failure: Error | undefined;

  constructor(options?: MemoryJournalOptions);
  /** @internal */
  constructor(options?: MemoryJournalOptions, gate?: DecisionGate);
  constructor(options: MemoryJournalOptions = {}, gate?: DecisionGate) {
    internals.assertOptions("MemoryJournal", options, OPTIONS);
    this.#options = options;
    this.#gate = gate;
    this.#clock = options.clock ?? PLATFORM;
    this.#lines = [...(options.lines ?? [])];
    this.#newHead = this.#lines.slice(1).findLast(isHead);
  }

  /** Splits a file into lines. Drops an incomplete last one. */
  static lines(text: string): string[] {
    internals.assertKind("MemoryJournal.lines", "text", text, "text");
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "");
  }

  /** One for each answer. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** @internal The last head, and all answers. */
  get replayedLines(): string[] {
    return replayedLines(this.#lines);
  }

  /** @internal Moves the run to a changed plan, unless it is new. */
  async movePlan(plan: Fingerprint): Promise<void> {
    const [first] = this.replayedLines;
    if (first === undefined) return;
    const { value } = JSON.parse(first) as { value: object };
    const line = JSON.stringify({ name: HEAD, value: { ...value, plan } });
    await this.#options.append?.(line);
    this.#lines.push(line);
    this.#newHead = line;
  }

  /** Open approvals. */
  get approvals(): Approval[] {
    return [...this.#approvals.values()];
  }

  /**
   * Decides an approval by its call's name.
   *
   * @throws PlanError `durable/unknown-approval` if the run does not wait for this decision.
   */
  decide(call: string, decision: Decision): void {
    if (!this.#approvals.delete(call))
      throw new PlanError("durable/unknown-approval", `the run does not wait for a decision on \`${call}\``);
    this.#decided.add(call);
    this.#push({ name: call, value: { ...plainDecision(call, decision), atMs: this.#clock.now() } });
  }

  /** Ends the run for good as `cancelled`. */
  cancel(): void {
    this.#cancelled = true;
    this.#wake();
  }

  /** Ends `runDurable` soon, as `paused`, or as `cancelled` if no approval is open. The next one continues the run. */
  interrupt(): void {
    this.#interrupted = true;
    this.#wake();
  }

  /** @internal */
  fail(error: Error): void {
    this.#failure = error;
    this.#wake();
  }

  /** See {@link Journal}. */
  begin(step: JournalStep): void {
    if (step.name === HEAD) this.#rewind();
    this.#waiting.set(step.name, step);
    if (step.kind === "approval") this.#gate?.requested(step.approval);
  }

  #rewind(): void {
    if (this.#isWaiting) throw new PlanError("durable/locked", "a run is in progress on this journal");
    this.#replayed = 0;
    this.#interrupted = false;
    this.#failure = undefined;
    for (const outcome of this.#outcomes.splice(0))
      if (!("thrown" in outcome)) this.#unrecorded.set(outcome.name, outcome);
    this.#waiting.clear();
    this.#approvals.clear();
    this.#decided.clear();
  }

  /** See {@link Journal}. */
  abandon(name: string, cutOff = false): void {
    const pending = this.#pending.get(name);
    if (pending !== undefined) pending.wanted = cutOff ? "later" : "never";
    if (!cutOff) this.#pending.delete(name);
    this.#waiting.delete(name);
    this.#approvals.delete(name);
    this.#decided.delete(name);
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  /** See {@link Journal}. */
  async race(pending: readonly string[]): Promise<JournalAnswer | null | "paused"> {
    if (this.#turns.isDue) await this.#turns.yieldTurn();
    if (this.#failure !== undefined) throw this.#failure;
    while (this.#replayed < this.#lines.length) {
      const at = this.#replayed++;
      const line = this.#lines[at]!;
      if (at === 0 || !isHead(line)) return this.#replayLine(at === 0 ? (this.#newHead ?? line) : line);
    }
    // In order: the database may have stored an answer and reported an error.
    for (const [name, outcome] of this.#unrecorded) if (this.#waiting.delete(name)) this.#outcomes.push(outcome);
    for (const step of this.#waiting.values()) this.#execute(step);
    this.#waiting.clear();
    this.#isWaiting = true;
    try {
      if (this.#isHeld) await this.#release();
      return await this.#firstOf(new Set(pending));
    } finally {
      this.#isWaiting = false;
    }
  }

  async #firstOf(wanted: ReadonlySet<string>): Promise<JournalAnswer | null | "paused"> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#interrupted) return "paused";
      if (this.#cancelled) return await this.#append(CANCELLED), null;
      if (this.#outcomes.some(({ name }) => wanted.has(name))) return this.#record(await this.#choose(wanted));
      this.#outcomes.length = 0;
      if ((await this.#wait()) && this.#outcomes.length === 0 && this.#isStuck) return "paused";
    }
  }

  async #choose(wanted: ReadonlySet<string>): Promise<StepOutcome> {
    if (this.#gate !== undefined && this.#approvals.size > 0) {
      this.#isHeld = true;
      await this.#gate.hold();
    }
    const isDecision = ({ name }: StepOutcome) => this.#decided.has(name) && wanted.has(name);
    const decision = this.#gate === undefined ? -1 : this.#outcomes.findIndex(isDecision);
    const at = decision >= 0 ? decision : this.#outcomes.findIndex(({ name }) => wanted.has(name));
    return this.#outcomes.splice(at, 1)[0]!;
  }

  async #release(): Promise<void> {
    await this.#gate?.release([...this.#approvals.keys(), ...this.#decided]);
    this.#isHeld = false;
  }

  async #wait(): Promise<boolean> {
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    const { onWait } = this.#options;
    if (onWait === undefined || this.#approvals.size === 0) return await woken, false;
    this.#waitCall ??= onWait(this.approvals, this.#isStuck).finally(() => (this.#waitCall = undefined));
    return (await Promise.race([woken, this.#waitCall])) === "paused";
  }

  get #isStuck(): boolean {
    return this.#pending.size === 0 && this.#timers.size === 0 && !this.#cancelled;
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
    if ("thrown" in outcome) {
      if (this.#isHeld) await this.#release();
      throw outcome.thrown;
    }
    const line = JSON.stringify(outcome);
    // The head is no call: the next `runDurable` may record another.
    if (outcome.name !== HEAD) this.#unrecorded.set(outcome.name, outcome);
    await this.#append(line);
    this.#unrecorded.delete(outcome.name);
    this.#decided.delete(outcome.name);
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
        return this.#requestApproval(step.name, step.approval);
      default:
        return this.#call(step);
    }
  }

  /** An earlier `runDurable` may still wait for the same call. */
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
    // The abort may have caused a failure.
    else if (pending.wanted === "later" && isSuccess(outcome)) this.#unrecorded.set(name, outcome);
  }

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

  #requestApproval(name: string, approval: Approval): void {
    this.#approvals.set(name, approval);
    const { onApproval } = this.#options;
    if (onApproval === undefined) return;
    const requestDecision = async () => onApproval(approval);
    void requestDecision().then(
      (decision) => this.#approvals.has(name) && this.decide(name, decision),
      (error: unknown) =>
        this.#approvals.delete(name) &&
        this.#push({ name, value: { error: { code: "approval/failed", message: stepError(error).error.message } } }),
    );
  }

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
