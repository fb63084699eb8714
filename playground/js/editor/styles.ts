/**
 * Where CodeMirror's own styles go: into a sheet that scripts make, since a strict policy forbids `<style>` elements.
 *
 * It makes such a sheet by itself for a shadow root only. So it is asked to make one for a shadow root that nobody
 * sees, and the document is told to use the same. The pane itself stays in the document, where its label, its
 * description and the page's own styles reach it.
 */
import { StyleModule } from "style-mod";

/** Sees to it that styles are put where the page's policy allows them; before the first view is made. */
export function allowStyles(): void {
  const shadow = document.createElement("div").attachShadow({ mode: "open" });
  StyleModule.mount(shadow, []);
  const known = new Set(Object.getOwnPropertySymbols(document));
  for (const key of Object.getOwnPropertySymbols(shadow)) {
    if (!known.has(key)) Object.defineProperty(document, key, { value: Reflect.get(shadow, key) as unknown });
  }
}
