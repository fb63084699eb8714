/**
 * Offsets of a text whose lines end with two units, in an editor whose lines end with one.
 *
 * Decides nothing; a place between the two units is the end of its line. The page sees to it that all lines of a text
 * end alike.
 */
import { Text, type ChangeSet } from "@codemirror/state";
import type { Edit } from "./messages.js";

/** How lines end. */
export type LineEnding = "\n" | "\r\n";

/** How the lines of a text end. */
export function lineEndingOf(text: string): LineEnding {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Halves of characters, which no file can hold. */
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text as the editor has it. */
export function toText(text: string): Text {
  return Text.of(text.split(/\r\n?|\n/));
}

/** The text's own offset of an offset in the editor. */
export function toFileOffset(doc: Text, at: number, end: LineEnding): number {
  return end === "\n" ? at : at + doc.lineAt(at).number - 1;
}

/** The editor's offset of an offset in the text. */
export function toEditorOffset(doc: Text, at: number, end: LineEnding): number {
  const most = Math.min(at, toFileOffset(doc, doc.length, end));
  if (end === "\n") return most;
  let [low, high] = [1, doc.lines];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (doc.line(middle).from + middle - 1 <= most) low = middle;
    else high = middle - 1;
  }
  return Math.min(most - (low - 1), doc.line(low).to);
}

/** Changes in the editor as edits of the text. */
export function toFileEdits(changes: ChangeSet, before: Text, end: LineEnding): Edit[] {
  const found: Edit[] = [];
  changes.iterChanges((from, to, _from, _to, inserted) => {
    const text = inserted.sliceString(0, inserted.length, end).replace(LONE_SURROGATES, "\ufffd");
    found.push({ start: toFileOffset(before, from, end), end: toFileOffset(before, to, end), text });
  });
  return found;
}

/** Edits of the text as changes in the editor. */
export function toEditorChanges(
  all: readonly Edit[],
  doc: Text,
  end: LineEnding,
): { from: number; to: number; insert: Text }[] {
  return all.map(({ start, end: stop, text }) => ({
    from: toEditorOffset(doc, start, end),
    to: toEditorOffset(doc, stop, end),
    insert: toText(text),
  }));
}
