/**
 * `npm run fuzz`: the random searches of the tests and the fuzzer, for longer than `npm test` does.
 *
 * Arguments go to the fuzzer. `STEPGRAPH_SEARCH` says how many times as much is tried; `docs/fuzzing.md` tells more.
 */
import process from "node:process";
import { pathToFileURL } from "node:url";
import { start } from "./lib/children.mjs";
import { readOptions } from "./lib/options.mjs";
import { root } from "./lib/paths.mjs";
import { fail } from "./lib/progress.mjs";
import { findCargo } from "./lib/tools.mjs";

/** The options of this program, which are those of the fuzzer. */
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

/** Returns the arguments of the fuzzer, which knows no `--name=value`. */
export function fuzzerArgs(args) {
  const { options, words } = readOptions(args, PROGRAM);
  return [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), ...words];
}

/** Runs cargo on this terminal, and returns its exit code. */
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
  // The core has random tests of its own. The whole suite, since a list of its random tests would not grow with them.
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
  // What breaks in one search is no reason to leave out the other.
  const fuzzer = await cargo(["run", "-p", "stepgraph-tests", "--bin", "fuzz", "--", ...asked]);
  process.exitCode = tests === 0 && fuzzer === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2)).catch(fail);
