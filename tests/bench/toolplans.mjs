/**
 * Measures how well the engine judges tool plans without a model: precision and recall of `checkToolPlan`, per class of
 * faults.
 *
 *     node tests/bench/toolplans.mjs [FILE...] [--json] [--gate]
 *
 * Reads files of JSON lines `{id, tools, plan, fault?}`, by default those in `toolplans/`. README.md lists the forms.
 * Prints a table, the missed faults, the false alarms with their messages, and the lines that it could not read.
 * `--json` prints one object. `--gate` makes the exit code 1 if recall is below 99 % or there is a false alarm. Build
 * the package first.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkToolPlan, startSync } from "../../dist/package-internals.js";
import { entries } from "./toolplans/lines.mjs";
import { measure } from "./toolplans/score.mjs";
import { describe } from "./toolplans/table.mjs";

const dataFolder = new URL("toolplans/", import.meta.url);

/** Returns the files of this repository. */
export const ownFiles = () =>
  readdirSync(dataFolder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => fileURLToPath(new URL(name, dataFolder)));

/** Measures files. See `score.mjs` for the result. */
export const measureFiles = (files) => measure(entries(files), checkToolPlan);

/** Returns whether recall and false alarms meet the goals. */
export const isGood = ({ overall }) => overall.recall >= 0.99 && overall.false_alarms === 0;

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "boolean" }, gate: { type: "boolean" } },
  });
  startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url)));
  const found = await measureFiles(positionals.length > 0 ? positionals : ownFiles());
  console.log(values.json ? JSON.stringify(found, null, 2) : describe(found));
  if (values.gate && !isGood(found)) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    console.error(error.message);
    process.exitCode = 2;
  });
}
