/** Prepares a machine with git, rustup and Node, offline if all is there. */
import { pathToFileURL } from "node:url";
import { rustToolchain } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { checkBasics, installPackages, installRust, installTool } from "./lib/tools.mjs";

/** Throws `UserError` if the user has to act. */
export async function setUp() {
  await step("git, rustup, Node", () => checkBasics());
  await step(`Rust ${rustToolchain().channel}`, installRust);
  await step("npm packages", installPackages);
  await step("the build tool", installTool);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await setUp().catch(fail);
