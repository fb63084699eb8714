/**
 * In which state of the lexer each line begins, so far as somebody has looked.
 *
 * A change makes the lines behind it doubtful, not unknown: as soon as a line behind it begins in the state in which it
 * began before, all that follows holds again.
 */
import type { ChangeSet, Text } from "@codemirror/state";
import { line, PLAIN, type LexerState } from "./lexer.js";

const ignore = (): void => undefined;
/** So many lines are put in between others; after more, all that follows is looked at anew. */
const MAX_INSERTED_LINES = 10_000;

/** The states of a text's lines. */
export class LineStates {
  /** Of line 1, 2, …; as many as were looked at. */
  #states: LexerState[] = [PLAIN];
  /** So many of them hold. */
  #validCount = 1;
  /** From this position on they follow from each other. */
  #tail = 0;

  /** The text was changed. */
  change(changes: ChangeSet, before: Text, after: Text): void {
    let [first, old, now] = [Infinity, 0, 0];
    changes.iterChangedRanges((from, to, _from, toNow) => {
      first = Math.min(first, before.lineAt(from).number);
      old = before.lineAt(to).number;
      now = after.lineAt(toNow).number;
    });
    if (first === Infinity) return;
    // The state in which the first changed line begins is that of the line before it, and stays.
    const states = this.#states;
    // Most changes leave as many lines as there were; what is pasted at length is looked at when it is seen.
    if (states.length > old && now - first < MAX_INSERTED_LINES) {
      if (now === old) states.fill(-1, first, now);
      else states.splice(first, old - first, ...new Array<LexerState>(now - first).fill(-1));
    } else {
      states.length = Math.min(states.length, first);
    }
    this.#validCount = Math.min(this.#validCount, first, states.length);
    this.#tail = Math.max(now, this.#tail >= old ? this.#tail + now - old : 0);
  }

  /** The state in which a line begins. */
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
