/**
 * JSON lines: appended to audit files, or a cassette's draft, which replaces the target at the end. A write error never
 * stops a run: `close` reports it.
 */
import { closeSync, fsyncSync, renameSync, rmSync, writeSync } from "node:fs";
import { errorReason } from "./io.js";
import { UsageError } from "./options.js";
import { draftPath, isOnlyWritable, isReplaceable, openPrivate, resolveLinks } from "./private-files.js";

export class NdjsonFile {
  /** Final path. */
  readonly #name: string;
  readonly #file: number;
  /** Null if lines go to the final path. */
  #draft: string | null = null;
  #empty = true;
  #failure: unknown = null;

  /** Throws {@link UsageError}. */
  constructor(name: string, how: "append" | "anew") {
    this.#name = name;
    try {
      this.#file = how === "append" ? openPrivate(name, "a") : this.#openDraft(resolveLinks(name));
    } catch (error) {
      throw new UsageError(
        "cli/unwritable-file",
        `can't write \`${name}\`: ${errorReason(error)}`,
        "name a file in an existing folder",
      );
    }
  }

  #openDraft(place: string): number {
    if (!isReplaceable(place)) return openPrivate(place, "w");
    const draft = draftPath(place);
    try {
      const opened = openPrivate(draft, "wx");
      this.#draft = draft;
      return opened;
    } catch (error) {
      if (!isOnlyWritable(place, error)) throw error;
      return openPrivate(place, "w");
    }
  }

  /** Synchronous, so the file never lags behind. */
  add(line: string): void {
    this.write(`${line}\n`);
  }

  write(text: string): void {
    if (this.#failure !== null) return;
    this.#empty = false;
    const bytes = Buffer.from(text);
    try {
      // `writeSync` may write less than requested.
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#failure = error;
    }
  }

  get draft(): string | null {
    return this.#empty ? null : this.#draft;
  }

  /** Drops an empty file unless `evenEmpty`. Returns the error. */
  close({ evenEmpty = false } = {}): { message: string; help: string } | null {
    try {
      fsyncSync(this.#file);
    } catch {
      // Pipes and terminals can't be flushed.
    }
    closeSync(this.#file);
    if (this.#draft !== null && this.#failure === null) {
      try {
        if (this.#empty && !evenEmpty) this.#remove();
        else renameSync(this.#draft, resolveLinks(this.#name));
      } catch (error) {
        this.#failure = error;
      }
    }
    if (this.#failure === null) return null;
    const help = this.#draft === null ? "the earlier lines are intact" : `the lines so far are in \`${this.#draft}\``;
    return { message: `can't write \`${this.#name}\`: ${errorReason(this.#failure)}`, help };
  }

  keepDraft(): void {
    closeSync(this.#file);
    if (this.#empty) this.#remove();
  }

  discard(): void {
    closeSync(this.#file);
    this.#remove();
  }

  #remove(): void {
    if (this.#draft !== null) rmSync(this.#draft, { force: true });
  }
}
