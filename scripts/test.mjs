/**
 * `npm test`: set-up, then every check of the project, cheapest first.
 *
 * A stage's output is shown when it fails, or always with `--verbose`. A failure does not stop the stages that do not
 * depend on it. The last line is `N passed, N failed`, over the tests of all stages; a stage that counts nothing itself
 * is one test.
 */
import { performance } from "node:perf_hooks";
import { build } from "./build.mjs";
import { countCargo, countOne, add, none } from "./lib/count.mjs";
import { attempt, Trouble } from "./lib/command.mjs";
import { nodeTests } from "./lib/node-tests.mjs";
import { buildPage } from "./playground.mjs";
import { fail, seconds } from "./lib/progress.mjs";
import { setUp } from "./setup.mjs";

const verbose = process.argv.includes("--verbose");
const warnings = ["--", "-D", "warnings"];
const locked = process.env.CI ? ["--locked"] : [];

/** What is checked, in order. A stage with `needs` is left out when the stage of that name failed. */
const stages = [
  { name: "format", work: () => cargo(["fmt", "--all", "--check"]) },
  { name: "clippy, native", work: () => cargo(["clippy", "--workspace", "--all-targets", ...locked, ...warnings]) },
  {
    name: "clippy, wasm32",
    work: () =>
      cargo([
        "clippy",
        "-p",
        "stepgraph-core",
        "-p",
        "stepgraph-wasm",
        "-p",
        "stepgraph-editor",
        "-p",
        "stepgraph-playground",
        "--target",
        "wasm32-unknown-unknown",
        ...locked,
        ...warnings,
      ]),
  },
  { name: "Rust tests", work: () => cargo(["test", "--workspace", "--no-fail-fast", ...locked], countCargo) },
  {
    name: "fuzz",
    work: () => cargo(["run", "-p", "stepgraph-tests", "--bin", "fuzz", ...locked, "--", "--runs", "50000"]),
  },
  { name: "scripts", work: () => nodeTests("tests/scripts") },
  { name: "build", work: () => building(build) },
  { name: "wasm tests", needs: "build", work: () => nodeTests("tests/parity") },
  {
    name: "types",
    needs: "build",
    work: () => node(["node_modules/typescript/bin/tsc", "-p", "tests/types"], countOne),
  },
  {
    name: "the page's types",
    needs: "build",
    work: () => node(["node_modules/typescript/bin/tsc", "-p", "playground"], countOne),
  },
  { name: "durable", needs: "build", work: () => nodeTests("tests/durable") },
  { name: "conformance", needs: "build", work: () => nodeTests("tests/conformance") },
  { name: "command", needs: "build", work: () => nodeTests("tests/cli") },
  { name: "packaging", needs: "build", work: () => nodeTests("tests/package") },
  { name: "page", needs: "build", work: () => building(() => buildPage()) },
  { name: "page's scripts", needs: "page", work: () => nodeTests("tests/playground") },
  { name: "end to end", needs: "page", work: () => nodeTests("tests/e2e") },
];

/** Runs every stage and gives the sum of their tests. */
async function check() {
  const failed = new Set();
  let total = none;
  for (const stage of stages) {
    if (failed.has(stage.needs)) {
      process.stdout.write(`- ${stage.name}  left out, for ${stage.needs} failed\n`);
      continue;
    }
    const started = performance.now();
    process.stdout.write(`· ${stage.name} …\n`);
    const { counts, output } = await stage.work();
    total = add(total, counts);
    if (counts.failed > 0) failed.add(stage.name);
    if (counts.failed > 0 || verbose) process.stdout.write(`\n${output.trimEnd()}\n\n`);
    process.stdout.write(
      `${counts.failed > 0 ? "✗" : "✓"} ${stage.name}  ${seconds(started)}  ${counts.passed} passed, ${counts.failed} failed\n`,
    );
  }
  return total;
}

async function cargo(args, count = countOne) {
  return counted(await attempt("cargo", args), count);
}

async function node(args, count) {
  return counted(await attempt(process.execPath, args), count);
}

async function building(make) {
  try {
    await make();
    return { counts: { passed: 1, failed: 0 }, output: "" };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return { counts: { passed: 0, failed: 1 }, output: `${error.output}\n${error.message}` };
  }
}

function counted(done, count) {
  return { counts: count(done.all, done.code === 0), output: done.all };
}

async function main() {
  await setUp();
  const { passed, failed } = await check();
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await main().catch(fail);
