/**
 * Time limits of an operation: per silence of the server, and in total.
 *
 * Invariants: the clock stops between requests and while the host answers. Once over, it stays over.
 */
import { type Deadline, MAX_TIMER_MS } from "./http.js";

export class OperationDeadline implements Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #follow = () => this.#controller.abort(this.#outer?.reason);
  #limitMs: number;
  #leftMs: number;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;
  #pauses = 0;
  /** Until the next request. */
  #isUnlimited = false;

  constructor(limitMs: number, totalMs: number, outer?: AbortSignal) {
    this.#limitMs = limitMs;
    this.#leftMs = totalMs;
    this.#outer = outer;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isOver(): boolean {
    return this.#over;
  }

  /** Call it when a request was sent or a message received. */
  start(): void {
    this.stop();
    this.#isUnlimited = false;
    if (this.#pauses > 0) return;
    this.#since = performance.now();
    const ms = Math.min(this.#limitMs, this.#leftMs);
    if (ms === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#over = true;
        this.#controller.abort();
      },
      Math.max(0, Math.min(ms, MAX_TIMER_MS)),
    );
  }

  stop(): void {
    if (this.#since !== 0) this.#leftMs -= performance.now() - this.#since;
    this.#since = 0;
    clearTimeout(this.#timer);
  }

  /** The server is not the one to wait for. */
  async pauseWhile<T>(work: Promise<T>): Promise<T> {
    this.#pauses++;
    this.stop();
    try {
      return await work;
    } finally {
      if (--this.#pauses === 0 && !this.#isUnlimited) this.start();
    }
  }

  lift(): void {
    this.stop();
    this.#isUnlimited = true;
  }

  end(): void {
    this.lift();
    this.#outer?.removeEventListener("abort", this.#follow);
  }
}
