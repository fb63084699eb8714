/**
 * Wraps long lines below their first word, to keep the structure visible. The indent is a class, because the page's
 * policy forbids style attributes.
 */
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { indentClass } from "./indent.js";

const lineDecorations = new Map<string, Decoration>();

function decorationOf(line: string): Decoration {
  const name = indentClass(line);
  let known = lineDecorations.get(name);
  if (known === undefined) lineDecorations.set(name, (known = Decoration.line({ class: name })));
  return known;
}

function indents(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  for (const { from, to } of view.visibleRanges)
    for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
      found.add(line.from, line.from, decorationOf(line.text));
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
