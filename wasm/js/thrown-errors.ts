/** Errors that calls threw. The engine knows only codes and messages. */

/** A loop may fail for ever. The last errors decide the outcome. */
const MOST = 100;

export class ThrownErrors {
  readonly #known = new Map<string, { message: string; error: unknown }>();

  add(scope: string, node: string, message: string, error: unknown): void {
    const key = `${scope} ${node}`;
    this.#known.delete(key);
    this.#known.set(key, { message, error });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!);
  }

  /** After a later failure without an error, such as a time limit, the messages differ. */
  optionsFor({ scope = "", node = "", message }: { scope?: string; node?: string; message: string }): ErrorOptions {
    const found = this.#known.get(`${scope} ${node}`);
    return found?.message === message ? { cause: found.error } : {};
  }
}
