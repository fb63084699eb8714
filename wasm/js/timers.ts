/** Timers under way, by number: each waits as long as it is told, also longer than the platform can. */
import type { Clock } from "./types.js";

/** Waits as long as the platform says. */
const PLATFORM: Pick<Clock, "after"> = {
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** The longest that the platform's timers can wait. */
const MAX_TIMER_MS = 0x7fffffff;

export class Timers {
  readonly #clock: Pick<Clock, "after">;
  readonly #clears = new Map<number, () => void>();

  constructor(clock?: Pick<Clock, "after">) {
    this.#clock = clock ?? PLATFORM;
  }

  get size(): number {
    return this.#clears.size;
  }

  /** Waits longer than the platform can, if it must. */
  set(serial: number, ms: number, fire: () => void): void {
    const clear = this.#clock.after(Math.min(ms, MAX_TIMER_MS), () => {
      this.#clears.delete(serial);
      if (ms > MAX_TIMER_MS) this.set(serial, ms - MAX_TIMER_MS, fire);
      else fire();
    });
    this.#clears.set(serial, clear);
  }

  clear(serial: number): void {
    this.#clears.get(serial)?.();
    this.#clears.delete(serial);
  }

  clearAll(): void {
    for (const clear of this.#clears.values()) clear();
    this.#clears.clear();
  }
}

/** Calls back in a later turn of the platform's loop, after the timers that are due. */
export function nextTurn(then: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (then: () => void) => unknown };
  if (setImmediate !== undefined) return void setImmediate(then);
  // In pages a timer would wait for 4 ms.
  if (typeof MessageChannel === "undefined") return void setTimeout(then);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    then();
  };
  port2.postMessage(null);
}

/** How long one turn of the platform's loop may take, in milliseconds, before it is given up for the next. */
const MAX_TURN_MS = 20;

/**
 * Lets the platform's loop turn now and then, however fast answers come: timers that are due, and whoever aborts a run,
 * would never be heard otherwise.
 */
export class TurnScheduler {
  #steps = 0;
  #began = Date.now();

  /** Whether it is time for a turn; asked before each step. */
  get isDue(): boolean {
    // The clock costs as much as a step.
    this.#steps = (this.#steps + 1) & 15;
    return this.#steps === 0 && this.isLate;
  }

  /** The same, asked seldom. */
  get isLate(): boolean {
    return Date.now() - this.#began > MAX_TURN_MS;
  }

  async yieldTurn(): Promise<void> {
    await new Promise<void>(nextTurn);
    this.#began = Date.now();
  }
}
