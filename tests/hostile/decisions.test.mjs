// Tests that a decision approves only a call that a person was asked about. Names of calls are predictable, so a client
// can send decisions on calls that come later, or for a run that does not exist.
//
// Needs `dist/` to be built.

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

/** Ways in which decisions reach a run. */
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
      // The stream throws at once: no response starts, and no promise rejects without a handler.
      assert.throws(() => run.stream(TOOLS, options), missing, way);
    }
    assert.deepEqual(called, []);
    // A message without decisions may start one.
    assert.deepEqual(waiting(await run(TOOLS, { tools, decisions: decide() })), ["a:1:1/approval"]);
  }
});

test("a new run accepts decisions that its program knows in advance", async () => {
  assert.equal((await run(ASKS, { decisions: approved("a:1:1", "b:1:1") })).outcome.type, "completed");
});
