/** Loads the module of the page, or shows that it can't be loaded. */
// @ts-expect-error The build makes this file next to the folder of these scripts.
import init from "../stepgraph-playground.js";
import { showLoadError } from "./load-error.js";
import { pageFile } from "./page-file.js";
import { awaitFirstInteraction, prefetchIfNeeded } from "./deferred-module.js";

try {
  // The browser fetches both parts at the same time.
  const first = fetch(pageFile("../stepgraph-playground_bg.wasm", import.meta.url));
  first.catch(() => undefined);
  await prefetchIfNeeded();
  await init({ module_or_path: first });
  awaitFirstInteraction();
} catch (error) {
  showLoadError("page", error);
  throw error;
}
