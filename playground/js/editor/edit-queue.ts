/**
 * Queues edits, so no keystroke waits for the page.
 *
 * Delivers after a frame, or after a pause if the page is slow. Code that changes the plan takes them first.
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

const FRAME_BUDGET_MS = 6;
/** `factor` times a delivery's cost, within limits. */
const IDLE_DELAY_MS = { min: 120, max: 400, factor: 3 };
/** Applies even without a pause. */
const MAX_DELAY_MS = 4_000;

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

  /** Typing joins the last group, except newlines. */
  add(changes: ChangeSet, before: Text, by: EditGroup["by"], name: string): void {
    const last = this.#waiting.at(-1);
    const joins = last && by === "typing" && last.by === by && !this.#apart && !insertsNewline(changes);
    if (joins) last.changes = last.changes.compose(changes);
    else this.#waiting.push({ before, changes, by, name, apart: this.#apart });
    this.#apart = false;
    if (by === "typing") this.#lastInput = performance.now();
    this.#schedule();
  }

  /** After a cursor move, undo has a new step. */
  startGroup(): void {
    this.#apart = true;
  }

  /** The time until a pause of `ms`. */
  idleIn(ms: number): number {
    return Math.max(0, this.#lastInput + ms - performance.now());
  }

  /** Maps an offset of the page's text to the current one. */
  map(at: number, side: -1 | 1): number {
    return this.#waiting.reduce((at, { changes }) => changes.mapPos(Math.min(at, changes.length), side), at);
  }

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
    // Includes drawing after this task.
    setTimeout(() => (this.#cost = performance.now() - begin));
  }
}

function insertsNewline(changes: ChangeSet): boolean {
  let found = false;
  changes.iterChanges((_from, _to, _fromNow, _toNow, inserted) => void (found ||= inserted.lines > 1));
  return found;
}

/** Commands by CodeMirror's user event. */
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

export function describeChange(spec: Pick<TransactionSpec, "userEvent">): { by: EditGroup["by"]; name: string } {
  const event = spec.userEvent ?? "";
  if (event.startsWith("command.")) return { by: "command", name: event.slice("command.".length) };
  const name = EVENT_NAMES[event];
  return name === undefined ? { by: "typing", name: "typing" } : { by: "command", name };
}
