// Tests durable and stored runs with a lock: they refuse other tools, and keep what they listed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { packageWorld } from "./store-world.mjs";

let fixture, library, durable, keeper;
before(async () => {
  ({ fixture, library, durable, keeper } = await packageWorld());
});
after(() => fixture.remove());

const plan = () =>
  library.PlanGraph.load(`
nodes:
  find: { type: search, input: { q: "\${input}" } }
  ask: { type: approve }
  again: { type: search, input: { q: "\${input}" } }
edges: [{ from: find, to: ask }, { from: ask, to: again }]
`);
const info = (properties) => ({
  name: "search",
  description: "Finds offers.",
  input_schema: { type: "object", properties, required: ["q"] },
  annotations: { readOnlyHint: true },
});
const TODAY = { q: { type: "string", maxLength: 50 } };
/** The server has become stricter since. */
const OTHER = { q: { type: "string" } };

const server = (calls, properties = TODAY) => ({
  name: "shop",
  list: async () => [info(properties)],
  call: async (_name, { q }) => {
    calls.push(q);
    return { value: q, isError: false };
  },
  close: async () => {},
});
const lockOf = (properties) => library.ToolLock.create([plan()], [{ ...info(properties), server: "shop" }]);
const approve = { onApproval: () => "approved" };

test("a durable run whose tools fit the lock runs, and others fail before their first node", async () => {
  const calls = [];
  const tools = [server(calls)];
  const fits = await durable.runDurable(plan(), new durable.MemoryJournal(approve), {
    input: "hi",
    tools,
    lock: lockOf(TODAY),
  });
  assert.deepEqual([fits.outcome.type, calls], ["completed", ["hi", "hi"]]);

  const journal = new durable.MemoryJournal(approve);
  const refused = await durable.runDurable(plan(), journal, { input: "hi", tools, lock: lockOf(OTHER) });
  assert.equal(refused.outcome.code, "tool/differs-from-lock");
  assert.match(refused.outcome.message, /`search` of `shop`: the argument `q` has `maxLength` `50`/);
  assert.deepEqual([refused.path, calls], [[], ["hi", "hi"]]);
  const again = await durable.runDurable(plan(), new durable.MemoryJournal({ lines: journal.lines }), {
    input: "hi",
    tools,
  });
  assert.deepEqual(again.outcome, refused.outcome, "a replay without the lock repeats the refusal");
});

test("a paused run continues with its lock, and another lock changes nothing", async () => {
  const calls = [];
  const tools = [server(calls)];
  const paused = new durable.MemoryJournal({ onWait: async (_open, isStuck) => (isStuck ? "paused" : undefined) });
  const first = await durable.runDurable(plan(), paused, { input: "hi", tools, lock: lockOf(TODAY) });
  assert.equal(first.outcome.type, "paused");
  const { lines } = paused;
  const next = () => new durable.MemoryJournal({ lines, ...approve });
  await assert.rejects(durable.runDurable(plan(), next(), { input: "hi", tools, lock: lockOf(OTHER) }), {
    code: "tool/differs-from-lock",
  });
  assert.deepEqual(calls, ["hi"]);
  const compared = await durable.compareJournal(plan(), lines, { input: "hi", tools, lock: lockOf(OTHER) });
  assert.deepEqual(compared, { proved: true, conflicts: [] }, "a comparison reads the tools of the run");
  const report = await durable.runDurable(plan(), next(), { input: "hi", tools, lock: lockOf(TODAY) });
  assert.deepEqual([report.outcome.type, calls], ["completed", ["hi", "hi"]]);
});

test("a run without servers does not fit a lock of tools", async () => {
  const lock = lockOf(TODAY);
  const run = durable.runDurable(plan(), new durable.MemoryJournal(), { input: "hi", lock });
  await assert.rejects(run, { code: "tool/differs-from-lock", message: /`search` of `shop`/ });
});

test("a store keeps the refusal of a run, and a run that fits", async () => {
  const store = await keeper.openStore(fixture.path("locked.db"));
  const calls = [];
  const tools = [server(calls)];
  try {
    const refused = await store.run(plan(), { runId: "a", input: "hi", tools, lock: lockOf(OTHER) });
    assert.equal(refused.outcome.code, "tool/differs-from-lock");
    assert.equal((await store.get("a")).status, "failed");
    const events = await store.events("a");
    assert.deepEqual(
      events.filter(({ type }) => type === "node-started"),
      [],
    );
    const fits = await store.run(plan(), { runId: "b", input: "hi", tools, lock: lockOf(TODAY) });
    assert.deepEqual([fits.outcome.type, calls], ["paused", ["hi"]]);
  } finally {
    await store.close();
  }
});
