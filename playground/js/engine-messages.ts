/**
 * Shows messages of the engine in the page's language. Spanish texts are a script of their own, loaded for Spanish.
 *
 * Invariant: a message stays English until the script is there, and if it can't be loaded.
 */
import { isSpanish } from "./page-language.js";

type Translator = typeof import("./spanish/engine-texts.js");

let translator: Translator | undefined;
let loading: Promise<void> | undefined;

/** Loads what a language needs. Retries after a failure. */
export function loadEngineMessages(lang: string): Promise<void> {
  if (!isSpanish(lang)) return Promise.resolve();
  loading ??= import("./spanish/engine-texts.js").then(
    (module) => void (translator = module),
    () => void (loading = undefined),
  );
  return loading;
}

/** Returns a message or a help in a language. The code may be empty. */
export function engineMessage(lang: string, code: string, text: string): string {
  if (!isSpanish(lang) || !translator) return text;
  return code === "undo/name" ? translator.translateStep(text) : translator.translateMessage(code, text);
}

/** Returns an action's title in a language. */
export function engineTitle(lang: string, title: string): string {
  return isSpanish(lang) && translator ? translator.translateTitle(title) : title;
}

/** Returns the Markdown of a hover or a completion in a language. */
export function editorMarkdown(lang: string, markdown: string): string {
  return isSpanish(lang) && translator ? translator.translateMarkdown(markdown) : markdown;
}

/** Returns the short text of a completion in a language. */
export function completionDetail(lang: string, kind: string, detail: string): string {
  return isSpanish(lang) && translator ? translator.translateDetail(kind, detail) : detail;
}
