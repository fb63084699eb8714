/**
 * Puts CodeMirror's styles into a constructed stylesheet, because the security policy forbids `<style>`.
 *
 * CodeMirror does so only in shadow roots. This mounts it in an unused one and shares the sheet.
 */
import { StyleModule } from "style-mod";

/** Call before creating a view. */
export function allowStyles(): void {
  const shadow = document.createElement("div").attachShadow({ mode: "open" });
  StyleModule.mount(shadow, []);
  const known = new Set(Object.getOwnPropertySymbols(document));
  for (const key of Object.getOwnPropertySymbols(shadow)) {
    if (!known.has(key)) Object.defineProperty(document, key, { value: Reflect.get(shadow, key) as unknown });
  }
}
