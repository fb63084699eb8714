/**
 * Runs `npm run try-extension`: tries the extension in a real editor, code-server, and takes screenshots.
 *
 * It is no stage of `npm test`: the first time it installs 400 MB, and it runs a whole editor for half a minute.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { packExtension } from "./extension.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail, step } from "./lib/progress.mjs";

const PROGRAM = {
  usage: "npm run try-extension",
  about: "Packs the extension and tries it in code-server. Needs the package and the page to be built.",
  options: {},
};

async function main() {
  readOptions(process.argv.slice(2), PROGRAM);
  await step("editors/vscode/dist/stepgraph.vsix", async () => void (await packExtension()));
  const args = ["--test", join("tests", "vscode", "extension.test.mjs")];
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;
}

await main().catch(fail);
