/**
 * Connects the selection of an embedded page with the page around it.
 *
 * The text pane already follows the canvas, and the canvas the cursor. So a page around them can act as another text
 * pane. Offsets count UTF-16 units of the text.
 */
import type { PaneListener } from "./messages.js";

let paneListener: PaneListener | null = null;
let selectionListener: ((start: number, end: number) => void) | null = null;

/** The text pane calls it when it is ready. */
export function linkPane(listener: PaneListener): void {
  paneListener = listener;
}

/** The text pane calls it when the user has selected an item outside of the text. */
export function itemSelected(start: number, end: number): void {
  selectionListener?.(start, end);
}

export function onItemSelected(listener: (start: number, end: number) => void): void {
  selectionListener = listener;
}

/** Selects the item at an offset. Does nothing while the pane is loading. */
export function selectItemAt(offset: number): void {
  paneListener?.("cursor", String(offset));
}
