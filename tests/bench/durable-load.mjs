/**
 * Measures durable runs on the engine alone: runs per second of one process on a journal in memory, and the memory of a
 * waiting run, as machine with journal, as journal, and as snapshot.
 */
import { readFileSync } from "node:fs";
import { setImmediate as idle } from "node:timers/promises";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { PlanGraph, run } from "../../dist/node.js";

const source = readFileSync(new URL("../durable/plans/order.yaml", import.meta.url), "utf8").replace(
  "backoff_ms: 150",
  "backoff_ms: 0",
);
const { graph } = PlanGraph.parse(source);
const answers = {
  list: () => ({ items: [3, 5, 8] }),
  price: ({ of }) => ({ price: of * 10 }),
  shaky: (_args, call) => {
    if (call.endsWith(":1")) throw Object.assign(new Error("come back later"), { code: "tool/busy" });
    return 1;
  },
};
const names = ["list", "shaky", "price", "left", "right", "book"];
const tools = [
  {
    name: "world",
    list: async () => names.map((name) => ({ name, input_schema: { type: "object" } })),
    call: async (name, args, { call }) => ({ value: answers[name]?.(args, call) ?? { name, args }, isError: false }),
    close: async () => {},
  },
];
const host = {
  input: { shop: "x" },
  tools,
  handlers: { note: (node, state) => (state.write("noted", node.input), node.input) },
  trace: false,
};

async function timed(count, one) {
  for (let i = 0; i < count / 10; i++) await one();
  const began = performance.now();
  for (let i = 0; i < count; i++) await one();
  return count / ((performance.now() - began) / 1000);
}

/** Returns the heap bytes of JavaScript and of the engine for each of `count` objects. */
async function heapPerObject(count, make) {
  const collectGarbage = async () => {
    for (let i = 0; i < 5; i++) {
      globalThis.gc?.();
      await idle();
    }
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
    return { all: heapUsed + external + arrayBuffers, rss };
  };
  const kept = [];
  const before = await collectGarbage();
  for (let i = 0; i < count; i++) kept.push(await make());
  const after = await collectGarbage();
  return { each: (after.all - before.all) / count, rss: (after.rss - before.rss) / count, kept };
}

async function startWaitingRun() {
  const journal = new MemoryJournal();
  const report = runDurable(graph, journal, host);
  while (journal.approvals.length === 0) await idle();
  return { journal, report };
}

async function snapshot() {
  const { snapshot } = await run(graph, host);
  return JSON.stringify(snapshot);
}

export async function load(say, count = 10_000) {
  const approving = () => new MemoryJournal({ onApproval: () => "approved" });
  say(`\nruns of ${graph.nodes.length} nodes and 11 calls in one process, one after another:`);
  say(`| on | runs/s |\n| --- | --- |`);
  say(`| \`run\` | ${Math.round(await timed(3000, () => run(graph, { ...host, onApproval: () => "approved" })))} |`);
  say(
    `| \`runDurable\`, journal in memory | ${Math.round(await timed(3000, () => runDurable(graph, approving(), host)))} |`,
  );
  const { journal } = await startWaitingRun();
  say(
    `| replay of ${journal.lines.length} entries to the approval | ${Math.round(
      await timed(3000, async () => {
        const again = new MemoryJournal({ lines: journal.lines });
        void runDurable(graph, again, host);
        while (again.approvals.length === 0) await Promise.resolve();
      }),
    )} |`,
  );
  say(
    `\n${count} runs that wait for a person, each:\n| kept as | bytes of heap | of the process | as text |\n| --- | --- | --- | --- |`,
  );
  const text = (lines) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  const machines = await heapPerObject(count, startWaitingRun);
  const row = (name, { each, rss }, size) => say(`| ${name} | ${Math.round(each)} | ${Math.round(rss)} | ${size} |`);
  row("a machine and its journal", machines, "");
  const lines = machines.kept[0].journal.lines;
  const reports = machines.kept.map(({ journal, report }) => {
    journal.decide("ask:1:1", "approved");
    return report;
  });
  const ended = await Promise.all(reports);
  say(
    `(all of them were then approved: ${ended.filter(({ outcome }) => outcome.type === "completed").length} completed)`,
  );
  const bare = await heapPerObject(count, async () => Buffer.from(lines.join("\n")).toString("latin1"));
  row("its journal alone, as text", bare, text(lines));
  const one = await snapshot();
  const snapshots = await heapPerObject(count, snapshot);
  row("a snapshot, as text", snapshots, one.length);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await load((text) => process.stdout.write(`${text}\n`));
