/** Connects an embedded page's selection with its parent, which acts as another text pane. */
import type { PaneListener } from "./messages.js";

let paneListener: PaneListener | null = null;
let selectionListener: ((start: number, end: number) => void) | null = null;

/** Called by the ready text pane. */
export function linkPane(listener: PaneListener): void {
  paneListener = listener;
}

/** Called for selections outside of the text. */
export function itemSelected(start: number, end: number): void {
  selectionListener?.(start, end);
}

export function onItemSelected(listener: (start: number, end: number) => void): void {
  selectionListener = listener;
}

/** Does nothing during loading. */
export function selectItemAt(offset: number): void {
  paneListener?.("cursor", String(offset));
}
