/**
 * Prepares a machine with git, rustup and Node to build the project. If all is there, this is quick and works offline.
 */
import { pathToFileURL } from "node:url";
import { rustToolchain } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { checkBasics, installPackages, installRust, installTool } from "./lib/tools.mjs";

/** Runs the set-up. Throws `UserError` with one clear sentence if the user has to do something. */
export async function setUp() {
  await step("git, rustup, Node", () => checkBasics());
  await step(`Rust ${rustToolchain().channel}`, installRust);
  await step("npm packages", installPackages);
  await step("the build tool", installTool);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await setUp().catch(fail);
