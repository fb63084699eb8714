/**
 * Who listens to a run: what a listener throws, or rejects with, is no answer to the engine and no error of the driver.
 *
 * Decides that the first one ends the run, as if it had been cancelled, and that whoever failed is told nothing more;
 * the others hear the end. A durable run is cut off instead, for its journal stands. A promise that a listener gives is
 * not waited for; what it rejects with counts as long as the run is under way.
 */
import { isThenable } from "./guards.js";
import { toFailure } from "./host.js";
import type { Outcome, RunOptions } from "./types.js";

const NAMES = ["onEvent", "onUpdate", "record"] as const;
type ListenerOptions = Pick<RunOptions, (typeof NAMES)[number]>;

/** The listeners of one run. */
export class Listeners<Options extends ListenerOptions = RunOptions> {
  /** How the run ends, once one has failed. */
  failure: Extract<Outcome, { type: "failed" }> | undefined;
  /** Whether there are any. */
  readonly hasListeners: boolean;
  readonly #options: Options;
  readonly #failed: () => void;
  readonly #gone = new Set<string>();

  /** `failed` is called when the first has failed, if it is after it was called. */
  constructor(options: Options, failed: () => void) {
    this.#options = options;
    this.#failed = failed;
    this.hasListeners = NAMES.some((name) => options[name] !== undefined);
  }

  /** The options of the run with listeners that never throw. */
  get options(): Options {
    if (!this.hasListeners) return this.#options;
    const own = { ...this.#options };
    for (const name of NAMES) {
      const listener = own[name] as ((told: never) => unknown) | undefined;
      if (listener !== undefined) own[name] = ((told: never) => this.#notify(name, listener, told)) as never;
    }
    return own;
  }

  #notify(name: string, listener: (value: never) => unknown, value: never): void {
    if (this.#gone.has(name)) return;
    const fail = (error: unknown) => {
      this.#gone.add(name);
      if (this.failure !== undefined) return;
      const message = `\`${name}\` failed: ${toFailure(error, "").message}`;
      this.failure = { type: "failed", code: "run/listener-failed", message };
      this.#failed();
    };
    try {
      const given = listener(value);
      if (isThenable(given)) Promise.resolve(given).then(undefined, fail);
    } catch (error) {
      fail(error);
    }
  }
}
