/** Loads the page's module, or shows the failure. */
// @ts-expect-error The build makes this file.
import init from "../stepgraph-playground.js";
import { showLoadError } from "./load-error.js";
import { pageFile } from "./page-file.js";
import { chooseLanguage, isSpanish } from "./page-language.js";
import { awaitFirstInteraction, prefetchIfNeeded } from "./deferred-module.js";

try {
  // Fetched in parallel.
  const first = fetch(pageFile("../stepgraph-playground_bg.wasm", import.meta.url));
  first.catch(() => undefined);
  chooseLanguage();
  // The module asks for them again.
  if (isSpanish()) import("./spanish/page-texts.js").catch(() => undefined);
  await prefetchIfNeeded();
  await init({ module_or_path: first });
  awaitFirstInteraction();
} catch (error) {
  showLoadError("page", error);
  throw error;
}
