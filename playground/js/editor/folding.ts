/** Folds and indents by nearby lines only, which is fast and works in broken text. */
import {
  codeFolding,
  foldable,
  foldEffect,
  foldedRanges,
  foldService,
  indentService,
  indentUnit,
  unfoldEffect,
} from "@codemirror/language";
import type { Extension, Line, Text } from "@codemirror/state";
import { type EditorView, gutter, GutterMarker } from "@codemirror/view";
import { indentOf } from "./lexer.js";

const isBlank = (text: string): boolean => text.trim() === "";
/** Dashes may be at their key's column. */
const isItem = (text: string): boolean => /^ *- /.test(text);

function nextContentLine(doc: Text, number: number): Line | null {
  for (let at = number + 1; at <= Math.min(doc.lines, number + 50); at++)
    if (!isBlank(doc.line(at).text)) return doc.line(at);
  return null;
}

function isDeeper(text: string, than: string): boolean {
  const [inner, outer] = [indentOf(text), indentOf(than)];
  return inner > outer || (inner === outer && isItem(text) && !isItem(than) && /:\s*(#.*)?$/.test(than));
}

/** Deeper lines. */
export function foldRange(doc: Text, from: number): { from: number; to: number } | null {
  const head = doc.lineAt(from);
  const first = isBlank(head.text) ? null : nextContentLine(doc, head.number);
  if (!first || !isDeeper(first.text, head.text)) return null;
  let [at, last] = [head.to + 1, first.to];
  for (const text of doc.iterLines(head.number + 1)) {
    if (!isBlank(text)) {
      if (!isDeeper(text, head.text)) break;
      last = at + text.length;
    }
    at += text.length + 1;
  }
  return { from: head.to, to: last };
}

export function indentation(before: string, unit: number): number | null {
  const own = /^ *(?:- +)*/.exec(before)![0].length;
  const content = before.replace(/(^|\s)#.*$/, "").trimEnd();
  if (isBlank(before)) return before.length;
  if (/(?::|[[{(]|(?::|-)\s+[|>][-+\d]*)$/.test(content) || /^\s*-$/.test(content)) return own + unit;
  return /^ *- +[^\s'"[{][^'"]*?: /.test(before) ? own : indentOf(before);
}

class FoldArrow extends GutterMarker {
  constructor(readonly folded: boolean) {
    super();
  }

  override eq(other: FoldArrow): boolean {
    return other.folded === this.folded;
  }

  override toDOM(): Node {
    const arrow = document.createElement("span");
    arrow.className = this.folded ? "fold-arrow is-folded" : "fold-arrow";
    return arrow;
  }
}

const arrows = [new FoldArrow(false), new FoldArrow(true)] as const;

function foldedAt({ state }: EditorView, from: number, to: number): { from: number; to: number } | null {
  let found = null;
  foldedRanges(state).between(
    from,
    to,
    (start, end) => void (start >= from && start <= to && (found = { from: start, to: end })),
  );
  return found;
}

const foldColumn = gutter({
  class: "cm-fold-column",
  // Searching the full fold at every key would be slow.
  lineMarker(view, { from, to }) {
    if (foldedAt(view, from, to)) return arrows[1];
    const head = view.state.doc.lineAt(from);
    const first = isBlank(head.text) ? null : nextContentLine(view.state.doc, head.number);
    return first && isDeeper(first.text, head.text) ? arrows[0] : null;
  },
  lineMarkerChange: ({ startState, state }) => foldedRanges(startState) !== foldedRanges(state),
  initialSpacer: () => arrows[0],
  domEventHandlers: {
    click(view, { from, to }) {
      const folded = foldedAt(view, from, to);
      const range = folded ?? foldable(view.state, from, to);
      if (range) view.dispatch({ effects: (folded ? unfoldEffect : foldEffect).of(range) });
      return range !== null;
    },
  },
});

export const foldingAndIndentation: Extension = [
  indentUnit.of("  "),
  indentService.of(({ state, unit, simulatedBreak }, at) => {
    const { doc } = state;
    const line = doc.lineAt(at);
    const breaks = simulatedBreak ?? -1;
    if (breaks > line.from) return indentation(line.text.slice(0, breaks - line.from), unit);
    return line.number === 1 ? 0 : indentation(doc.line(line.number - 1).text, unit);
  }),
  foldService.of(({ doc }, from) => foldRange(doc, from)),
  codeFolding({ placeholderText: "…" }),
  foldColumn,
];
