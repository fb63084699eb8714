/** Loads the text pane's separate script. Until the first sign of a user, a preview stands for it. */
import { loadsAtOnce, onFirstSign } from "../deferred-module.js";
import { allFiles } from "../page-file.js";
import { linkPane } from "./selection-link.js";
import type { TextPane } from "./pane.js";
import type { PaneListener, PaneOptions } from "./messages.js";
import { TextPreview } from "./preview.js";

export function openText(
  parent: HTMLElement,
  opening: string,
  listener: PaneListener,
  ready: (pane: TextPane) => void,
  failed: (why: string) => void,
): void {
  const options = JSON.parse(opening) as PaneOptions;
  const preview = loadsAtOnce() ? undefined : new TextPreview(parent, options);
  const load = (): void => {
    Promise.all([import("./pane.js"), allFiles()])
      .then(([{ TextPane }]) => {
        const pane = new TextPane(parent, options, listener);
        const early = preview?.close();
        linkPane(listener);
        ready(pane);
        if (early) pane.resume(early);
      })
      .catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
  };
  if (preview) onFirstSign(load);
  else load();
}
