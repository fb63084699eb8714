/** Loads the text pane's separate script. */
import { allFiles } from "../page-file.js";
import { linkPane } from "./selection-link.js";
import type { TextPane } from "./pane.js";
import type { PaneListener, PaneOptions } from "./messages.js";

export function openText(
  parent: HTMLElement,
  opening: string,
  listener: PaneListener,
  ready: (pane: TextPane) => void,
  failed: (why: string) => void,
): void {
  Promise.all([import("./pane.js"), allFiles()])
    .then(([{ TextPane }]) => {
      const pane = new TextPane(parent, JSON.parse(opening) as PaneOptions, listener);
      linkPane(listener);
      ready(pane);
    })
    .catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
}
