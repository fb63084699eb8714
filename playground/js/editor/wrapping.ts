/**
 * Wraps long lines. The rest of a line stands below its first word, so the structure of the plan stays visible.
 *
 * The indent is a class, because the page's policy forbids styles in attributes.
 */
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** Deeper lines wrap as if they had this indent. `text.css` has a class for each even indent. */
const MAX_INDENT = 24;

const CLASSES = Array.from({ length: MAX_INDENT / 2 + 1 }, (_, half) => Decoration.line({ class: `wrap-${2 * half}` }));

/** Counts the dash of a list item, so that its keys stay aligned. */
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
