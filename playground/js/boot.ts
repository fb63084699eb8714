/** The page's beginning: loads the module that is the page, and says so when it can't. */
// @ts-expect-error Made by the build, beside the folder of these scripts.
import init from "../stepgraph-playground.js";
import { awaitSomebody } from "./rest";

try {
  await init({ module_or_path: new URL("../stepgraph-playground_bg.wasm", import.meta.url) });
  awaitSomebody();
} catch (error) {
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  said.textContent = `The page could not start: ${error instanceof Error ? error.message : String(error)}`;
  document.body.append(said);
  throw error;
}
