// Runs random plans with every driver and prints statistics: `node tests/parity/drivers.mjs 5000`.
//
// `--seed N --count N` selects the seeds. `--minutes N` continues for that time, `--on` after a failure.

import { parseArgs } from "node:util";
import { Counts } from "./drivers/counts.mjs";
import { createFixture, search } from "./drivers/search.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string" },
    minutes: { type: "string", default: "0" },
    on: { type: "boolean" },
  },
});
const count = Number(values.count ?? positionals[0] ?? 100);
const at = await createFixture();
const counts = new Counts();
let failures = 0;
const reportFailure = (told) => {
  failures++;
  console.log(`${told}\n`);
  if (!values.on) {
    at.remove();
    process.exit(1);
  }
};
const startedAt = performance.now();
let seed = Number(values.seed);
do {
  await search({ seed, count, counts, at, keepsOn: reportFailure });
  seed += count;
} while (performance.now() - startedAt < Number(values.minutes) * 60_000);
at.remove();
console.log(`${counts}\n${failures} failed; ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
process.exitCode = failures > 0 ? 1 : 0;
