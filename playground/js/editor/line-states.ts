/**
 * Caches the lexer state at the start of each line, as far as lines were lexed.
 *
 * A change makes the states after it uncertain. Once a later line starts in the same state as before, all states after
 * it are valid again.
 */
import type { ChangeSet, Text } from "@codemirror/state";
import { line, PLAIN, type LexerState } from "./lexer.js";

const ignore = (): void => undefined;
/** After a larger insertion, the states after it are discarded. */
const MAX_INSERTED_LINES = 10_000;

export class LineStates {
  /** The states of lines 1, 2, … */
  #states: LexerState[] = [PLAIN];
  /** The number of valid states. */
  #validCount = 1;
  /** From this index on, the states are consistent with each other. */
  #tail = 0;

  /** Updates the cache after a change. */
  change(changes: ChangeSet, before: Text, after: Text): void {
    let [first, old, now] = [Infinity, 0, 0];
    changes.iterChangedRanges((from, to, _from, toNow) => {
      first = Math.min(first, before.lineAt(from).number);
      old = before.lineAt(to).number;
      now = after.lineAt(toNow).number;
    });
    if (first === Infinity) return;
    // The first changed line starts in the state of the line before it, which is unchanged.
    const states = this.#states;
    // Most changes keep the number of lines. A long paste is lexed when it is visible.
    if (states.length > old && now - first < MAX_INSERTED_LINES) {
      if (now === old) states.fill(-1, first, now);
      else states.splice(first, old - first, ...new Array<LexerState>(now - first).fill(-1));
    } else {
      states.length = Math.min(states.length, first);
    }
    this.#validCount = Math.min(this.#validCount, first, states.length);
    this.#tail = Math.max(now, this.#tail >= old ? this.#tail + now - old : 0);
  }

  /** Returns the state at the start of a line. */
  at(doc: Text, number: number): LexerState {
    if (this.#validCount < number) {
      for (const text of doc.iterLines(this.#validCount, number)) {
        const next = line(text, this.#states[this.#validCount - 1] ?? PLAIN, ignore);
        if (this.#validCount >= this.#tail && this.#states[this.#validCount] === next) {
          this.#validCount = this.#states.length;
          this.#tail = 0;
          return this.at(doc, number);
        }
        this.#states[this.#validCount++] = next;
      }
    }
    return this.#states[number - 1] ?? PLAIN;
  }
}
