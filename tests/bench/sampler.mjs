// Measures a cell: warm up, find how many runs make one sample, take samples. No `gc()` runs between them: it makes
// some engines slower or faster by an order of magnitude.
import { performance } from "node:perf_hooks";

const FULL = { warmupMs: 2000, sampleMs: 60, samples: 12, budgetMs: 6000 };
const QUICK = { warmupMs: 100, sampleMs: 20, samples: 3, budgetMs: 1000 };

/**
 * Samples `run`, which must make `expected` handler calls each time.
 *
 * Resolves to `{wallUs, cpuUs}`: lists of µs per handler call, one entry a sample. A slow engine gets fewer samples, at
 * least two.
 */
export async function sample(run, expected, { quick = false } = {}) {
  const plan = quick ? QUICK : FULL;
  const repeat = Math.max(1, Math.ceil(plan.sampleMs / (await warmUp(run, expected, plan.warmupMs))));
  const wallUs = [];
  const cpuUs = [];
  const start = performance.now();
  while (wallUs.length < plan.samples && (wallUs.length < 2 || performance.now() - start < plan.budgetMs)) {
    const cpu = process.cpuUsage();
    const wall = performance.now();
    let calls = 0;
    for (let at = 0; at < repeat; at++) calls += await run();
    const wallMs = performance.now() - wall;
    const { user, system } = process.cpuUsage(cpu);
    check(calls, expected * repeat);
    wallUs.push((wallMs * 1000) / calls);
    cpuUs.push((user + system) / calls);
  }
  return { wallUs, cpuUs };
}

// Resolves to the milliseconds of one run, measured in the second half, when the code is hot.
async function warmUp(run, expected, warmupMs) {
  const start = performance.now();
  let half = start;
  let runs = 0;
  for (;;) {
    check(await run(), expected);
    const now = performance.now();
    if (now - start < warmupMs / 2) half = now;
    else runs++;
    if (now - start >= warmupMs) return (now - half) / runs;
  }
}

function check(calls, expected) {
  if (calls !== expected) throw new Error(`made ${calls} handler calls, ${expected} are right`);
}

export const best = (list) => Math.min(...list);

export function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
