/**
 * Puts CodeMirror's styles into a constructed stylesheet, because a strict content security policy forbids `<style>`.
 *
 * CodeMirror uses such a sheet only in a shadow root. So this mounts it in an unused one and shares it with the
 * document, where the page's styles reach the pane.
 */
import { StyleModule } from "style-mod";

/** Call this before the first view is created. */
export function allowStyles(): void {
  const shadow = document.createElement("div").attachShadow({ mode: "open" });
  StyleModule.mount(shadow, []);
  const known = new Set(Object.getOwnPropertySymbols(document));
  for (const key of Object.getOwnPropertySymbols(shadow)) {
    if (!known.has(key)) Object.defineProperty(document, key, { value: Reflect.get(shadow, key) as unknown });
  }
}
