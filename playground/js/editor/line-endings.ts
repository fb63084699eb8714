/**
 * Converts offsets between a CRLF file and the editor, where line ends are one unit.
 *
 * An offset inside CRLF maps to the line's end. All lines end alike.
 */
import { Text, type ChangeSet } from "@codemirror/state";
import type { Edit } from "./messages.js";

export type LineEnding = "\n" | "\r\n";

export function lineEndingOf(text: string): LineEnding {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Not encodable in a file. */
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function toText(text: string): Text {
  return Text.of(text.split(/\r\n?|\n/));
}

export function toFileOffset(doc: Text, at: number, end: LineEnding): number {
  return end === "\n" ? at : at + doc.lineAt(at).number - 1;
}

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

export function toFileEdits(changes: ChangeSet, before: Text, end: LineEnding): Edit[] {
  const found: Edit[] = [];
  changes.iterChanges((from, to, _from, _to, inserted) => {
    const text = inserted.sliceString(0, inserted.length, end).replace(LONE_SURROGATES, "\ufffd");
    found.push({ start: toFileOffset(before, from, end), end: toFileOffset(before, to, end), text });
  });
  return found;
}

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
