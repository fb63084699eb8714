/** The page's beginning: loads the module that is the page, and says when it can't. */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import init from "../stepgraph-playground.js";
import { showLoadError } from "./load-error.js";
import { awaitFirstInteraction, prefetchIfNeeded } from "./deferred-module.js";

try {
  // Both parts are fetched at the same time.
  const first = fetch(new URL("../stepgraph-playground_bg.wasm", import.meta.url));
  first.catch(() => undefined);
  await prefetchIfNeeded();
  await init({ module_or_path: first });
  awaitFirstInteraction();
} catch (error) {
  showLoadError("page", error);
  throw error;
}
