/**
 * Wraps long lines below their first word, to keep the structure visible. The indent is a class, because the page's
 * policy forbids style attributes.
 */
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** Deeper lines use it. `text.css` has a class per even indent. */
const MAX_INDENT = 24;

const CLASSES = Array.from({ length: MAX_INDENT / 2 + 1 }, (_, half) => Decoration.line({ class: `wrap-${2 * half}` }));

/** Counts list dashes, which aligns keys. */
function indentOf(line: string): number {
  return /^ *(?:- +)*/.exec(line)![0].length;
}

function indents(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  for (const { from, to } of view.visibleRanges)
    for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
      const indent = Math.min(indentOf(line.text), MAX_INDENT);
      found.add(line.from, line.from, CLASSES[indent >> 1]!);
      if (line.to >= to || line.number === doc.lines) break;
    }
  return found.finish();
}

const indentPlugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = indents(view);
    }

    update({ view, docChanged, viewportChanged }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = indents(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export const wrapping: Extension = [EditorView.lineWrapping, indentPlugin];
