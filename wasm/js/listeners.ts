/**
 * Contains errors of listeners, also rejected promises, which are not awaited.
 *
 * The first error ends the run as if cancelled, or interrupts a durable run, whose journal stays valid. Only the other
 * listeners receive the end.
 */
import { isThenable } from "./guards.js";
import { toFailure } from "./host.js";
import type { Outcome, RunOptions } from "./types.js";

const NAMES = ["onEvent", "onUpdate", "record"] as const;
type Failure = Extract<Outcome, { type: "failed" }>;
type ListenerOptions = Pick<RunOptions, (typeof NAMES)[number]>;

export class Listeners<Options extends ListenerOptions = RunOptions> {
  failure: Failure | undefined;
  readonly hasListeners: boolean;
  /** A promise may fail while the run waits. */
  isAsync = false;
  /** Their listeners never throw. */
  readonly options: Options;
  readonly #failed: (failure: Failure, error: unknown) => void;

  constructor(options: Options, failed: (failure: Failure, error: unknown) => void) {
    this.#failed = failed;
    this.hasListeners = options.onEvent !== undefined || options.onUpdate !== undefined || options.record !== undefined;
    this.options = this.hasListeners ? this.#withContained(options) : options;
  }

  #withContained(options: Options): Options {
    const own = { ...options };
    for (const name of NAMES) {
      const listener = own[name] as ((value: never) => unknown) | undefined;
      if (listener !== undefined) own[name] = this.#contained(name, listener) as never;
    }
    return own;
  }

  /** Each event calls it, so it makes no closure then. */
  #contained(name: string, listener: (value: never) => unknown): (value: never) => void {
    let hasFailed = false;
    const fail = (error: unknown) => {
      hasFailed = true;
      if (this.failure !== undefined) return;
      const message = `\`${name}\` failed: ${toFailure(error, "").message}`;
      this.failure = { type: "failed", code: "run/listener-failed", message };
      this.#failed(this.failure, error);
    };
    return (value) => {
      if (hasFailed) return;
      try {
        const given = listener(value);
        if (!isThenable(given)) return;
        this.isAsync = true;
        Promise.resolve(given).then(undefined, fail);
      } catch (error) {
        fail(error);
      }
    };
  }
}
