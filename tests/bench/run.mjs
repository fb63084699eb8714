// Runs `npm run bench`. It measures nothing itself: every figure comes from its own process.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { budgets } from "./budgets.mjs";
import { drawing, drawingTable } from "./drawing.mjs";
import { expressions, expressionTable } from "./expressions/run.mjs";
import { layouts, layoutTable, plainTotals, QUICK_LAYOUTS } from "./layout.mjs";
import { readOptions, USAGE } from "./options.mjs";
import { runAlone } from "./process.mjs";
import { best, median } from "./sampler.mjs";
import { sizes } from "./sizes.mjs";
import {
  budgetTable,
  cellTables,
  growthTable,
  parsingTable,
  serviceTable,
  sizeTable,
  snapshotTable,
  startupTable,
  typingTable,
} from "./report.mjs";
import { values, valuesTable } from "./values/run.mjs";
import { KINDS } from "./workloads.mjs";

const benchFolder = fileURLToPath(new URL(".", import.meta.url));
const script = (name) => `${benchFolder}${name}`;
const printProgress = (text) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);

function installPeers() {
  if (existsSync(`${benchFolder}node_modules`)) return;
  printProgress("installing the peers of the benchmark\n");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // `npm ci` would refuse a lock file without ZEN's builds for other platforms, and some registries do not have them.
  execFileSync(npm, ["install", "--no-save"], {
    cwd: benchFolder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
}

/** Passes are interleaved: A B C, A B C. A failed cell is not retried. */
async function measureCells({ engines, workloads, passes, timeoutMs, flags }) {
  const cells = workloads.flatMap((workload) =>
    KINDS.flatMap((kind) =>
      engines.map((engine) => ({
        engine: engine.name,
        file: engine.file,
        unit: engine.unit,
        workload,
        kind,
        results: [],
      })),
    ),
  );
  const skipped = new Map();
  for (let pass = 1; pass <= passes; pass++) {
    for (const cell of cells) {
      if (skipped.has(cell.file) || cell.results.some((it) => it.failure)) continue;
      printProgress(`pass ${pass} of ${passes}: ${cell.engine} ${cell.workload} ${cell.kind}`);
      const result = await runAlone(
        script("measure.mjs"),
        [cell.engine, cell.workload, cell.kind, ...flags],
        timeoutMs,
      );
      if (result.unavailable) skipped.set(cell.file, result.unavailable);
      else cell.results.push(result);
    }
  }
  return { cells: cells.filter((cell) => !skipped.has(cell.file)).map(summary), skipped: Object.fromEntries(skipped) };
}

function summary({ engine, unit, workload, kind, results }) {
  const failed = results.find((it) => it.failure);
  if (failed) return { engine, unit, workload, kind, failure: failed.failure };
  const wall = results.flatMap((it) => it.wallUs);
  return {
    engine,
    unit,
    workload,
    kind,
    best: best(wall),
    median: median(wall),
    cpu: median(results.flatMap((it) => it.cpuUs)),
    samples: wall.length,
  };
}

async function measureStartup({ engines, quick, timeoutMs }, skipped) {
  const files = ["bare", ...new Set(engines.map((it) => it.file))].filter((file) => !(file in skipped));
  const found = new Map(files.map((file) => [file, []]));
  for (let round = 0; round < (quick ? 3 : 9); round++) {
    for (const file of files) {
      printProgress(`start-up: ${file}`);
      found.get(file).push(await runAlone(script("startup.mjs"), [file], timeoutMs));
    }
  }
  const middle = (file, key) => median(found.get(file).map((it) => it[key]));
  return files.map((file) => {
    const failed = found.get(file).find((it) => it.failure);
    if (failed) return { engine: file, failure: failed.failure };
    const base =
      file === "bare" ? { cpuMs: 0, rssMb: 0 } : { cpuMs: middle("bare", "cpuMs"), rssMb: middle("bare", "rssMb") };
    return { engine: file, cpuMs: middle(file, "cpuMs") - base.cpuMs, rssMb: middle(file, "rssMb") - base.rssMb };
  });
}

async function measureParsing({ timeoutMs, flags }) {
  const rows = [];
  for (const format of ["yaml", "json"]) {
    for (const nodes of [1000, 10_000]) {
      printProgress(`parsing: ${format}, ${nodes} nodes`);
      rows.push({
        format,
        nodes,
        ...(await runAlone(script("parsing.mjs"), [format, String(nodes), ...flags], timeoutMs)),
      });
    }
  }
  return rows;
}

async function measureService({ timeoutMs, flags }) {
  printProgress("language service");
  return runAlone(script("service.mjs"), flags, timeoutMs);
}

// A loop of N rounds has 2 N steps.
const GROWTH = [
  "linear-1000",
  "linear-10000",
  "linear-100000",
  "loop-5000",
  "loop-50000",
  "loop-500000",
  "map-1000-8",
  "map-10000-8",
  "map-1000-1000",
  "map-10000-1000",
];

async function measureGrowth({ engines, timeoutMs, flags }) {
  const rows = [];
  for (const { name } of engines.filter((it) => ["floor:map", "stepgraph", "stepgraph:no-trace"].includes(it.name))) {
    for (const workload of GROWTH) {
      printProgress(`growth: ${name} ${workload}`);
      const result = await runAlone(script("growth.mjs"), [name, workload, ...flags], timeoutMs);
      if (result.unavailable) break;
      rows.push({ engine: name, workload, ...result });
    }
  }
  return rows.concat(await measureNative(timeoutMs));
}

/** Skipped if Rust is not installed. */
async function measureNative(timeoutMs) {
  const rows = [];
  try {
    printProgress("growth: building the native program");
    const args = ["build", "-q", "--profile", "native", "-p", "stepgraph-tests", "--bin", "growth"];
    execFileSync("cargo", args, {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["ignore", "ignore", "inherit"],
    });
  } catch {
    return rows;
  }
  const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url));
  for (const workload of GROWTH) {
    printProgress(`growth: native ${workload}`);
    try {
      const out = execFileSync(join(target, "native", "growth"), [workload], { encoding: "utf8", timeout: timeoutMs });
      rows.push({ engine: "native", workload, ...JSON.parse(out) });
    } catch (error) {
      rows.push({ engine: "native", workload, failure: error.message.split("\n")[0] });
    }
  }
  return rows;
}

async function measureTyping({ timeoutMs, flags }) {
  const rows = [];
  for (const lines of [10_000, 50_000]) {
    printProgress(`typing: ${lines} lines`);
    rows.push({
      lines,
      ...(await runAlone(script("typing.mjs"), [String(lines), ...flags], Math.max(timeoutMs, 120_000))),
    });
  }
  return rows;
}

async function measureSnapshot({ timeoutMs, flags }) {
  printProgress("save and resume");
  return runAlone(script("snapshot.mjs"), flags, timeoutMs);
}

/** Skipped if the page is not built. `npm start` builds it. */
async function measureDrawing({ quick }) {
  if (!existsSync(`${benchFolder}../../playground/dist/index.html`)) return [];
  return drawing({ quick, say: printProgress, ...(quick ? { sizes: [1000] } : {}) });
}

function machine() {
  const [cpu] = os.cpus();
  return {
    cpu: cpu.model,
    cpus: os.cpus().length,
    memoryGb: Math.round(os.totalmem() / 1e9),
    platform: `${os.platform()} ${os.arch()}`,
    node: process.version,
    loadAverage: os.loadavg().map((load) => Number(load.toFixed(2))),
  };
}

function writeResults(results, name) {
  mkdirSync(`${benchFolder}results`, { recursive: true });
  writeFileSync(`${benchFolder}results/${name}.json`, `${JSON.stringify(results, null, 1)}\n`);
}

async function main() {
  const chosen = readOptions(process.argv.slice(2));
  if (chosen.help) return console.log(USAGE);
  const results = { at: new Date().toISOString(), quick: chosen.quick, passes: chosen.passes, machine: machine() };
  if (chosen.values) {
    results.values = await values({ ...chosen, say: printProgress });
    printProgress("");
    console.log(valuesTable(results.values));
    return writeResults(results, "values");
  }
  if (chosen.layout) {
    printProgress("layout: ours, dagre and elk");
    const found = await layouts(chosen.quick ? { count: QUICK_LAYOUTS } : {});
    results.layout = plainTotals(found);
    printProgress("");
    console.log(layoutTable(found));
    return writeResults(results, "layout");
  }
  installPeers();
  if (chosen.expressions) {
    results.expressions = await expressions({ ...chosen, say: printProgress });
    printProgress("");
    console.log(expressionTable(results.expressions));
    return writeResults(results, "expressions");
  }
  Object.assign(results, await measureCells(chosen), { startup: [], parsing: [], typing: [], growth: [], sizes: [] });
  if (!chosen.cells) {
    results.startup = await measureStartup(chosen, results.skipped);
    results.parsing = await measureParsing(chosen);
    results.expressions = await expressions({ ...chosen, say: printProgress });
    results.service = await measureService(chosen);
    results.typing = await measureTyping(chosen);
    results.growth = await measureGrowth(chosen);
    results.snapshot = await measureSnapshot(chosen);
    results.sizes = sizes();
    results.drawing = await measureDrawing(chosen);
  }
  results.budgets = budgets(results);
  results.machine.loadAverageAtEnd = machine().loadAverage;
  printProgress("");
  if (results.expressions?.length) console.log(`${expressionTable(results.expressions)}\n`);
  if (results.drawing?.length) console.log(`${drawingTable(results.drawing)}\n`);
  for (const part of [
    cellTables,
    startupTable,
    parsingTable,
    serviceTable,
    typingTable,
    growthTable,
    snapshotTable,
    sizeTable,
    budgetTable,
  ])
    console.log(part(results));
  writeResults(results, "latest");
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});
