/**
 * Runs test files in parallel, the longest first, also by hand: `node scripts/lib/node-tests.mjs tests/e2e`.
 *
 * Tests mostly wait for other programs, so there are more slots than processors, shared by all folders.
 */
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { attempt } from "./command.mjs";
import { add, countNode, NO_TESTS } from "./test-counts.mjs";
import { nodeFailures, programFailure } from "./failures.mjs";
import { root } from "./paths.mjs";

const SLOTS = Math.max(2, 2 * availableParallelism());

export const SLOW_FILES = [
  "tests/e2e/gallery.test.mjs",
  "tests/e2e/accessibility.test.mjs",
  "tests/e2e/shell.test.mjs",
  "tests/e2e/text.test.mjs",
  "tests/e2e/canvas.test.mjs",
  "tests/e2e/run.test.mjs",
  "tests/cli/plan.test.mjs",
  "tests/cli/servers.test.mjs",
  "tests/cli/keys.test.mjs",
  "tests/cli/runs-stored.test.mjs",
  "tests/parity/real-model-plans.test.mjs",
  "tests/parity/drivers.test.mjs",
  "tests/parity/suite.test.mjs",
  "tests/parity/otel-page.test.mjs",
  "tests/durable/restate.test.mjs",
  "tests/package/runtimes.test.mjs",
];

/** An open handle may keep a failed file running. The longest take a third of this beside everything else. */
const LIMIT_MS = 1_800_000;

const MAX_LISTED = 5;

let freeSlots = SLOTS;
const waitingForSlot = [];

/**
 * `env` extends the environment, `only` matches paths. A folder without tests fails, so that moved suites are noticed.
 */
export async function nodeTests(folder, { concurrency = SLOTS, env = {}, only = /./ } = {}) {
  const files = testsOf(folder).filter((file) => only.test(file.replaceAll("\\", "/")));
  if (files.length === 0) {
    const output = `${folder} holds no *.test.mjs`;
    return { counts: { passed: 0, failed: 1 }, output, ...programFailure(`ls ${folder}`, output) };
  }
  const left = [...files].sort((a, b) => rank(a) - rank(b));
  const ran = new Map();
  const worker = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift())
      ran.set(file, await withSlot(() => runTestFile(file, env)));
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, files.length) }, worker));
  const all = files.map((file) => ran.get(file));
  const failed = all.filter(({ counts }) => counts.failed > 0);
  return {
    counts: all.map(({ counts }) => counts).reduce(add, NO_TESTS),
    brief: failed.map(({ file, brief }) => `▸ ${file}\n${brief.trimEnd()}\n`).join("\n"),
    failures: failed.flatMap(({ failures }) => failures),
    output: `${all.map(({ output }) => output.trimEnd()).join("\n")}\n${slowestTests(all)}`,
  };
}

function testsOf(folder) {
  const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true }) : [];
  return names
    .filter((name) => name.endsWith(".test.mjs"))
    .sort()
    .map((name) => join(folder, name));
}

function rank(file) {
  const at = SLOW_FILES.indexOf(file.replaceAll("\\", "/"));
  return at < 0 ? SLOW_FILES.length : at;
}

async function withSlot(work) {
  if (freeSlots > 0) freeSlots--;
  else await new Promise((resolve) => waitingForSlot.push(resolve));
  try {
    return await work();
  } finally {
    const next = waitingForSlot.shift();
    if (next) next();
    else freeSlots++;
  }
}

/** `node --test` would only add a process. */
async function runTestFile(file, env) {
  const started = performance.now();
  // Otherwise the reporter writes for machines.
  const alone = { ...env, NODE_TEST_CONTEXT: undefined };
  const done = await attempt(process.execPath, ["--test-reporter=spec", file], { env: alone, limitMs: LIMIT_MS });
  const counts = countNode(done.all, done.code === 0);
  const output = `▸ ${file}\n${done.all}`;
  return { file, counts, output, ...nodeFailures(file, done.all), ms: performance.now() - started };
}

function slowestTests(all) {
  const long = [...all].sort((a, b) => b.ms - a.ms).slice(0, MAX_LISTED);
  const lines = long.map(({ file, ms }) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  return `the slowest of ${all.length} files:\n${lines.join("\n")}\n`;
}

async function main([folder, concurrency]) {
  const { counts, output } = await nodeTests(folder, concurrency ? { concurrency: Number(concurrency) } : {});
  process.stdout.write(`${output}\n${counts.passed} passed, ${counts.failed} failed\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
