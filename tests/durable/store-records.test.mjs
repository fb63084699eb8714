// Tests a stored run's events, cassette, snapshot and journal, on SQLite and PostgreSQL.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { storeWorld } from "./store-world.mjs";

let fixture, library, keeper, durable, pool, close;
before(async () => {
  ({ fixture, library, keeper, durable, pool, close } = await storeWorld());
});
after(() => close());

const PLAN = `id: records
nodes:
  fan:
    type: parallel
    branches: { one: { nodes: { a: { type: own, input: 1 } } }, two: { nodes: { w: { type: wait, with: { ms: 1 } } } } }
  look: { type: tool, tool: shop.look, input: { for: "\${context.tenant}" } }
  say: { type: llm, input: "say \${last.text}" }
  ask: { type: approve, input: "\${last}" }
  pay: { type: own, input: 2 }
edges:
  - { from: fan, to: look }
  - { from: look, to: say }
  - { from: say, to: ask }
  - { from: ask, to: pay, condition: "last == 'approved'" }
`;

const CONTEXT = { tenant: "tenant-four-two" };

/** The server repeats its own key and the context. */
function host(calls = []) {
  const shop = library.mcp("http://127.0.0.1:1/mcp", { name: "shop", key: "the-key-of-the-shop" });
  shop.list = async () => [{ name: "look", input_schema: { type: "object" } }];
  shop.call = async (_tool, args) => {
    calls.push("look");
    return { value: { text: `${args.for} the-key-of-the-shop`, password: "hunter2hunter2" }, isError: false };
  };
  const own = ({ id, input }) => {
    calls.push(id);
    return input;
  };
  return { handlers: { own }, tools: [shop], models: { default: async () => ({ text: "hola" }) }, context: CONTEXT };
}

/** The store lacks these. */
const known = () => {
  const { tools, models, context } = host();
  return { tools, models, context };
};

/** Lines and order do not depend on the clock. */
const comparable = (lines) =>
  lines
    .map((line) => {
      const { atMs: _at, epochMs: _epoch, limits: _limits, reads: _reads, run: _run, ...rest } = JSON.parse(line);
      return JSON.stringify(rest);
    })
    .sort();

for (const [name, open] of [
  ["SQLite", () => keeper.openStore(fixture.path("records.db"))],
  ["PostgreSQL", () => keeper.openStore({ pool })],
])
  describe(name, () => {
    let store;
    const graph = () => library.PlanGraph.load(PLAN);
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("a cassette is the one that `record` writes, and replays with the same events", async () => {
      const paused = await library.run(graph(), { store, runId: "c1", ...host() });
      assert.equal(paused.outcome.type, "paused");
      const early = await store.cassette("c1", known());
      const again = await library.run(graph(), { replay: early, context: CONTEXT });
      assert.deepEqual([again.outcome.type, again.outcome.approval.call], ["paused", "ask:1:1"]);

      await store.decide("c1", "ask:1:1", "approved");
      await library.run(graph(), { store, runId: "c1", ...host() });
      const cassette = await store.cassette("c1", known());
      const recorded = [];
      const decisions = { "ask:1:1": "approved" };
      await library.run(graph(), { ...host(), decisions, record: (line) => void recorded.push(line) });
      assert.deepEqual(comparable(cassette), comparable(recorded));

      const replayed = await library.run(graph(), { replay: cassette, context: CONTEXT });
      assert.equal(replayed.outcome.type, "completed", replayed.outcome.message);
      const types = (events) => events.map(({ type, node, atMs }) => [type, node, atMs]);
      assert.deepEqual(types(replayed.trace), types(await store.events("c1", known())));
    });

    test("a cassette and a snapshot contain no secret, and the journal has the values", async () => {
      const paused = await library.run(graph(), { store, runId: "s1", ...host() });
      assert.equal(paused.outcome.type, "paused");
      const cassette = (await store.cassette("s1", known())).join("\n");
      for (const secret of ["hunter2", "the-key-of", "tenant-four"]) assert.ok(!cassette.includes(secret), secret);
      assert.ok(!JSON.stringify(await store.snapshot("s1", known())).includes("the-key-of"));
      assert.ok((await store.journal("s1")).join("\n").includes("hunter2"));
    });

    test("a snapshot continues the run in another place, without a repeated call", async () => {
      const calls = [];
      await library.run(graph(), { store, runId: "n1", ...host(calls) });
      const snapshot = await store.snapshot("n1", { context: CONTEXT });
      assert.equal(snapshot.run, "n1");
      const before = [...calls];
      const report = await library.run(graph(), { snapshot, decisions: { "ask:1:1": "approved" }, ...host(calls) });
      assert.deepEqual([report.outcome.type, report.last], ["completed", 2]);
      assert.deepEqual(calls, [...before, "pay"]);
      assert.equal((await store.get("n1")).status, "paused");
      await store.decide("n1", "ask:1:1", "rejected");
      await library.run(graph(), { store, runId: "n1", ...host() });
      assert.equal(await store.snapshot("n1", { context: CONTEXT }), null);
    });

    test("a journal continues the run elsewhere", async () => {
      await library.run(graph(), { store, runId: "j1", ...host() });
      const lines = await store.journal("j1");
      const journal = new durable.MemoryJournal({ lines, onApproval: () => "approved" });
      const calls = [];
      const report = await durable.runDurable(graph(), journal, { runId: "j1", ...host(calls) });
      assert.deepEqual([report.outcome.type, calls], ["completed", ["pay"]]);
    });

    test("a fork of a cassette reuses its answers", async () => {
      const plan = library.PlanGraph.load(`nodes:
  a: { type: own, input: 1 }
  ask: { type: approve, input: "\${last}" }
  pay: { type: own, input: "\${output.a}" }
edges: [{ from: a, to: ask }, { from: ask, to: pay }]
`);
      const calls = [];
      const handlers = { own: ({ id, input }) => calls.push(id) + input };
      await library.run(plan, { store, runId: "f1", handlers });
      const cassette = await store.cassette("f1");
      const report = await library.fork(plan, { cassette, decisions: { "ask:1:1": "approved" }, handlers });
      assert.deepEqual([report.last, calls], [4, ["a", "pay"]]);
    });

    test("a run whose process ended has its records so far", async () => {
      const stop = new AbortController();
      const hang = { own: ({ id, input }) => (id === "pay" ? new Promise(() => stop.abort()) : input) };
      await library.run(graph(), { store, runId: "i1", ...host() });
      await store.decide("i1", "ask:1:1", "approved");
      await store.run(graph(), { runId: "i1", ...host(), handlers: hang, signal: stop.signal });
      assert.equal((await store.get("i1")).status, "interrupted");
      const lines = await store.cassette("i1", known());
      assert.equal(JSON.parse(lines.at(-1)).type, "asked");
      const replayed = await library.run(graph(), { replay: lines, context: CONTEXT });
      assert.equal(replayed.outcome.code, "replay/incomplete");
      const snapshot = await store.snapshot("i1", { context: CONTEXT });
      const calls = [];
      const report = await library.run(graph(), { snapshot, ...host(calls) });
      assert.deepEqual([report.outcome.type, calls], ["completed", ["pay"]]);
    });

    test("records of a run with a context need the context", async () => {
      const plan = library.PlanGraph.load("nodes: {a: {type: log, input: '${context.user}'}}");
      await library.run(plan, { store, runId: "x1", context: { user: "Ada Lovelace" } });
      await assert.rejects(store.events("x1"), { code: "durable/diverged", message: /context/ });
      const { length } = await store.events("x1", { context: { user: "Ada Lovelace" } });
      assert.ok(length > 0);
    });

    test("runs are selected by plan, status and time", async () => {
      const { runs } = await store.runs({ plan: "records" });
      assert.ok(runs.length >= 5);
      const [{ planHash, startedMs }] = runs;
      const count = async (filter) => (await store.runs(filter)).runs.length;
      assert.equal(await count({ plan: planHash.slice(0, 8) }), runs.length);
      assert.equal(await count({ plan: planHash.slice(0, 5) }), 0);
      assert.equal(await count({ plan: "records", status: ["completed", "paused", "interrupted"] }), runs.length);
      assert.equal(await count({ status: [] }), 0);
      assert.equal(await count({ since: startedMs, until: startedMs }), 0);
      assert.ok((await count({ since: startedMs })) >= 1);
      await assert.rejects(store.runs({ status: ["done"] }), { code: "api/bad-option" });
    });

    test("a journal with a damaged entry is refused", async () => {
      for (const [at, damaged] of ["{", "null", "[]", '{"name":1}', '{"cancelled":false}'].entries()) {
        const runId = `y${at}`;
        await library.run(graph(), { store, runId, ...host() });
        const values = [damaged, runId];
        if (name === "SQLite") {
          const db = await fixture.database("records.db");
          db.prepare("UPDATE stepgraph_entries SET text = ? WHERE run = ? AND number = 2").run(...values);
          db.close();
        } else await pool.query("UPDATE stepgraph_entries SET text = $1 WHERE run = $2 AND number = 2", values);
        for (const read of ["events", "cassette", "snapshot"])
          await assert.rejects(store[read](runId, known()), { code: "durable/bad-entry", message: /line 3/ });
      }
    });

    test("records of an unknown run, and of a strange host, are refused", async () => {
      for (const read of ["events", "cassette", "snapshot", "journal"]) {
        await assert.rejects(store[read]("nobody"), { code: "store/unknown-run" });
        await assert.rejects(store[read]("no\0body"), { code: "api/bad-option" });
        if (read !== "journal") await assert.rejects(store[read]("c1", { contxt: {} }), { code: /^api\// });
      }
    });
  });
