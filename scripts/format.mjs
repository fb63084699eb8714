/** `npm run format`: formats code and applies safe lint fixes. */
import { join } from "node:path";
import { run } from "./lib/command.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";
import { findCargo } from "./lib/tools.mjs";

const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");

async function main() {
  const about = "Formats Rust and scripts, and applies safe lint fixes.";
  readOptions(process.argv.slice(2), { usage: "npm run format -- [options]", about, options: {} });
  findCargo();
  await step("Rust", async () => void (await run("Formatting Rust", "cargo", ["fmt", "--all"])));
  const args = [biome, "check", "--write", "--error-on-warnings", "."];
  await step("scripts", async () => void (await run("Formatting scripts", process.execPath, args)));
}

await main().catch(fail);
