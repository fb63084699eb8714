/**
 * Virtual time: it passes only when a run has nothing left to do.
 *
 * A run that waits for something that never comes is found at once, and not by a test that hangs.
 */
import { setImmediate as idle } from "node:timers/promises";

/** After so many idle turns in a row everything that was ready has been done; the driver itself may use one. */
const QUIET = 2;
/** After so many idle turns without a timer, nothing will ever happen. */
const STUCK = 12;

export const BEGINNING = 1_000_000;

export class Time {
  #at;
  #order = 0;
  #busy = 0;
  #waits = [];
  /** Is called when nothing is due any more; whether it has found something to do. */
  onIdle = () => false;

  constructor(at = BEGINNING) {
    this.#at = at;
  }

  now = () => this.#at;

  after = (ms, then) => {
    const wait = { due: this.#at + ms, order: this.#order++, then };
    this.#waits.push(wait);
    return () => {
      const at = this.#waits.indexOf(wait);
      if (at >= 0) this.#waits.splice(at, 1);
    };
  };

  /** What `run` and journals are given. */
  get clock() {
    return { now: this.now, after: this.after };
  }

  /** Lets time stand still until a real wait, such as for a disk, is over. */
  async real(work) {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
    }
  }

  /** Lets time pass until the promise is settled. */
  async during(promise) {
    let over = false;
    const end = () => (over = true);
    promise.then(end, end);
    for (let [quiet, stuck] = [0, 0]; ; ) {
      await idle();
      if (over) return promise;
      if (this.#busy > 0) [quiet, stuck] = [0, 0];
      else if (++quiet >= QUIET) {
        if (this.#pass()) [quiet, stuck] = [0, 0];
        else if (++stuck > STUCK) throw new Error("the run waits, and nothing is due");
      }
    }
  }

  #pass() {
    const next = this.#waits.reduce(
      (first, one) =>
        first === null || one.due < first.due || (one.due === first.due && one.order < first.order) ? one : first,
      null,
    );
    if (next === null) return this.onIdle();
    this.#waits.splice(this.#waits.indexOf(next), 1);
    this.#at = Math.max(this.#at, next.due);
    next.then();
    return true;
  }
}
