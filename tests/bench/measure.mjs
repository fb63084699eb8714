// Measures one cell, alone in a process: `node measure.mjs ENGINE WORKLOAD KIND [--quick]`. Prints one line of JSON.
import { ENGINES, load, Unavailable, Unsupported } from "./engines/index.mjs";
import { sample } from "./sampler.mjs";
import { workload } from "./workloads.mjs";

const [name, shape, kind, ...flags] = process.argv.slice(2);

async function cell() {
  const row = ENGINES.find((engine) => engine.name === name);
  const task = workload(shape, kind);
  const run = await (await load(row.file)).prepare(task, row.variant);
  return await sample(run, task.calls, { quick: flags.includes("--quick") });
}

try {
  console.log(JSON.stringify(await cell()));
} catch (error) {
  if (error instanceof Unavailable) console.log(JSON.stringify({ unavailable: error.message }));
  else if (error instanceof Unsupported) console.log(JSON.stringify({ failure: error.message }));
  else throw error;
}
// Some engines leave a timer or a thread running.
process.exit(0);
