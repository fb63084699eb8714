/** A run's timers by number, without the platform's limit of delays. */
import type { Clock } from "./types.js";

/** @internal */
export const PLATFORM: Pick<Clock, "after"> = {
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** @internal */
export const MAX_TIMER_MS = 0x7fffffff;

/** @internal A clock's method for a run that waits. The result stops the clock. */
export const SKIP: unique symbol = Symbol("skip");

/** `isIdle`: only a timer can continue the run, so the clock goes to the next one. Else time passes. */
type WaitOnClock = (isIdle: boolean) => () => void;

export class Timers {
  readonly #clock: Pick<Clock, "after"> & { [SKIP]?: WaitOnClock };
  readonly #clears = new Map<number, () => void>();

  constructor(clock?: Pick<Clock, "after">) {
    this.#clock = clock ?? PLATFORM;
  }

  get size(): number {
    return this.#clears.size;
  }

  get areVirtual(): boolean {
    return this.#clock[SKIP] !== undefined;
  }

  /** Returns a function that stops the clock. */
  wait(isIdle: boolean): () => void {
    return this.#clock[SKIP]!(isIdle);
  }

  set(serial: number, ms: number, fire: () => void): void {
    const mostMs = this.areVirtual ? ms : MAX_TIMER_MS;
    const clear = this.#clock.after(Math.min(ms, mostMs), () => {
      this.#clears.delete(serial);
      if (ms > mostMs) this.set(serial, ms - mostMs, fire);
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

/** Runs after due timers. */
export function nextTurn(then: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (then: () => void) => unknown };
  if (setImmediate !== undefined) return void setImmediate(then);
  // A timer would wait 4 ms in pages.
  if (typeof MessageChannel === "undefined") return void setTimeout(then);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    then();
  };
  port2.postMessage(null);
}

const MAX_TURN_MS = 20;

/** Fast answers would otherwise delay timers and aborts forever. */
export class TurnScheduler {
  #steps = 0;
  #began = Date.now();

  /** Call it before each step. */
  get isDue(): boolean {
    // Reading the clock costs as much as a step.
    this.#steps = (this.#steps + 1) & 15;
    return this.#steps === 0 && this.isLate;
  }

  get isLate(): boolean {
    return Date.now() - this.#began > MAX_TURN_MS;
  }

  async yieldTurn(): Promise<void> {
    await new Promise<void>(nextTurn);
    this.#began = Date.now();
  }
}
