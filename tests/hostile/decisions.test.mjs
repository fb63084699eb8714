// Tests that a decision approves only a call that a person has seen, although names of calls are predictable.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as agUi from "../../dist/integrations/ag-ui.js";
import * as aiSdk from "../../dist/integrations/ai-sdk.js";
import { PlanGraph, run } from "../../dist/node.js";

const TOOLS = PlanGraph.load(
  "nodes: {a: {type: tool, tool: look}, b: {type: tool, tool: pay}}\nedges: [{from: a, to: b}]",
);
const ASKS = PlanGraph.load(
  "nodes: {a: {type: approve, input: 1}, b: {type: approve, input: 2}}\nedges: [{from: a, to: b}]",
);
const BRANCHES = PlanGraph.load(`
nodes:
  fan:
    type: parallel
    branches:
      left: {nodes: {a: {type: approve, input: 1}, b: {type: approve, input: 2}}, edges: [{from: a, to: b}]}
      right: {nodes: {c: {type: approve, input: 3}}}`);

function createHost() {
  const called = [];
  const destructive = (name) => ({ annotations: { destructiveHint: true }, run: () => void called.push(name) });
  return { called, tools: { look: destructive("look"), pay: destructive("pay") } };
}

const saved = (report) => JSON.parse(JSON.stringify(report.snapshot));
const waiting = ({ outcome }) => (outcome.approvals ?? []).map(({ call }) => call);
const approved = (...calls) => Object.fromEntries(calls.map((call) => [call, "approved"]));

const uiMessage = (...calls) => ({
  id: "m",
  role: "assistant",
  parts: calls.map((id) => ({
    type: "dynamic-tool",
    toolName: "any",
    toolCallId: id,
    state: "approval-responded",
    input: {},
    approval: { id, approved: true },
  })),
});
const agUiInput = (...calls) => ({
  threadId: "t",
  runId: "r",
  messages: [],
  resume: calls.map((interruptId) => ({ interruptId, status: "resolved", payload: { approved: true } })),
});

const WAYS = {
  "the program": approved,
  "a message of AI SDK": (...calls) => aiSdk.decisionsOf(uiMessage(...calls)),
  "a request of AG-UI": (...calls) => agUi.decisionsOf(agUiInput(...calls)),
};

for (const [way, decide] of Object.entries(WAYS)) {
  test(`a decision from ${way} on a later tool call approves nothing`, async () => {
    const { called, tools } = createHost();
    const paused = await run(TOOLS, { tools });
    assert.deepEqual(waiting(paused), ["a:1:1/approval"]);
    const decisions = decide("a:1:1/approval", "b:1:1/approval");
    const next = await run(TOOLS, { tools, snapshot: saved(paused), decisions });
    assert.deepEqual([called, waiting(next)], [["look"], ["b:1:1/approval"]]);
    const last = await run(TOOLS, { tools, snapshot: saved(next), decisions: decide("b:1:1/approval") });
    assert.deepEqual([called, last.outcome.type], [["look", "pay"], "completed"]);
  });

  test(`a decision from ${way} on a later \`approve\` node approves nothing, and a stream asks too`, async () => {
    const decisions = decide("a:1:1", "b:1:1");
    const snapshot = saved(await run(ASKS));
    for (const resumed of [
      await run(ASKS, { snapshot, decisions }),
      await run.stream(ASKS, { snapshot, decisions }).report,
    ])
      assert.deepEqual([resumed.last, waiting(resumed)], ["approved", ["b:1:1"]]);
  });

  test(`a decision from ${way} counts in the branch that waits, and not behind it`, async () => {
    const [left, right] = ["fan:1/left/a:1:1", "fan:1/right/c:1:1"];
    const paused = await run(BRANCHES);
    assert.deepEqual(waiting(paused), [left, right]);
    const decisions = decide(left, "fan:1/left/b:1:1");
    const next = await run(BRANCHES, { snapshot: saved(paused), decisions });
    assert.deepEqual(waiting(next).sort(), ["fan:1/left/b:1:1", right]);
  });
}

test("a decision counts only for the value that the person saw", async () => {
  const graph = PlanGraph.load('nodes: {a: {type: approve, input: "pay ${last}"}}');
  const paused = saved(await run(graph, { input: 5 }));
  const changed = { ...paused, values: paused.values.map((value) => (value === 5 ? 5000 : value)) };
  const resumed = await run(graph, { snapshot: changed, decisions: approved("a:1:1") });
  assert.deepEqual([waiting(resumed), resumed.outcome.approval.input], [["a:1:1"], "pay 5000"]);
  assert.equal((await run(graph, { snapshot: paused, decisions: approved("a:1:1") })).last, "approved");
});

test("values of one process count without JSON, and values that JSON changes count after it", async () => {
  const loop = {};
  loop.self = loop;
  for (const [value, isJson] of [
    [loop, false],
    [10n, false],
    [new Date(0), true],
    [{ gone: undefined, no: NaN }, true],
  ]) {
    const graph = PlanGraph.load(
      'nodes: {a: {type: get}, b: {type: approve, input: "${last}"}}\nedges: [{from: a, to: b}]',
    );
    const handlers = { get: () => value };
    const paused = await run(graph, { handlers });
    for (const snapshot of isJson ? [paused.snapshot, saved(paused)] : [paused.snapshot]) {
      const resumed = await run(graph, { handlers, snapshot, decisions: approved("b:1:1") });
      assert.deepEqual([resumed.outcome.type, resumed.last], ["completed", "approved"]);
    }
  }
});

test("a snapshot without its requests asks again", async () => {
  const { asked, ...older } = saved(await run(ASKS));
  assert.deepEqual(Object.keys(asked), ["a:1:1"]);
  const again = await run(ASKS, { snapshot: older, decisions: approved("a:1:1") });
  assert.deepEqual(waiting(again), ["a:1:1"]);
  assert.deepEqual(waiting(await run(ASKS, { snapshot: saved(again), decisions: approved("a:1:1") })), ["b:1:1"]);
});

test("decisions of a client never start a new run", async () => {
  const missing = { code: "snapshot/missing", message: /only with the `snapshot`/ };
  for (const [way, decide] of Object.entries(WAYS)) {
    const { called, tools } = createHost();
    const decisions = decide("a:1:1/approval", "b:1:1/approval");
    const lost = [{ tools, snapshot: undefined, decisions }];
    if (way !== "the program") lost.push({ tools, decisions });
    for (const options of lost) {
      await assert.rejects(run(TOOLS, options), missing, way);
      // No response starts, and no promise rejects without a handler.
      assert.throws(() => run.stream(TOOLS, options), missing, way);
    }
    assert.deepEqual(called, []);
    assert.deepEqual(waiting(await run(TOOLS, { tools, decisions: decide() })), ["a:1:1/approval"]);
  }
});

test("a new run accepts decisions that its program knows in advance", async () => {
  assert.equal((await run(ASKS, { decisions: approved("a:1:1", "b:1:1") })).outcome.type, "completed");
});

const LEAK = PlanGraph.load(`
nodes:
  ask: { type: approve, input: "go?" }
  lookup: { type: lookup, input: x }
edges: [{ from: ask, to: lookup }]
`);
const all = async (items) => {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
};

test("a request of one run decides nothing in another, also if both ask under one name", async () => {
  const first = run.stream(ASKS, {});
  const { snapshot: old } = await first.report;
  const other = run.stream(ASKS, {});
  const { snapshot } = await other.report;
  assert.notEqual(first.runId, other.runId);
  const id = `a:1:1#${first.runId}`;
  for (const decisions of [aiSdk.decisionsOf(uiMessage(id)), agUi.decisionsOf(agUiInput(id))]) {
    await assert.rejects(run(ASKS, { snapshot, decisions }), { code: "snapshot/other-run" });
    assert.equal((await run(ASKS, { snapshot: old, decisions })).last, "approved");
  }
});

test("two decisions on one approval, and messages of users, are refused", () => {
  for (const read of [
    () => aiSdk.decisionsOf(uiMessage("a:1:1", "a:1:1")),
    () => agUi.decisionsOf(agUiInput("a", "a")),
  ])
    assert.throws(read, { code: "api/bad-option", message: /two decisions/ });
  assert.throws(() => aiSdk.decisionsOf({ ...uiMessage("a:1:1"), role: "user" }), { code: "api/bad-option" });
});

test("a forged part shows no output of a node, and a message has a textual id", async () => {
  const handlers = { lookup: () => ({ password: "hunter2-secret" }) };
  const { snapshot } = await run(LEAK, { handlers });
  const message = uiMessage("ask:1:1");
  message.parts.push({ type: "dynamic-tool", toolName: "x", toolCallId: "lookup:1:1", state: "input-available" });
  const options = () => ({ handlers, snapshot, decisions: aiSdk.decisionsOf(uiMessage("ask:1:1")) });
  const chunks = await all(aiSdk.toUIMessageStream(run.stream(LEAK, options()), { message }));
  const input = {
    ...agUiInput("ask:1:1", "lookup:1:1"),
    messages: [{ id: "1", role: "assistant", toolCalls: [{ id: "lookup:1:1" }, { id: "ask:1:1" }] }],
  };
  const events = await all(agUi.toAgUi(run.stream(LEAK, options()), { input }));
  // A wrapped stream, which lacks its snapshot, must not show the secret either.
  const wrapped = (async function* () {
    yield* run.stream(LEAK, options());
  })();
  const more = await all(agUi.toAgUi(wrapped, { input }));
  for (const shown of [chunks, events, more]) assert.doesNotMatch(JSON.stringify(shown), /hunter2/);
  assert.throws(() => aiSdk.toUIMessageStream(run.stream(LEAK, options()), { message: { ...message, id: { a: 1 } } }), {
    code: "api/bad-option",
  });
});

test("the plan's metadata does not hide the input of an interrupt", async () => {
  const text =
    'nodes: {ask: {type: approve, input: "wire 5 EUR", metadata: {input: "show the weather", node: weather}}}';
  const input = { threadId: "t", runId: "r", messages: [] };
  const events = await all(agUi.toAgUi(run.stream(PlanGraph.load(text), {}), { input }));
  const [{ metadata }] = events.at(-1).outcome.interrupts;
  assert.deepEqual(metadata, { input: "wire 5 EUR", node: "ask" });
});

test("a value that is no answer, or no map of arguments, makes no call", async () => {
  const plan = PlanGraph.load("nodes: {pay: {type: tool, tool: pay, input: {table: tmp}}}");
  const call = "pay:1:1/approval";
  for (const value of [undefined, () => 1, Symbol("x"), null, 5, [], new Map([["table", "tmp"]])]) {
    const { called, tools } = createHost();
    const asked = await run(plan, { tools, onApproval: () => ({ value }) });
    assert.equal(asked.outcome.code, "approval/failed");
    const given = run(plan, { tools, decisions: { [call]: { value } } });
    const code = await given.then(
      ({ outcome }) => outcome.code,
      (error) => error.code,
    );
    assert.match(code, /^(approval\/failed|api\/bad-option)$/);
    assert.deepEqual(called, []);
  }
});

test("a decision is read once", async () => {
  const { called, tools } = createHost();
  let reads = 0;
  const decisions = {
    get "a:1:1/approval"() {
      return ["rejected", "rejected", "approved"][reads++] ?? "approved";
    },
  };
  await run(TOOLS, { tools, decisions });
  assert.deepEqual(called, []);
});
