// Tests calls that the host holds back, and a custom clock, as debuggers need.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, PlanGraph, run } from "../../dist/node.js";

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};

function createManualClock() {
  let at = 0;
  const waits = new Map();
  const clock = {
    now: () => at,
    after: (ms, then) => {
      const wait = { due: at + ms, then };
      waits.set(wait, wait);
      return () => waits.delete(wait);
    },
  };
  const fireNextTimer = () => {
    const [next] = [...waits.values()].sort((a, b) => a.due - b.due);
    waits.delete(next);
    at = next.due;
    next.then();
  };
  return { clock, pass: fireNextTimer, waits };
}

const chain = parse(
  'start: a\nnodes: {a: {type: emit}, b: {type: tool, tool: look, input: {of: "${last}"}}, c: {type: ask}}\nedges: [{from: a, to: b}, {from: b, to: c}]',
);
const parallelPlan = parse(
  "nodes: {fan: {type: parallel, branches: {x: {nodes: {one: {type: emit}}}, y: {nodes: {two: {type: emit}}}}}}",
);

test("onCall receives every call before it is made, with any host", async () => {
  const ahead = [];
  const stubs = { types: { emit: { return: 1 }, ask: { return: 2 } }, tools: { look: { return: 3 } } };
  await run(chain, { stubs, onCall: (call) => void ahead.push(call) });
  assert.deepEqual(ahead, [
    { call: "a:1:1", kind: "handler", node: "a", visit: 1, attempt: 1 },
    { call: "b:1:1", kind: "tool", node: "b", visit: 1, attempt: 1, tool: "look" },
    { call: "c:1:1", kind: "handler", node: "c", visit: 1, attempt: 1 },
  ]);
});

test("a held call is made after its release, and others continue meanwhile", async () => {
  const made = [];
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  const handlers = { emit: ({ call }) => (made.push(call), call.endsWith("two:1:1") && letGo(), call) };
  const report = await run(parallelPlan, { handlers, onCall: ({ scope }) => (scope === "fan:1/x" ? held : undefined) });
  assert.deepEqual(made, ["fan:1/y/two:1:1", "fan:1/x/one:1:1"]);
  assert.deepEqual(report.last, { x: "fan:1/x/one:1:1", y: "fan:1/y/two:1:1" });
});

test("an error thrown by the hook fails the call", async () => {
  const refuse = [
    () => {
      throw new Error("not today");
    },
    async () => {
      throw new Error("not today");
    },
  ];
  for (const onCall of refuse) {
    const { outcome } = await run(parallelPlan, { handlers: { emit: () => assert.fail("it was made") }, onCall });
    assert.equal(outcome.code, "handler/failed");
    assert.equal(outcome.message, "not today");
  }
});

test("a cancelled run makes none of its held calls", async () => {
  const leave = new AbortController();
  const onCall = (_call, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
      leave.abort();
    });
  const { outcome } = await run(parallelPlan, {
    handlers: { emit: () => assert.fail("it was made") },
    onCall,
    signal: leave.signal,
  });
  assert.equal(outcome.type, "cancelled");
});

test("a recorded answer is not passed to onCall", async () => {
  const lines = [];
  const handlers = { emit: () => 1, ask: () => 2 };
  const stubs = { tools: { look: { return: 3 } } };
  await run(chain, { handlers, stubs, record: (line) => lines.push(line) });
  const ahead = [];
  await fork(chain, {
    cassette: lines,
    at: "b:1:1",
    output: 4,
    handlers,
    stubs,
    onCall: ({ call }) => void ahead.push(call),
  });
  assert.deepEqual(ahead, ["c:1:1"]);
});

test("waits, delays and durations use the host's clock", async () => {
  const { clock, pass } = createManualClock();
  const plan = parse("nodes: {a: {type: tool, tool: look, input: {}, retry: {attempts: 2, backoff_ms: 30000}}}");
  const stubs = { tools: { look: { sequence: [{ fail: "busy" }, { return: 1 }], delay_ms: 5000 } } };
  const asked = [];
  // Every call and every retry sets a timer.
  const advanceClock = () => queueMicrotask(pass);
  const report = await run(plan, {
    stubs,
    clock,
    onCall: ({ call }) => (asked.push(call), advanceClock(), undefined),
    onEvent: ({ type }) => type === "node-retried" && advanceClock(),
  });
  assert.deepEqual(asked, ["a:1:1", "a:1:2"]);
  assert.deepEqual([report.outcome.type, report.durationMs], ["completed", 40_000]);
});

test("no call times out while the clock is stopped", async () => {
  const { clock, waits } = createManualClock();
  const plan = parse("nodes: {a: {type: emit, timeout_ms: 1}}");
  const report = await run(plan, { handlers: { emit: async () => (await null, waits.size) }, clock });
  assert.deepEqual([report.outcome.type, report.last, report.durationMs], ["completed", 1, 0]);
  assert.equal(waits.size, 0);
});
