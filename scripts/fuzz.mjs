/** `npm run fuzz`: longer random tests and fuzzing. See `docs/fuzzing.md`. */
import process from "node:process";
import { pathToFileURL } from "node:url";
import { start } from "./lib/children.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail } from "./lib/progress.mjs";
import { findCargo } from "./lib/tools.mjs";

export const PROGRAM = {
  usage: "npm run fuzz -- [options] [TARGET ...]",
  about: "Runs the random tests and the fuzzer for longer than npm test does: docs/fuzzing.md.",
  words: { TARGET: "searches only this target, such as `plan` or `condition`" },
  options: {
    "--runs": { value: "N", about: "tries so many inputs per target" },
    "--seconds": { value: "N", about: "tries inputs of each target for so long" },
    "--seed": { value: "N", about: "makes another search" },
    "--keep": { value: "FILE", about: "writes each input to a file before it is tried" },
  },
};

/** The fuzzer does not support `--name=value`. */
export function fuzzerArgs(args) {
  const { options, words } = readOptions(args, PROGRAM);
  return [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), ...words];
}

function cargo(args) {
  const env = { STEPGRAPH_SEARCH: "20", ...process.env };
  return new Promise((resolve, reject) => {
    const child = start("cargo", args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("close", resolve);
  });
}

async function main(args) {
  const asked = fuzzerArgs(args);
  findCargo();
  const tests = await cargo([
    "test",
    "-p",
    "stepgraph-core",
    "-p",
    "stepgraph-schema",
    "-p",
    "stepgraph-text",
    "-p",
    "stepgraph-tests",
    "--lib",
    "--test",
    "suite",
  ]);
  const fuzzer = await cargo(["run", "-p", "stepgraph-tests", "--bin", "fuzz", "--", ...asked]);
  process.exitCode = tests === 0 && fuzzer === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2)).catch(fail);
