/**
 * What is written at the right border. Left to itself the browser moves the whole text by one letter for each letter,
 * and the widest line makes it wider by one for each: both draw all of it anew, and have all its lines measured again.
 * Here room is made for many letters at once, and the text is moved by as many before the cursor gets there, as the
 * best known editors do.
 */
import type { Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** So near the border, in letters, the text is moved, and so far. */
const [MIN_MARGIN, SCROLL_STEP] = [2, 14];

/** From the right border to the cursor, and from the cursor back to where its line begins, in px. */
interface CursorMargin {
  readonly left: number;
  readonly written: number;
}

/** Sees to the right border, whatever is written there. */
export const horizontalScroll: Extension = ViewPlugin.fromClass(
  class {
    /** How much of a line there is room for, in px, as far as it is known. */
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

    /** Another text needs no room that this one took. */
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

/** What room there is for the cursor; nothing where it isn't drawn. */
function marginAt(view: EditorView, head: number): CursorMargin | null {
  const [cursor, pane] = [view.coordsAtPos(head), view.scrollDOM];
  if (!cursor) return null;
  const border = pane.getBoundingClientRect().left + pane.clientLeft + pane.clientWidth;
  return { left: border - cursor.left, written: cursor.left - view.contentDOM.getBoundingClientRect().left };
}
