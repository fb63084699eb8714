/** The errors that calls of a run threw. The engine knows only their codes and messages. */

/** A loop may fail and retry for ever. The last errors decide the outcome. */
const MOST = 100;

export class ThrownErrors {
  readonly #known = new Map<string, { message: string; error: unknown }>();

  /** Replaces an earlier error of the node. */
  add(scope: string, node: string, message: string, error: unknown): void {
    const key = `${scope} ${node}`;
    this.#known.delete(key);
    this.#known.set(key, { message, error });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!);
  }

  /** The node may have failed again without an error, as by a time limit. Then the messages differ. */
  optionsFor({ scope = "", node = "", message }: { scope?: string; node?: string; message: string }): ErrorOptions {
    const found = this.#known.get(`${scope} ${node}`);
    return found?.message === message ? { cause: found.error } : {};
  }
}
