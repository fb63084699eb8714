/**
 * The time that an operation on a server has: so much for each silence of the server, so much in all.
 *
 * Invariants: it stands still between requests and while the host is asked something; once it is over it stays over.
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
  #holds = 0;
  /** Whether nothing is counted before the next request. */
  #free = false;

  /** `limitMs` for each silence, `totalMs` in all. */
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

  /** A request begins, or the server has shown that it is alive: its silence counts from now. */
  start(): void {
    this.stop();
    this.#free = false;
    if (this.#holds > 0) return;
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

  /** Stands still until what is given has settled: it is not the server who is waited for. */
  async pauseWhile<T>(work: Promise<T>): Promise<T> {
    this.#holds++;
    this.stop();
    try {
      return await work;
    } finally {
      if (--this.#holds === 0 && !this.#free) this.start();
    }
  }

  /** What has begun may go on for as long as it likes. */
  lift(): void {
    this.stop();
    this.#free = true;
  }

  /** Lets go of the caller's signal. */
  end(): void {
    this.lift();
    this.#outer?.removeEventListener("abort", this.#follow);
  }
}
