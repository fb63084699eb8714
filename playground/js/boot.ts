/** The page's beginning: loads the module that is the page, and says when it can't. */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import init from "../stepgraph-playground.js";
import { tellBroken } from "./load-error.js";
import { awaitSomebody, restThatIsNeeded } from "./deferred-module.js";

try {
  // Both parts are fetched at the same time.
  const first = fetch(new URL("../stepgraph-playground_bg.wasm", import.meta.url));
  first.catch(() => undefined);
  await restThatIsNeeded();
  await init({ module_or_path: first });
  awaitSomebody();
} catch (error) {
  tellBroken("page", error);
  throw error;
}
