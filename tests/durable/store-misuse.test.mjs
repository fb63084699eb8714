// Tests a store that is opened or called in a wrong way.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSqliteFolder } from "../servers/sqlite.mjs";

let fixture, library, openStore, store;
before(async () => {
  fixture = await createSqliteFolder();
  library = await fixture.library();
  ({ openStore } = await import(new URL("integrations/store/node.js", fixture.entry()).href));
  store = await openStore(fixture.path("runs.db"));
});
after(async () => {
  await store.close();
  fixture.remove();
});

const graph = () => library.PlanGraph.load("nodes: {ask: {type: approve, input: 1}}");

test("the URL of a database is refused without its password", async () => {
  for (const url of [
    "postgres://me:topsecret@127.0.0.1/runs",
    "POSTGRESQL://me:topsecret@host/",
    "mysql://topsecret@h",
  ])
    await assert.rejects(openStore(url), (error) => {
      assert.deepEqual([error.code, /topsecret/.test(error.message)], ["api/bad-option", false]);
      assert.match(error.message, /pass `\{ pool: new Pool\(\{ connectionString \}\) \}`/);
      return true;
    });
});

test("a snapshot that can't be resumed leaves no run", async () => {
  const { snapshot } = await library.run(graph());
  const damaged = { ...snapshot, state: { ...snapshot.state, path: "?" } };
  for (const unusable of [{}, { ...snapshot, format: 9 }, damaged]) {
    const options = { store, runId: "unusable", snapshot: unusable };
    await assert.rejects(library.run(graph(), options), { code: "snapshot/unusable" });
    assert.deepEqual((await store.runs()).runs, []);
  }
  const report = await library.run(graph(), { store, runId: "unusable", snapshot });
  assert.equal(report.outcome.type, "paused");
  await store.decide("unusable", "ask:1:1", "approved");
});

test("a run that is there keeps its entries if it can't be continued", async () => {
  const { snapshot } = await library.run(graph());
  await library.run(graph(), { store, runId: "kept", snapshot });
  await assert.rejects(library.run(graph(), { store, runId: "kept", snapshot: {} }), { code: "snapshot/unusable" });
  await store.decide("kept", "ask:1:1", "approved");
  assert.equal((await library.run(graph(), { store, runId: "kept" })).last, "approved");
});

test("`run` says which function takes options of a store", async () => {
  const help = { takeOver: /call `store\.run\(graph, \{ takeOver: true \}\)`/, approvals: /approvals: "wait"/ };
  for (const [name, message] of Object.entries(help)) {
    const options = { store, [name]: name === "takeOver" ? true : "wait" };
    await assert.rejects(library.run(graph(), options), { code: "api/unknown-option", message });
    assert.throws(() => library.run.stream(graph(), options), { code: "api/unknown-option", message });
  }
});

test("a value that JSON can't hold decides nothing", async () => {
  await library.run(graph(), { store, runId: "values" });
  const cycle = {};
  cycle.self = cycle;
  for (const value of [undefined, () => 1, Symbol("s"), 10n, cycle])
    await assert.rejects(store.decide("values", "ask:1:1", { value }), {
      code: "api/bad-option",
      message: /must be JSON|takes `approved`, `rejected` or `\{ value \}`/,
    });
  assert.equal((await store.approvals({ run: "values" })).length, 1);
  await store.decide("values", "ask:1:1", { value: { amount: 5 } });
  assert.deepEqual((await library.run(graph(), { store, runId: "values" })).last, { amount: 5 });
});
