/**
 * The audit trail: one event a line, in the file as soon as it has happened.
 */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { TraceEvent } from "../types.js";
import { reason } from "./io.js";
import { UsageError } from "./options.js";

/** A file of events. It is appended to, for an earlier run's trail is not ours to delete. */
export class Audit {
  readonly #file: number;

  constructor(name: string) {
    try {
      this.#file = openSync(name, "a");
    } catch (error) {
      throw new UsageError(`can't write \`${name}\`: ${reason(error)}`, "name a file in a folder that is there");
    }
  }

  /** Writes an event before the run goes on: a trail must not lag behind what it tells of. */
  add(event: TraceEvent): void {
    writeSync(this.#file, `${JSON.stringify(event)}\n`);
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
