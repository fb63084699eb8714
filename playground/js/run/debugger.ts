/**
 * Decides when events become visible and calls happen.
 *
 * A call waits until its node's start is visible. The engine does no work between calls, so this pauses the whole run.
 * Invariants: events appear once, in order, and none while paused. A call is released at most once, after its events.
 */
import type { RunnerEvent } from "./protocol.js";

export type PauseReason = "breakpoint" | "step" | "pause";

export interface DebuggerOutput {
  show(events: RunnerEvent[]): void;
  state(state: "running" | "paused", where?: { nodePath: string; lane: string }, why?: PauseReason): void;
  /** Ignores the clock's pauses. Returns its cancel function. */
  wait(ms: number, then: () => void): () => void;
}

/** Per task. */
const MAX_EVENTS_AT_ONCE = 1000;

type Mode =
  | { type: "run" }
  | { type: "step"; over: string | null }
  | { type: "to"; nodePath: string }
  | { type: "paused" };

export class Debugger {
  readonly #output: DebuggerOutput;
  #pending: RunnerEvent[] = [];
  #head = 0;
  #shown = 0;
  #received = 0;
  #mode: Mode = { type: "run" };
  #breakpoints = new Set<string>();
  #pace = 0;
  /** Cancels the next task or pace. */
  #cancelDue: (() => void) | null = null;
  /** It does not pause before this event again. */
  #pausedBefore = -1;
  /** Latest index of running nodes, by lane and path. */
  readonly #latest = new Map<string, number>();
  #heldCalls: { at: number; release: () => void }[] = [];
  #whenIdle: (() => void)[] = [];

  constructor(
    output: DebuggerOutput,
    {
      breakpoints = [],
      paused = false,
      pace = 0,
    }: { breakpoints?: readonly string[]; paused?: boolean; pace?: number } = {},
  ) {
    this.#output = output;
    this.#breakpoints = new Set(breakpoints);
    this.#pace = pace;
    if (paused) this.#mode = { type: "step", over: null };
  }

  get paused(): boolean {
    return this.#mode.type === "paused";
  }

  set breakpoints(nodePaths: readonly string[]) {
    this.#breakpoints = new Set(nodePaths);
  }

  set pace(ms: number) {
    this.#pace = Math.max(0, ms);
  }

  push(event: RunnerEvent): void {
    if ("nodePath" in event && "lane" in event) this.#latest.set(`${event.lane}\0${event.nodePath}`, this.#received);
    this.#pending.push(event);
    this.#received++;
  }

  /** Waits for all earlier events. `undefined` if none is pending. */
  holdCall(lane: string, nodePath: string): Promise<void> | undefined {
    const at = this.#latest.get(`${lane}\0${nodePath}`) ?? -1;
    this.flush();
    if (at < this.#shown && !this.paused) return undefined;
    return new Promise((resolve) => this.#heldCalls.push({ at, release: resolve }));
  }

  flush(): void {
    if (this.#cancelDue === null) this.#advance();
  }

  /** All queued events are visible. */
  whenDrained(): Promise<void> {
    this.flush();
    if (this.#shown >= this.#received) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  pause(): void {
    if (!this.paused) this.#enterPause("pause");
  }

  resume(): void {
    this.#setMode({ type: "run" });
  }

  step(over = false): void {
    const next = this.#pending[this.#head];
    this.#setMode({ type: "step", over: over && next && "lane" in next ? next.lane : null });
  }

  runTo(nodePath: string): void {
    this.#setMode({ type: "to", nodePath });
  }

  /** Shows the rest without pauses. Delayed calls are dropped. */
  finish(): void {
    this.#heldCalls = [];
    this.#breakpoints = new Set();
    this.#pace = 0;
    this.#setMode({ type: "run" });
  }

  #setMode(mode: Mode): void {
    const wasPaused = this.paused;
    this.#mode = mode;
    if (wasPaused) this.#output.state("running");
    this.#cancelAdvance();
    this.#advance();
  }

  #cancelAdvance(): void {
    this.#cancelDue?.();
    this.#cancelDue = null;
  }

  #advance(): void {
    const shown: RunnerEvent[] = [];
    let why: PauseReason | null = null;
    let wait: number | null = null;
    while (this.#mode.type !== "paused" && this.#head < this.#pending.length) {
      const event = this.#pending[this.#head]!;
      why = this.#pauseReason(event);
      if (why !== null) break;
      shown.push(event);
      this.#head++;
      this.#shown++;
      if (this.#pace > 0 && event.type === "node-started") wait = this.#pace;
      else if (shown.length >= MAX_EVENTS_AT_ONCE) wait = 0;
      if (wait !== null) break;
    }
    this.#compact();
    if (shown.length > 0) this.#output.show(shown);
    if (why !== null) this.#enterPause(why);
    else if (wait !== null) this.#advanceLater(wait);
    this.#releaseCalls();
    if (this.#shown >= this.#received) for (const done of this.#whenIdle.splice(0)) done();
  }

  #advanceLater(ms: number): void {
    this.#cancelDue = this.#output.wait(ms, () => {
      this.#cancelDue = null;
      this.#advance();
    });
  }

  #pauseReason(event: RunnerEvent): PauseReason | null {
    if (event.type !== "node-started" || this.#pausedBefore === this.#shown) return null;
    const mode = this.#mode;
    if (this.#breakpoints.has(event.nodePath)) return "breakpoint";
    if (mode.type === "to") return mode.nodePath === event.nodePath ? "step" : null;
    if (mode.type !== "step") return null;
    return mode.over === null || isSameOrOuter(event.lane, mode.over) ? "step" : null;
  }

  #enterPause(why: PauseReason): void {
    this.#mode = { type: "paused" };
    this.#cancelAdvance();
    const next = this.#pending[this.#head];
    const before = next?.type === "node-started" ? { nodePath: next.nodePath, lane: next.lane } : undefined;
    this.#pausedBefore = before === undefined ? -1 : this.#shown;
    this.#output.state("paused", before, why);
  }

  #releaseCalls(): void {
    if (this.paused || this.#heldCalls.length === 0) return;
    const ready = this.#heldCalls.filter(({ at }) => at < this.#shown);
    if (ready.length === 0) return;
    this.#heldCalls = this.#heldCalls.filter(({ at }) => at >= this.#shown);
    for (const { release } of ready) release();
  }

  #compact(): void {
    if (this.#head < 4096 && this.#head < this.#pending.length) return;
    this.#pending = this.#pending.slice(this.#head);
    this.#head = 0;
  }
}

/** Whether a step over `from` pauses in `lane`: the same graph or an outer one. */
function isSameOrOuter(lane: string, from: string): boolean {
  return lane === from || lane === "" || from.startsWith(`${lane}/`);
}
