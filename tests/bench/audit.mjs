/**
 * Measures the cost of an audit in a database: a run with and without, the events that one and several processes write
 * in a second, and queries in a store of many runs.
 *
 *     node tests/bench/audit.mjs [--runs 10000]
 *
 * Uses the SQLite of this Node, or else libsql. Figures are medians of several rounds. This is not a test.
 */
import { closeSync, copyFileSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createSqliteFolder, hasBuiltInSqlite } from "../servers/sqlite.mjs";

const runCount = Number(process.argv[process.argv.indexOf("--runs") + 1]) || 10_000;
const ROUNDS = 9;
const fixture = await createSqliteFolder();
const { PlanGraph, run } = await fixture.library();
const { audited, openAudit } = await fixture.audit();
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
const ms = (number) => `${number < 10 ? number.toFixed(2) : number.toFixed(0)} ms`;
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** A loop of `steps` steps. Each returns an object of a size that is usual for tools. */
const graph = (steps) =>
  PlanGraph.parse(`
id: bench
start: work
limits: {visits: ${steps + 1}}
nodes: {work: {type: work}, check: {type: decision}}
edges: [{from: work, to: check}, {from: check, to: work, condition: "last.left>0"}]
`).graph;

const KINDS = {
  "no audit": (options) => ({ options }),
  "a listener that does nothing": (options) => ({ options: { ...options, onEvent: () => {} } }),
  "`--audit FILE`, lines of JSON": (options) => {
    const file = openSync(fixture.path("a.ndjson"), "w");
    return {
      options: { ...options, onEvent: (event) => writeSync(file, `${JSON.stringify(event)}\n`) },
      end: (report) => report.finally(() => closeSync(file)),
    };
  },
  "a database, `cassette: false`": (options, store, plan) => {
    const trail = audited(plan, options, store, { cassette: false });
    return { options: trail.options, end: (report) => trail.end(report) };
  },
  "a database": (options, store, plan) => {
    const trail = audited(plan, options, store);
    return { options: trail.options, end: (report) => trail.end(report) };
  },
};

async function costs(title, steps, waits) {
  const plan = graph(steps);
  const store = await openAudit(fixture.path(`cost-${steps}.db`));
  const measureKind = async (kind) => {
    let left = steps;
    const answer = () => {
      left -= 1;
      return { left, status: "ok", score: 0.5, items: ["a", "b", "c", "d", "e"] };
    };
    const work = waits
      ? async () => {
          await new Promise((soon) => {
            setTimeout(soon, 1);
          });
          return answer();
        }
      : async () => answer();
    const begun = performance.now();
    const { options, end } = KINDS[kind]({ handlers: { work }, trace: false }, store, plan);
    const report = run(plan, options);
    await (end ? end(report) : report);
    return performance.now() - begun;
  };
  const took = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of Object.keys(KINDS)) took[kind].push(await measureKind(kind));
  console.log(`\n${title}\n`);
  row("", "a run", "a node", "beside no audit");
  row("---", "--:", "--:", "--:");
  const base = median(took["no audit"]);
  for (const [kind, times] of Object.entries(took))
    row(
      kind,
      ms(median(times)),
      `${((1000 * median(times)) / steps / 2).toFixed(1)} µs`,
      `${(median(times) / base).toFixed(2)}×`,
    );
  store.close();
}

console.log(`Node ${process.version}, ${hasBuiltInSqlite ? "node:sqlite" : "libsql"}`);
await costs("handlers that answer at once: 1000 rounds of two nodes", 1000, false);
await costs("handlers that take a millisecond: 100 rounds of two nodes", 100, true);

/** A part as a run writes it: events of usual size, and two lines of the cassette for every five events. */
function part(id, from, count) {
  const json = JSON.stringify({
    type: "node-completed",
    atMs: 1795371749285.88,
    node: "work",
    visit: 17,
    output: { left: 12, status: "ok", score: 0.5, items: ["a", "b", "c", "d", "e"] },
    durationMs: 0.4,
  });
  const events = Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    atMs: from + index,
    type: "node-completed",
    node: "work",
    scope: null,
    visit: 1,
    json,
  }));
  return {
    run: {
      id,
      key: null,
      continues: null,
      plan: { hash: "a".repeat(64), name: "bench", text: null },
      startedMs: Date.now(),
    },
    events,
    lines: events.filter(({ seq }) => seq % 5 < 2).map(({ seq }) => ({ seq: seq / 5, json })),
    end: null,
  };
}

console.log("\nevents that are written in a second, with two lines of the cassette for each five\n");
row("in one transaction", "events in a second", "bytes an event");
row("--:", "--:", "--:");
for (const size of [1, 10, 100, 500, 5000]) {
  const file = fixture.path(`write-${size}.db`);
  const store = await openAudit(file);
  const count = size < 100 ? 5000 : 100_000;
  const begun = performance.now();
  for (let at = 0; at < count; at += size) store.write(part("bench-run-0000000", at, size));
  const took = performance.now() - begun;
  store.close();
  row(
    size,
    Math.round((1000 * count) / took).toLocaleString("en"),
    Math.round((statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)) / count),
  );
}

console.log("\nruns at once in one process, ten steps of 20 ms each\n");
row("runs", "no audit", "a database", "nodes in a second");
row("--:", "--:", "--:", "--:");
const ten = PlanGraph.parse(
  "start: n\nlimits: {visits: 11}\nnodes: {n: {type: wait}}\nedges: [{from: n, to: n, condition: 'last<10'}]",
).graph;
for (const count of [1, 100, 1000]) {
  const measureConcurrent = async (sink) => {
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: count }, () => {
        let step = 0;
        const options = {
          trace: false,
          handlers: {
            wait: () =>
              new Promise((soon) => {
                setTimeout(() => soon((step += 1)), 20);
              }),
          },
        };
        const trail = sink && audited(ten, options, sink);
        return trail ? trail.end(run(ten, trail.options)) : run(ten, options);
      }),
    );
    return performance.now() - begun;
  };
  const sink = await openAudit(fixture.path(`once-${count}.db`));
  const [without, within] = [
    median([await measureConcurrent(), await measureConcurrent(), await measureConcurrent()]),
    median([await measureConcurrent(sink), await measureConcurrent(sink), await measureConcurrent(sink)]),
  ];
  row(count, ms(without), ms(within), Math.round((10_000 * count) / within).toLocaleString("en"));
  sink.close();
}

console.log("\nprocesses that audit runs of 100 steps in one database\n");
copyFileSync(fileURLToPath(new URL("../parity/audit/worker.mjs", import.meta.url)), fixture.path("worker.mjs"));
row("processes", "runs in a second", "told of a lock, and tried again");
row("--:", "--:", "--:");
mkdirSync(fixture.path("many"));
for (const processes of [1, 2, 4]) {
  const file = fixture.path(`many/${processes}.db`);
  (await openAudit(file)).close();
  const begun = performance.now();
  const all = await Promise.all(
    Array.from({ length: processes }, () => fixture.node(["worker.mjs", file, String(200 / processes), "100"]).done),
  );
  row(
    processes,
    Math.round(200_000 / (performance.now() - begun)),
    all.reduce((sum, { out }) => sum + JSON.parse(out.trim().split("\n").at(-2)).failures.length, 0),
  );
}

const file = fixture.path("queries.db");
const store = await openAudit(file);
for (let number = 0; number < runCount; number++) {
  const id = `${number.toString(36).padStart(6, "0")}benchbench`;
  const outcome =
    number % 20 === 0
      ? { type: "failed", code: "tool/unreachable", message: "away", node: "fetch" }
      : { type: "completed", reason: "terminal" };
  store.write({
    ...part(id, 0, 20),
    run: {
      ...part(id, 0, 0).run,
      key: `order-${number % 1000}`,
      startedMs: number,
      plan: { hash: String(number % 7).repeat(64), name: `plan-${number % 7}`, text: null },
    },
    end: { outcome, endedMs: number, durationMs: 1, counts: { steps: 1, calls: 1, retries: 0 } },
  });
}
console.log(
  `\nquestions to a store of ${runCount.toLocaleString("en")} runs, ${(20 * runCount).toLocaleString("en")} events, ${(statSync(file).size / 1e6).toFixed(0)} MB\n`,
);
row("asked for", "takes");
row("---", "--:");
const exampleRun = store.runs({ limit: 20 }).runs[10].id;
for (const [name, ask] of [
  ["the last 50 runs", () => store.runs()],
  ["those that failed", () => store.runs({ status: "failed" })],
  ["those of a plan that failed", () => store.runs({ status: "failed", plan: "plan-3" })],
  ["those of a key", () => store.runs({ key: "order-7" })],
  ["those of the middle", () => store.runs({ since: runCount / 2, until: runCount / 2 + 30 })],
  ["those that came to a node that all came to", () => store.runs({ node: "work" })],
  ["those that came to a node that none came to", () => store.runs({ node: "nobody" })],
  ["one run", () => store.get(exampleRun)],
  ["its events", () => store.events(exampleRun)],
]) {
  const took = Array.from({ length: 21 }, () => {
    const begun = performance.now();
    ask();
    return performance.now() - begun;
  });
  row(name, ms(median(took)));
}
store.close();
fixture.remove();
