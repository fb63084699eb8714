/**
 * A file of lines that are on the disk as soon as they are written: audit trails are appended to, cassettes begin anew.
 */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { reason } from "./io.js";
import { UsageError } from "./options.js";

/** Such a file. */
export class Tape {
  readonly #file: number;

  constructor(name: string, how: "append" | "anew") {
    try {
      this.#file = openSync(name, how === "append" ? "a" : "w", how === "append" ? 0o666 : 0o600);
    } catch (error) {
      throw new UsageError(`can't write \`${name}\`: ${reason(error)}`, "name a file in a folder that is there");
    }
  }

  /** Writes a line before the run goes on: a trail must not lag behind what it tells of. */
  add(line: string): void {
    writeSync(this.#file, `${line}\n`);
  }

  /** Returns when all is on the disk. */
  close(): void {
    try {
      fsyncSync(this.#file);
    } catch {
      // Pipes and terminals have nothing to flush.
    }
    closeSync(this.#file);
  }
}
