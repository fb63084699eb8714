/**
 * Virtual time, which passes only when a run has no other work.
 *
 * A run that waits forever fails at once instead of hanging.
 */
import { setImmediate as idle } from "node:timers/promises";

/** After so many idle turns all ready work is done. The driver itself may use one. */
const IDLE_TURNS = 2;
/** After so many idle turns without a timer, the run waits forever. */
const STUCK_TURNS = 12;

export const BEGINNING = 1_000_000;

export class Time {
  #at;
  #order = 0;
  #busy = 0;
  #waits = [];
  #idleTurns;
  /** Called when no timer is due. Returns whether it found work. */
  onIdle = () => false;

  /** `idleTurns`: more of them if a step needs several turns of the event loop, which a busy machine delays. */
  constructor(at = BEGINNING, { idleTurns = IDLE_TURNS } = {}) {
    this.#at = at;
    this.#idleTurns = idleTurns;
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

  get clock() {
    return { now: this.now, after: this.after, epochMs: 0 };
  }

  /** Stops virtual time during a real wait, such as for a disk. */
  async real(work) {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
    }
  }

  async during(promise) {
    let over = false;
    const end = () => (over = true);
    promise.then(end, end);
    for (let [quiet, stuck] = [0, 0]; ; ) {
      await idle();
      if (over) return promise;
      if (this.#busy > 0) [quiet, stuck] = [0, 0];
      else if (++quiet >= this.#idleTurns) {
        if (this.#pass()) [quiet, stuck] = [0, 0];
        else if (++stuck > STUCK_TURNS) throw new Error("the run waits, and nothing is due");
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
