// Measures `stepgraph serve`: runs per second over both transports and eras, the memory of a waiting run, and how long
// others wait while a plan never ends.
//
//   node tests/bench/serve.mjs [carried|frozen]
//
// The clients are the official ones and share the machine with the server.

import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { ERAS, overHttp, overStdio } from "../cli/serve/client.mjs";

const RUNS = 1000;
const plan =
  'nodes: {a: {type: log, input: "hi, ${input}"}, b: {type: log, input: "${last}!"}}\nedges: [{from: a, to: b}]';
const approvalPlan = "nodes: {ask: {type: approve, input: {total: 120}}}";

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

/** Returns the resident memory of a process, in kB. */
const residentMemory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

async function measureLoad() {
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
   * Starts a thousand waiting runs. A client's own lists of listeners grow with every request, so each batch gets a new
   * client.
   */
  async function startWaitingRun() {
    const client = await served.connect({ era: "2025-11-25" });
    for (let i = 0; i < RUNS; i++) await run(client, approvalPlan, null);
    await client.close();
  }
  await startWaitingRun();
  const before = residentMemory(served.pid);
  for (let i = 0; i < 4; i++) await startWaitingRun();
  process.stdout.write(`\na run that waits: ${((residentMemory(served.pid) - before) / (4 * RUNS)).toFixed(1)} kB\n`);
  await served.stop();
}

/** Each other client runs a plan at this interval, for this time. */
const INTERVAL_MS = 500;
const FOR = 10_000;
const OTHER_CLIENTS = 50;

/** Plans that take very long, with their inputs: a slow pattern, texts that double, and nested values that double. */
const FREEZING = {
  pattern: ["inputs: {s: {pattern: '^(a+)+$'}}\nnodes: {a: {type: log, input: x}}", { s: `${"a".repeat(29)}!` }],
  texts: [chained(26, "${last}${last}"), null],
  values: [chained(20, { l: "${last}", r: "${last}" }), null],
};

/** Returns a chain of nodes that output `input`, as JSON. */
function chained(length, input) {
  const names = Array.from({ length: length + 1 }, (_, at) => `n${at}`);
  const nodes = Object.fromEntries(
    names.map((name, at) => [name, { type: "log", input: at === 0 ? "0123456789" : input }]),
  );
  const edges = names.slice(1).map((to, at) => ({ from: names[at], to }));
  return JSON.stringify({ start: "n0", nodes, edges });
}

/** Measures how long runs of others take, in milliseconds, while the plans of `freezing` run. */
async function measureLatency(freezing) {
  const served = await overHttp(["--keep", "100000"]);
  const clients = await Promise.all(Array.from({ length: OTHER_CLIENTS }, () => served.connect()));
  const evil = await Promise.all(freezing.map(() => served.connect()));
  for (let i = 0; i < 4; i++) await Promise.all(clients.map((client) => run(client, plan, "warm")));
  const began = performance.now();
  const waits = [];
  let lost = 0;
  const ends = freezing.map(async ([text, input], at) => {
    const found = await evil[at]
      .callTool({ name: "run_plan", arguments: { plan: text, input } }, { timeout: 600_000 })
      .catch((error) => ({
        structuredContent: { failure: { code: error.message } },
      }));
    const { failure, status } = found.structuredContent ?? {
      status: found.content[0].text.split("\n")[0],
    };
    return `${failure?.code ?? status} after ${((performance.now() - began) / 1000).toFixed(1)} s`;
  });
  await Promise.all(
    clients.map(async (client, at) => {
      await new Promise((resolve) => setTimeout(resolve, (at * INTERVAL_MS) / OTHER_CLIENTS));
      while (performance.now() - began < FOR) {
        const from = performance.now();
        const sent = client.callTool({ name: "run_plan", arguments: { plan, input: "x" } }, { timeout: 600_000 });
        // A dead server does not answer.
        if (
          await sent.then(
            () => false,
            () => true,
          )
        )
          return lost++;
        waits.push(performance.now() - from);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, INTERVAL_MS - (performance.now() - from))));
      }
    }),
  );
  const ended = await Promise.all(ends);
  await Promise.all([...clients, ...evil].map((client) => client.close().catch(() => undefined)));
  await served.stop("SIGKILL");
  waits.sort((a, b) => a - b);
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]?.toFixed(1);
  return [
    lost === 0 ? waits.length : `${waits.length}, ${lost} clients lost`,
    at(0.5),
    at(0.99),
    at(1),
    ended.join(", "),
  ];
}

async function frozen() {
  row(
    `${OTHER_CLIENTS} others, a run every ${INTERVAL_MS} ms, while there is`,
    "runs",
    "median ms",
    "p99 ms",
    "max ms",
    "which ended as",
  );
  row("---", "--:", "--:", "--:", "--:", "---");
  row("nothing", ...(await measureLatency([])));
  for (const [name, one] of Object.entries(FREEZING)) row(name, ...(await measureLatency([one])));
  row("all three", ...(await measureLatency(Object.values(FREEZING))));
}

const selectedCase = process.argv[2];
if (selectedCase !== "frozen") await measureLoad();
if (selectedCase !== "carried") await frozen();
