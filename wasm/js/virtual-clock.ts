/**
 * The clock of tests, on which waiting takes no time.
 *
 * Invariant: time passes only while a host's function works, or at once while a run only waits for a timer. Timers fire
 * in the order of their times, so the speed of the machine decides nothing else.
 */
import { now } from "./run.js";
import { MAX_TIMER_MS, PLATFORM, SKIP } from "./timers.js";
import type { Clock } from "./types.js";

interface Timer {
  readonly due: number;
  readonly then: () => void;
}

/** @internal Milliseconds since 1970. */
export function virtualClock(): Clock {
  return new VirtualClock();
}

class VirtualClock implements Clock {
  readonly epochMs = 0;
  /** In the order of their times, then of their creation. */
  readonly #timers: Timer[] = [];
  #stoppedAt = now();
  /** The platform's time when this clock began to go, if it goes. */
  #goesSince: number | undefined;
  #disarm = (): void => {};

  now(): number {
    return this.#stoppedAt + (this.#goesSince === undefined ? 0 : now() - this.#goesSince);
  }

  after(ms: number, then: () => void): () => void {
    const timer: Timer = { due: this.now() + Math.max(0, ms), then };
    const at = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(at < 0 ? this.#timers.length : at, 0, timer);
    return () => {
      const place = this.#timers.indexOf(timer);
      if (place >= 0) this.#timers.splice(place, 1);
    };
  }

  [SKIP](isIdle: boolean): () => void {
    if (isIdle) this.#fire();
    else this.#go();
    return () => this.#stop();
  }

  #fire(): void {
    const next = this.#timers.shift();
    if (next === undefined) return;
    this.#stoppedAt = Math.max(this.#stoppedAt, next.due);
    next.then();
  }

  #go(): void {
    this.#goesSince = now();
    const [next] = this.#timers;
    if (next === undefined) return;
    const ms = next.due - this.#stoppedAt;
    this.#disarm = PLATFORM.after(Math.min(ms, MAX_TIMER_MS), () => {
      this.#stop();
      if (ms > MAX_TIMER_MS) this.#go();
      else this.#fire();
    });
  }

  #stop(): void {
    this.#disarm();
    this.#stoppedAt = this.now();
    this.#goesSince = undefined;
  }
}
