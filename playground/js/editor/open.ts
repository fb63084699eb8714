/** The way to the text pane, which is loaded apart from the page's module and beside it. */
import type { TextPane } from "./pane.js";
import type { Listener, Opening } from "./shape.js";

/** Makes the text pane in an element. */
export async function openText(parent: HTMLElement, opening: string, listener: Listener): Promise<TextPane> {
  const { TextPane } = await import("./pane.js");
  return new TextPane(parent, JSON.parse(opening) as Opening, listener);
}
