/**
 * A run's clock, which can pause.
 *
 * Invariants: time never goes back. Timers don't fire in a pause or once cancelled.
 */
import type { Clock } from "stepgraph/web";

interface PendingTimer {
  due: number;
  then: () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class PausableClock implements Clock {
  #since: number | null;
  #passed = 0;
  readonly #timers = new Set<PendingTimer>();
  readonly #real: () => number;
  /** Pauses also stop the time of day. */
  readonly epochMs = Date.now();

  constructor(real: () => number = () => performance.now()) {
    this.#real = real;
    this.#since = real();
  }

  now(): number {
    return this.#since === null ? this.#passed : this.#passed + this.#real() - this.#since;
  }

  after(ms: number, then: () => void): () => void {
    const wait: PendingTimer = { due: this.now() + ms, then, timer: undefined };
    this.#timers.add(wait);
    this.#schedule(wait);
    return () => {
      clearTimeout(wait.timer);
      this.#timers.delete(wait);
    };
  }

  pause(): void {
    if (this.#since === null) return;
    this.#passed = this.now();
    this.#since = null;
    for (const wait of this.#timers) clearTimeout(wait.timer);
  }

  resume(): void {
    if (this.#since !== null) return;
    this.#since = this.#real();
    for (const wait of this.#timers) this.#schedule(wait);
  }

  #schedule(wait: PendingTimer): void {
    if (this.#since === null) return;
    wait.timer = setTimeout(
      () => {
        this.#timers.delete(wait);
        wait.then();
      },
      Math.max(0, wait.due - this.now()),
    );
  }
}
