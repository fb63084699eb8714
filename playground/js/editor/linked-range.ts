/** Highlights the text of the canvas selection. */
import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

export interface LinkedRange {
  readonly from: number;
  readonly to: number;
}

export const setLinkedRange = StateEffect.define<LinkedRange | null>();

const line = Decoration.line({ class: "cm-linked" });

const field = StateField.define<LinkedRange | null>({
  create: () => null,
  update(part, { changes, effects }) {
    const rangeEffect = effects.findLast((effect) => effect.is(setLinkedRange));
    if (rangeEffect) return rangeEffect.value;
    return (
      part && {
        from: changes.mapPos(part.from, 1),
        to: Math.max(changes.mapPos(part.from, 1), changes.mapPos(part.to, -1)),
      }
    );
  },
});

export const linkedRange: Extension = [
  field,
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet = Decoration.none;

      update({ view, startState, docChanged, viewportChanged }: ViewUpdate): void {
        if (docChanged || viewportChanged || startState.field(field) !== view.state.field(field))
          this.decorations = decorate(view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
];

function decorate({ state, visibleRanges }: EditorView): DecorationSet {
  const part = state.field(field);
  if (!part) return Decoration.none;
  const found: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    const last = state.doc.lineAt(Math.min(to, part.to)).number;
    for (let number = state.doc.lineAt(Math.max(from, part.from)).number; number <= last; number++)
      found.push(line.range(state.doc.line(number).from));
  }
  return Decoration.set(found);
}
