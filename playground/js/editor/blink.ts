/**
 * The cursor's blinking, by a clock of its own. CodeMirror has an animation for it, which the browser draws anew sixty times a second as
 * long as somebody may write; every letter then waits for the next of these frames.
 */
import { drawSelection, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { Extension } from "@codemirror/state";

/** For so long it is seen, and for so long it is not. */
const HALF_MS = 600;

const blink = ViewPlugin.fromClass(class {
  #clock = 0;

  constructor(readonly view: EditorView) {
    this.#begin();
  }

  update({ docChanged, selectionSet, focusChanged }: ViewUpdate): void {
    if (docChanged || selectionSet || focusChanged) this.#begin();
  }

  /** Whoever has just written or moved sees where he is. */
  #begin(): void {
    this.#show(true);
    clearInterval(this.#clock);
    let seen = true;
    this.#clock = this.view.hasFocus ? setInterval(() => this.#show((seen = !seen)), HALF_MS) : 0;
  }

  #show(seen: boolean): void {
    this.view.scrollDOM.querySelector(".cm-cursorLayer")?.classList.toggle("is-dark", !seen);
  }

  destroy(): void {
    clearInterval(this.#clock);
  }
});

/** The drawn selection and its cursor. */
export const selection: Extension = [drawSelection({ cursorBlinkRate: 0 }), blink];
