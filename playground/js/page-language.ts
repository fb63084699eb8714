/** The page's language, which `<html lang>` says. The start decides it once, and the page's module changes it. */

const LAYOUT_KEY = "stepgraph.frame";
/** Of the words in the stored layout: see `playground/src/page_layout.rs`. */
const LANGUAGE_WORD = 5;

export function isSpanish(tag = document.documentElement.lang): boolean {
  return /^es(-|$)/i.test(tag);
}

/** The address counts most, then the user's choice, then the browser. */
export function chooseLanguage(): void {
  const { documentElement: root } = document;
  const asked = new URLSearchParams(root.dataset.settings ?? location.search).get("lang");
  const tag = asked ?? (storedLanguage() || navigator.language);
  root.lang = isSpanish(tag) ? "es" : "en";
}

function storedLanguage(): string {
  try {
    return localStorage.getItem(LAYOUT_KEY)?.split(" ")[LANGUAGE_WORD] ?? "";
  } catch {
    return "";
  }
}
