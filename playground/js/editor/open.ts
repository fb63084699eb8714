/** The way to the text pane, which is loaded apart from the page's module and beside it. */
import type { TextPane } from "./pane.js";
import type { PaneListener, PaneOptions } from "./messages.js";

/** Makes the text pane in an element, and hands it over when it is there; or says why it can't be. */
export function openText(
  parent: HTMLElement,
  opening: string,
  listener: PaneListener,
  ready: (pane: TextPane) => void,
  failed: (why: string) => void,
): void {
  import("./pane.js")
    .then(({ TextPane }) => ready(new TextPane(parent, JSON.parse(opening) as PaneOptions, listener)))
    .catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
}
