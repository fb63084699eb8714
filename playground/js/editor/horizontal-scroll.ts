/** Scrolls in steps at the right edge. A scroll per character would redraw all lines at each key. */
import type { Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** The trigger margin and the step, in characters. */
const [MIN_MARGIN, SCROLL_STEP] = [2, 14];

/** Distance of the cursor from the right edge and the line's start, in px. */
interface CursorMargin {
  readonly left: number;
  readonly written: number;
}

export const horizontalScroll: Extension = ViewPlugin.fromClass(
  class {
    /** In px. 0: unknown. */
    visibleWidth = 0;

    constructor(readonly view: EditorView) {}

    update({ view, transactions, changes, docChanged, geometryChanged, startState }: ViewUpdate): void {
      if (geometryChanged && !docChanged) this.visibleWidth = 0;
      if (docChanged && changes.touchesRange(0, startState.doc.length) === "cover") this.#forget();
      if (view.lineWrapping || !transactions.some((transaction) => transaction.isUserEvent("input"))) return;
      const {
        doc,
        selection: {
          main: { head },
        },
      } = view.state;
      const letter = view.defaultCharacterWidth;
      const written = (head - doc.lineAt(head).from) * letter;
      if (written + MIN_MARGIN * letter < this.visibleWidth) return;
      view.requestMeasure({
        key: this,
        read: () => marginAt(view, head),
        write: (margin) => {
          this.visibleWidth = margin ? written + margin.left : 0;
          if (margin && margin.left < MIN_MARGIN * letter) this.#move(margin, letter);
        },
      });
    }

    #move({ left, written }: CursorMargin, letter: number): void {
      const { scrollDOM: pane } = this.view;
      pane.style.setProperty("--written", `${Math.ceil(written + (SCROLL_STEP + 2 * MIN_MARGIN) * letter)}px`);
      pane.scrollLeft += SCROLL_STEP * letter - left;
    }

    /** New text needs no reserved space. */
    #forget(): void {
      this.visibleWidth = 0;
      this.view.scrollDOM.style.removeProperty("--written");
    }

    destroy(): void {
      this.#forget();
    }
  },
  {
    eventHandlers: {
      scroll() {
        this.visibleWidth = 0;
      },
    },
  },
);

/** Null if the cursor is not drawn. */
function marginAt(view: EditorView, head: number): CursorMargin | null {
  const [cursor, pane] = [view.coordsAtPos(head), view.scrollDOM];
  if (!cursor) return null;
  const border = pane.getBoundingClientRect().left + pane.clientLeft + pane.clientWidth;
  return { left: border - cursor.left, written: cursor.left - view.contentDOM.getBoundingClientRect().left };
}
