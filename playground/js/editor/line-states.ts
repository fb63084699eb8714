/** Caches each line's lexer state. A change invalidates states up to the first that agrees. */
import type { ChangeSet, Text } from "@codemirror/state";
import { line, PLAIN, type LexerState } from "./lexer.js";

const ignore = (): void => undefined;
/** Larger insertions discard the later states. */
const MAX_INSERTED_LINES = 10_000;

export class LineStates {
  #states: LexerState[] = [PLAIN];
  #validCount = 1;
  /** Consistent from this index. */
  #tail = 0;

  change(changes: ChangeSet, before: Text, after: Text): void {
    let [first, old, now] = [Infinity, 0, 0];
    changes.iterChangedRanges((from, to, _from, toNow) => {
      first = Math.min(first, before.lineAt(from).number);
      old = before.lineAt(to).number;
      now = after.lineAt(toNow).number;
    });
    if (first === Infinity) return;
    // Depends on earlier lines only.
    const states = this.#states;
    // Most changes keep the line count.
    if (states.length > old && now - first < MAX_INSERTED_LINES) {
      if (now === old) states.fill(-1, first, now);
      else states.splice(first, old - first, ...new Array<LexerState>(now - first).fill(-1));
    } else {
      states.length = Math.min(states.length, first);
    }
    this.#validCount = Math.min(this.#validCount, first, states.length);
    this.#tail = Math.max(now, this.#tail >= old ? this.#tail + now - old : 0);
  }

  stateBefore(doc: Text, number: number): LexerState {
    if (this.#validCount < number) {
      for (const text of doc.iterLines(this.#validCount, number)) {
        const next = line(text, this.#states[this.#validCount - 1] ?? PLAIN, ignore);
        if (this.#validCount >= this.#tail && this.#states[this.#validCount] === next) {
          this.#validCount = this.#states.length;
          this.#tail = 0;
          return this.stateBefore(doc, number);
        }
        this.#states[this.#validCount++] = next;
      }
    }
    return this.#states[number - 1] ?? PLAIN;
  }
}
