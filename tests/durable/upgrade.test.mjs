// Moves durable runs to changed plans, on each journal of the package and in a store.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { packageWorld } from "./store-world.mjs";

let fixture, library, durable, keeper;
before(async () => {
  ({ fixture, library, durable, keeper } = await packageWorld());
});
after(() => fixture.remove());

const plan = ({ first = "say ${input}", last = "sent", ask = "ask" } = {}) =>
  library.PlanGraph.load(`
nodes:
  first: { type: own, input: "${first}" }
  ${ask}: { type: approve, input: "\${last}" }
  last: { type: own, input: ${last} }
edges: [{ from: first, to: ${ask} }, { from: ${ask}, to: last }]
`);

const host = (calls = []) => ({
  handlers: { own: ({ id, input }) => calls.push(id) && `${input}!` },
});
const undecided = { onWait: async (_approvals, isStuck) => (isStuck ? "paused" : undefined) };
const approve = { onApproval: () => "approved" };
const accept = { acceptChangedPlan: "proved" };

async function pausedLines(graph = plan()) {
  const journal = new durable.MemoryJournal(undecided);
  const report = await durable.runDurable(graph, journal, { input: "hi", ...host() });
  assert.equal(report.outcome.type, "paused");
  return journal.lines;
}

test("a journal moves to a changed plan that is proved, and needs only that plan afterwards", async () => {
  const changed = plan({ last: "really sent" });
  const calls = [];
  const written = [...(await pausedLines())];
  const first = new durable.MemoryJournal({ lines: written, append: (line) => void written.push(line), ...approve });
  const options = { input: "hi", ...host(calls) };
  await assert.rejects(durable.runDurable(changed, first, options), { code: "run/plan-changed" });
  const report = await durable.runDurable(changed, first, { ...options, ...accept });
  assert.equal(report.last, "really sent!");
  assert.deepEqual(calls, ["last"], "only what was open is called");
  const again = await durable.runDurable(changed, new durable.MemoryJournal({ lines: written }), options);
  assert.equal(again.last, "really sent!");
  assert.deepEqual(calls, ["last"]);
  const back = new durable.MemoryJournal({ lines: written });
  await assert.rejects(durable.runDurable(plan(), back, options), { code: "run/plan-changed" });
});

test("an unproved change names its conflicts, and leaves the journal as it is", async () => {
  const lines = await pausedLines();
  const changed = plan({ first: "tell ${input}" });
  const journal = new durable.MemoryJournal({ lines, ...approve });
  const options = { input: "hi", ...host() };
  await assert.rejects(durable.runDurable(changed, journal, { ...options, ...accept }), {
    code: "run/plan-changed",
    message: /`first` has run, and it has changed since \(line 3, column 3\)/,
  });
  assert.deepEqual(journal.lines, lines);
  const own = await durable.runDurable([changed, plan()], journal, { ...options, ...accept });
  assert.equal(own.last, "sent!", "it continues with its own plan");
});

test("compareJournal tells more with the old plan", async () => {
  const lines = await pausedLines();
  const options = { input: "hi", ...host() };
  const changed = plan({ first: "tell ${input}" });
  const compared = await durable.compareJournal(changed, lines, { ...options, from: plan() });
  assert.deepEqual(
    compared.conflicts.map(({ code, message }) => [code, message]),
    [["upgrade/node-changed", "`first` has run, and its `input` has changed since"]],
  );
  const renamed = await durable.compareJournal(plan({ ask: "other" }), lines, { ...options, from: plan() });
  assert.deepEqual(renamed.conflicts.map(({ code }) => code).sort(), ["upgrade/edges-changed", "upgrade/node-gone"]);
  assert.deepEqual(await durable.compareJournal(plan({ last: "x" }), lines, options), { proved: true, conflicts: [] });
  assert.deepEqual(await durable.compareJournal(plan({ last: "x" }), [], options), { proved: true, conflicts: [] });
});

test("another start is a conflict, even if the replay of the changed plan fits", async () => {
  const text = (edges, more = "") =>
    library.PlanGraph.load(`
nodes:
  a: { type: log, input: one }
  b: { type: log, input: two }
  ask: { type: approve, input: "\${last}" }
edges: ${edges}
${more}`);
  const old = text("[{ from: a, to: b, condition: last == two }, { from: a, to: ask }, { from: b, to: ask }]");
  const lines = await pausedLines(old);
  const changed = library.PlanGraph.load(`
nodes:
  b: { type: log, input: two }
  ask: { type: approve, input: "\${last}" }
edges: [{ from: b, to: ask }]
`);
  const options = { input: "hi", ...host() };
  for (const graph of [changed, text("[{ from: b, to: a }, { from: a, to: ask }, { from: b, to: ask }]")])
    for (const from of [undefined, old]) {
      const compared = await durable.compareJournal(graph, lines, { ...options, ...(from && { from }) });
      assert.ok(
        compared.conflicts.some(({ code }) => code === "upgrade/start-changed"),
        JSON.stringify(compared),
      );
    }
  const more = text(
    "[{ from: a, to: b, condition: last == two }, { from: a, to: ask }, { from: b, to: ask }]",
    "id: x",
  );
  assert.deepEqual(await durable.compareJournal(more, lines, options), { proved: true, conflicts: [] });
});

test("a run that has ended, or whose answers do not fit, is a conflict", async () => {
  const journal = new durable.MemoryJournal(approve);
  const options = { input: "hi", ...host() };
  await durable.runDurable(plan(), journal, options);
  const codes = async (graph, more = {}) =>
    (await durable.compareJournal(graph, journal.lines, { ...options, ...more })).conflicts.map(({ code }) => code);
  assert.deepEqual(await codes(plan({ last: "x" }), { from: plan() }), ["upgrade/ended"]);
  assert.deepEqual(await codes(plan()), ["upgrade/ended"], "also with the plan of the run");
  const paused = await durable.compareJournal(plan(), await pausedLines(), options);
  assert.deepEqual(paused, { proved: true, conflicts: [] });
  assert.deepEqual(await codes(plan({ ask: "other" })), ["upgrade/diverged"]);
  const other = library.PlanGraph.load(`
nodes:
  first: { type: own, input: "say \${input}" }
  ask: { type: own }
edges: [{ from: first, to: ask }]
`);
  assert.deepEqual(await codes(other), ["upgrade/diverged"], "a decision is no answer of a handler");
});

for (const [name, opens] of [
  ["a file", (more) => durable.fileJournal(fixture.path("run.journal"), { key: "secret", ...more })],
  ["a database", (more) => durable.sqliteJournal(fixture.path("journals.db"), "run", more)],
])
  test(`a run in ${name} moves, and stays moved after it was opened again`, async () => {
    const calls = [];
    const options = { input: "hi", ...host(calls) };
    const open = { ...options, handlers: { own: ({ id, input }) => options.handlers.own({ id, input }) } };
    const first = await opens({ onApproval: () => new Promise(() => {}) });
    const running = durable.runDurable(plan(), first, open);
    while (first.approvals.length === 0) await new Promise(setImmediate);
    first.interrupt();
    await running;
    await first.close();
    const changed = plan({ last: "really sent" });
    const second = await opens({ onApproval: () => new Promise(() => {}) });
    const moved = durable.runDurable(changed, second, { ...open, ...accept });
    while (second.approvals.length === 0) await new Promise(setImmediate);
    second.interrupt();
    await moved;
    await second.close();
    const third = await opens(approve);
    assert.equal((await durable.runDurable(changed, third, open)).last, "really sent!");
    await third.close();
    assert.deepEqual(calls, ["first", "last"]);
  });

test("a journal of another engine refuses the option", async () => {
  const journal = durable.promiseJournal({ answer: (step) => step.work?.() });
  await assert.rejects(durable.runDurable(plan(), journal, { ...host(), ...accept }), {
    code: "api/bad-option",
    message: /pass the plans of all runs/,
  });
});

/** It poses as the journal of an engine, which can't be changed. */
const hosted = (settings) => Object.assign(new durable.MemoryJournal(settings), { recordsWork: true });

test("a journal that can't be changed and does not record work refuses the option", async () => {
  const journal = durable.promiseJournal({ answer: (step) => step.work() });
  await assert.rejects(durable.runDurable(plan(), journal, { input: "hi", ...host(), ...accept }), {
    code: "api/bad-option",
    message: /keeps its entries or records work/,
  });
});

test("an engine's journal moves the runs that began with the option", async () => {
  const changed = plan({ last: "really sent" });
  for (const [begun, last] of [
    [accept, "really sent!"],
    [{}, "sent!"],
  ]) {
    const first = hosted(undecided);
    await durable.runDurable(plan(), first, { input: "hi", ...host(), ...begun });
    const options = { input: "hi", ...host(), ...accept };
    const journal = hosted({ lines: first.lines, ...approve });
    const report = await durable.runDurable([changed, plan()], journal, options);
    assert.equal(report.last, last);
    const again = await durable.runDurable([changed, plan()], hosted({ lines: journal.lines }), options);
    assert.deepEqual(again.toJSON(), report.toJSON());
  }
});

/** The new node needs a handler, a tool or a model, or a handler takes over its node. */
const NEEDS = [
  ["{type: charge}", { handlers: { ...host().handlers, charge: () => "charged" } }],
  ["{type: tool, tool: pay, input: {}}", { ...host(), tools: { pay: { run: () => "paid" } } }],
  ["{type: llm, input: q}", { ...host(), models: { default: async () => ({ text: "hi", finish: "stop" }) } }],
  ["{type: log, input: q}", { ...host(), byId: { more: () => "taken over" } }],
];
for (const [node, options] of NEEDS)
  test(`a run does not move to a plan that needs more of its host: ${node}`, async () => {
    const text = library.PlanGraph.print(plan().toJSON());
    const changed = library.PlanGraph.load(
      text.replace("nodes:\n", `nodes:\n  more: ${node}\n`).replace("edges:\n", "edges:\n  - {from: last, to: more}\n"),
    );
    const old = new durable.MemoryJournal(undecided);
    await durable.runDurable(plan(), old, { input: "hi", ...host() });
    for (const from of [{}, { from: plan() }]) {
      const compared = await durable.compareJournal(changed, old.lines, { input: "hi", ...options, ...from });
      assert.deepEqual(
        compared.conflicts.map(({ code }) => code),
        ["upgrade/host-changed"],
      );
    }
    const engine = hosted(undecided);
    await durable.runDurable(plan(), engine, { input: "hi", ...host(), ...accept });
    for (const journal of [
      new durable.MemoryJournal({ lines: old.lines, ...approve }),
      hosted({ lines: engine.lines, ...approve }),
    ]) {
      const report = await durable.runDurable([changed, plan()], journal, { input: "hi", ...options, ...accept });
      assert.deepEqual([report.outcome.type, report.last, report.planHash], ["completed", "sent!", plan().hash]);
    }
  });

test("an engine's journal takes the newest plan that is proved, and needs it afterwards", async () => {
  const [unproved, newer, new_] = [plan({ first: "tell ${input}" }), plan({ last: "b" }), plan({ last: "c" })];
  const first = hosted(undecided);
  const options = { input: "hi", ...host(), ...accept };
  await durable.runDurable(plan(), first, options);
  const journal = hosted({ lines: first.lines, ...approve });
  const report = await durable.runDurable([unproved, newer, new_, plan()], journal, options);
  assert.equal(report.last, "b!");
  const gone = hosted({ lines: journal.lines });
  await assert.rejects(durable.runDurable([new_, plan()], gone, options), {
    code: "run/plan-changed",
    message: /has moved to the plan [0-9a-f]{64}: pass that plan, too/,
  });
});

test("a store compares a run with a changed plan, and moves it", async () => {
  const store = await keeper.openStore(fixture.path("runs.db"));
  const calls = [];
  const options = { runId: "order", ...host(calls) };
  await store.run(plan(), { ...options, input: "hi" });
  const changed = plan({ last: "really sent" });
  const other = plan({ first: "tell ${input}" });
  assert.deepEqual(await store.compare(changed, "order"), { proved: true, conflicts: [] });
  const { conflicts } = await store.compare(other, "order");
  assert.deepEqual(
    conflicts.map(({ node, line }) => [node, line]),
    [["first", 3]],
  );
  await assert.rejects(store.run(other, { ...options, ...accept }), {
    code: "run/plan-changed",
    message: /its `input`/,
  });
  assert.equal((await store.plan("order")).hash, plan().hash, "a refusal changes nothing");
  await store.run(changed, { ...options, ...accept });
  assert.equal((await store.plan("order")).hash, changed.hash);
  assert.equal((await store.get("order")).planHash, changed.hash);
  const [{ call }] = await store.approvals({ run: "order" });
  await store.decide("order", call, "approved");
  const report = await store.run(changed, options);
  assert.equal(report.last, "really sent!");
  assert.deepEqual(calls, ["first", "last"]);
  const events = await store.events("order");
  assert.equal(events.at(-1).type, "run-ended");
  await assert.rejects(store.compare(changed, "nowhere"), { code: "store/unknown-run" });
  await store.close();
});
