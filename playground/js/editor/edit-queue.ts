/**
 * What was done to the text in the pane, until the page takes it: so that no key waits for what the page makes of it.
 *
 * Decides when the page is told: behind the frame that shows the letter; when that took the page long, not before the
 * hands rest. Whoever wants to change the plan himself takes what is there first.
 */
import type { ChangeSet, Text, TransactionSpec } from "@codemirror/state";
import { toFileEdits, type LineEnding } from "./line-endings.js";
import type { EditGroup, TypedEdits } from "./messages.js";

interface QueuedEdit {
  before: Text;
  changes: ChangeSet;
  by: EditGroup["by"];
  name: string;
  apart: boolean;
}

/** What may be done behind every frame. */
const FRAME_BUDGET_MS = 6;
/**
 * Hands that have not moved for so long rest: the longer, the more there is to do then, since the next letter would
 * wait for it.
 */
const IDLE_DELAY_MS = { min: 120, max: 400, factor: 3 };
/** Nobody's change is kept back longer, however fast they write. */
const MAX_DELAY_MS = 4_000;

/** The changes that wait. */
export class EditQueue {
  #waiting: QueuedEdit[] = [];
  #timer = 0;
  #frame = 0;
  #since = 0;
  #cost = 0;
  #apart = false;
  #lastInput = -Infinity;

  constructor(
    readonly end: () => LineEnding,
    readonly doc: () => Text,
    readonly deliver: () => void,
  ) {}

  /** Something was done. */
  add(changes: ChangeSet, before: Text, by: EditGroup["by"], name: string): void {
    const last = this.#waiting.at(-1);
    const joins = last && by === "typing" && last.by === by && !this.#apart && !insertsNewline(changes);
    if (joins) last.changes = last.changes.compose(changes);
    else this.#waiting.push({ before, changes, by, name, apart: this.#apart });
    this.#apart = false;
    if (by === "typing") this.#lastInput = performance.now();
    this.#schedule();
  }

  /** What is typed from here on is a step of its own: the cursor was moved. */
  startGroup(): void {
    this.#apart = true;
  }

  /** How long it is until hands have rested for so long; nothing when they have. */
  idleIn(ms: number): number {
    return Math.max(0, this.#lastInput + ms - performance.now());
  }

  /** Where a place of the text that the page knows is now. */
  map(at: number, side: -1 | 1): number {
    return this.#waiting.reduce((at, { changes }) => changes.mapPos(Math.min(at, changes.length), side), at);
  }

  /** Hands over what waits; nothing, when nothing does. */
  take(): TypedEdits | null {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#timer = this.#frame = 0;
    if (this.#waiting.length === 0) return null;
    const end = this.end();
    const groups = this.#waiting.map(({ before, changes, by, name, apart }) => ({
      by,
      name,
      apart,
      edits: toFileEdits(changes, before, end),
    }));
    this.#waiting = [];
    this.#since = 0;
    const doc = this.doc();
    return { groups, length: doc.length + (end === "\n" ? 0 : doc.lines - 1) };
  }

  #schedule(): void {
    const now = performance.now();
    this.#since ||= now;
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#deliver());
    else if (this.#cost <= FRAME_BUDGET_MS)
      this.#frame ||= requestAnimationFrame(() => (this.#timer = setTimeout(() => this.#deliver())));
    else
      this.#timer = setTimeout(
        () => this.#deliver(),
        Math.min(this.#idleDelay(), Math.max(0, this.#since + MAX_DELAY_MS - now)),
      );
  }

  #idleDelay(): number {
    return Math.min(IDLE_DELAY_MS.max, Math.max(IDLE_DELAY_MS.min, IDLE_DELAY_MS.factor * this.#cost));
  }

  #deliver(): void {
    const begin = performance.now();
    this.deliver();
    // What the page draws because of it is done behind this turn, and belongs to the cost.
    setTimeout(() => (this.#cost = performance.now() - begin));
  }
}

function insertsNewline(changes: ChangeSet): boolean {
  let found = false;
  changes.iterChanges((_from, _to, _fromNow, _toNow, inserted) => void (found ||= inserted.lines > 1));
  return found;
}

/** What is no mere typing, by CodeMirror's names. */
const EVENT_NAMES: Readonly<Record<string, string>> = {
  "input.paste": "paste",
  "input.drop": "move",
  "move.drop": "move",
  "move.line": "move",
  "delete.cut": "cut",
  "delete.line": "delete",
  "input.replace": "replace",
  "input.replace.all": "replace",
  "input.complete": "complete",
  "input.copyline": "duplicate",
};

/** What a change is called where it can be undone, from what CodeMirror calls it. */
export function describeChange(spec: Pick<TransactionSpec, "userEvent">): { by: EditGroup["by"]; name: string } {
  const event = spec.userEvent ?? "";
  if (event.startsWith("command.")) return { by: "command", name: event.slice("command.".length) };
  const name = EVENT_NAMES[event];
  return name === undefined ? { by: "typing", name: "typing" } : { by: "command", name };
}
