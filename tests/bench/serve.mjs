// What `stepgraph serve` carries: runs per second over both transports and of both eras, and what a run that waits for
// a person takes.
//
//   node tests/bench/serve.mjs
//
// The clients are the official ones, and share the machine with the server.

import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { ERAS, overHttp, overStdio } from "../cli/serve/client.mjs";

const RUNS = 1000;
const plan =
  'nodes: {a: {type: log, input: "hi, ${input}"}, b: {type: log, input: "${last}!"}}\nedges: [{from: a, to: b}]';
const ask = "nodes: {ask: {type: approve, input: {total: 120}}}";

const run = (client, text, input) => client.callTool({ name: "run_plan", arguments: { plan: text, input } });
const row = (...cells) => process.stdout.write(`| ${cells.join(" | ")} |\n`);

async function timed(clients) {
  const began = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < RUNS / clients.length; i++) await run(client, plan, String(i));
    }),
  );
  return (RUNS / (performance.now() - began)) * 1000;
}

/** What a process holds in memory, in kB. */
const held = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

row("what", "runs per second");
row("---", "---");
for (const era of Object.keys(ERAS)) {
  const alone = await overStdio([], { era });
  row(`stdio, ${era}, one client`, (await timed([alone])).toFixed(0));
  await alone.close();
  const served = await overHttp([]);
  const clients = await Promise.all([1, 2, 3, 4].map(() => served.connect({ era })));
  row(`HTTP, ${era}, four clients`, (await timed(clients)).toFixed(0));
  await Promise.all(clients.map((client) => client.close()));
  await served.stop();
}
const served = await overHttp(["--keep", "20000"]);
/**
 * Has a thousand runs wait. A client's own lists of what it listens to grow with every request, so that each serves for
 * these alone.
 */
async function waiting() {
  const client = await served.connect({ era: "2025-11-25" });
  for (let i = 0; i < RUNS; i++) await run(client, ask, null);
  await client.close();
}
await waiting();
const before = held(served.pid);
for (let i = 0; i < 4; i++) await waiting();
process.stdout.write(`\na run that waits: ${((held(served.pid) - before) / (4 * RUNS)).toFixed(1)} kB\n`);
await served.stop();
