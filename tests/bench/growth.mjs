// Measures time and memory of very long runs: `node growth.mjs ENGINE WORKLOAD [--quick]`. Reports the first run and
// the best within two seconds (of at least three), in µs per step. Memory is the growth of the heap at the end, and of
// the process's peak.
import { performance } from "node:perf_hooks";
import { ENGINES, load, Unavailable } from "./engines/index.mjs";
import { workload } from "./workloads.mjs";

const [name, shape, ...flags] = process.argv.slice(2);
const enoughMs = flags.includes("--quick") ? 300 : 2000;

async function measureGrowth() {
  const row = ENGINES.find((engine) => engine.name === name);
  const task = workload(shape, "object");
  const { prepare } = await load(row.file);
  const before = memory();
  const start = performance.now();
  const run = await prepare(task, row.variant);
  const prepareMs = performance.now() - start;
  const us = [];
  const runs = performance.now();
  while (us.length < 3 || performance.now() - runs < enoughMs) us.push(await timed(run, task.calls));
  const after = memory();
  return {
    prepareMs,
    firstUs: us[0],
    bestUs: Math.min(...us),
    heapMb: after.heap - before.heap,
    peakMb: after.peak - before.peak,
  };
}

async function timed(run, expected) {
  const start = performance.now();
  const calls = await run();
  if (calls !== expected) throw new Error(`made ${calls} handler calls, ${expected} are right`);
  return ((performance.now() - start) * 1000) / calls;
}

const memory = () => ({
  heap: process.memoryUsage().heapUsed / 1e6,
  peak: (process.resourceUsage().maxRSS * 1024) / 1e6,
});

try {
  console.log(JSON.stringify(await measureGrowth()));
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.log(JSON.stringify({ unavailable: error.message }));
}
process.exit(0);
