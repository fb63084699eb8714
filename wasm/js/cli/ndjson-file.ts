/**
 * A file of lines that are on the disk as soon as they are written: audit trails are appended to; cassettes begin anew,
 * beside the file that they replace at the end.
 *
 * A run is never lost for the sake of its tape: once it is open, a failure is kept, and told at the end.
 */
import { closeSync, fsyncSync, renameSync, rmSync, writeSync } from "node:fs";
import { errorReason } from "./io.js";
import { UsageError } from "./options.js";
import { draftPath, isOnlyWritable, isReplaceable, openPrivate, resolveLinks } from "./private-files.js";

/** Such a file. */
export class NdjsonFile {
  /** Where it is to stand at the end. */
  readonly #name: string;
  readonly #file: number;
  /** Where it stands until then; null where it is written in its place. */
  #draft: string | null = null;
  #empty = true;
  #failure: unknown = null;

  /** Throws {@link UsageError} for a file that can't be written. */
  constructor(name: string, how: "append" | "anew") {
    this.#name = name;
    try {
      this.#file = how === "append" ? openPrivate(name, "a") : this.#openDraft(resolveLinks(name));
    } catch (error) {
      throw new UsageError(`can't write \`${name}\`: ${errorReason(error)}`, "name a file in a folder that is there");
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

  /** Writes a line before the run goes on: a trail must not lag behind what it tells of. */
  add(line: string): void {
    this.write(`${line}\n`);
  }

  /** Writes a text. */
  write(text: string): void {
    if (this.#failure !== null) return;
    this.#empty = false;
    const bytes = Buffer.from(text);
    try {
      // One call may write less than it was given.
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Where the lines are as long as the tape is not closed; null where they are in their place. */
  get draft(): string | null {
    return this.#empty ? null : this.#draft;
  }

  /**
   * Puts the whole file in its place; gives why that can't be done. What nothing was written to is not put there unless
   * `evenEmpty`.
   */
  close({ evenEmpty = false } = {}): { message: string; help: string } | null {
    try {
      fsyncSync(this.#file);
    } catch {
      // Pipes and terminals have nothing to flush.
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
    const help = this.#draft === null ? "what came before is there" : `what could be written is in \`${this.#draft}\``;
    return { message: `can't write \`${this.#name}\`: ${errorReason(this.#failure)}`, help };
  }

  /** Leaves the file where it was written: what it tells of did not come to its end. */
  keepDraft(): void {
    closeSync(this.#file);
    if (this.#empty) this.#remove();
  }

  /** Leaves nothing behind. */
  discard(): void {
    closeSync(this.#file);
    this.#remove();
  }

  #remove(): void {
    if (this.#draft !== null) rmSync(this.#draft, { force: true });
  }
}
