/**
 * Puts the editor's styles and CodeMirror's into constructed stylesheets, because the security policy forbids
 * `<style>`.
 *
 * CodeMirror does so only in shadow roots. This mounts it in an unused one and shares the sheet.
 */
import { StyleModule } from "style-mod";
import own from "../../styles/editor.css";

/** Styles of cards, menus and fields. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(own);

/** Call before creating a view. */
export function allowStyles(): void {
  const shadow = document.createElement("div").attachShadow({ mode: "open" });
  StyleModule.mount(shadow, []);
  const known = new Set(Object.getOwnPropertySymbols(document));
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  for (const key of Object.getOwnPropertySymbols(shadow)) {
    if (!known.has(key)) Object.defineProperty(document, key, { value: Reflect.get(shadow, key) as unknown });
  }
}
