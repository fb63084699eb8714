/**
 * `npm run fuzz`: the random searches of the tests and the fuzzer, for longer than `npm test` does.
 *
 * Arguments go to the fuzzer. `STEPGRAPH_SEARCH` says how many times as much is tried; `docs/fuzzing.md` tells more.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { root } from "./lib/places.mjs";

const env = { STEPGRAPH_SEARCH: "20", ...process.env };
// The whole suite, since a list of its random tests would not grow with them.
const commands = [
  ["test", "-p", "stepgraph-tests", "--test", "suite"],
  ["run", "-p", "stepgraph-tests", "--bin", "fuzz", "--", ...process.argv.slice(2)],
];

// What breaks in one search is no reason to leave out the other.
const broken = commands.filter((args) => spawnSync("cargo", args, { cwd: root, env, stdio: "inherit" }).status !== 0);
process.exitCode = broken.length > 0 ? 1 : 0;
