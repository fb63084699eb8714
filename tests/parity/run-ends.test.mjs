// A step may end the run and also clear a timer or abandon a call. A listener may stop the run at that moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, run } from "../../dist/node.js";

const PLANS = {
  "a node's timeout": "nodes: {a: {type: h, timeout_ms: 60000}}",
  "a run's timeout": "limits: {timeout_ms: 60000}\nnodes: {a: {type: h}}",
  "a branch that is not needed":
    "nodes: {a: {type: parallel, with: {join: any}, branches: {x: {nodes: {one: {type: h}}}, y: {nodes: {two: {type: h}}}}}}",
};
const HANDLERS = { sync: () => 1, async: async () => 1 };
const LAST = ["node-completed", "scope-ended", "run-ended"];

for (const [name, text] of Object.entries(PLANS))
  for (const [kind, h] of Object.entries(HANDLERS))
    for (const type of LAST) {
      test(`${name}, ${kind} handlers: a listener that throws at ${type}`, async () => {
        const graph = PlanGraph.load(text);
        let thrown = false;
        const onEvent = (event) => {
          if (event.type !== type) return;
          thrown = true;
          throw new Error("no more");
        };
        const { outcome } = await run(graph, { handlers: { h }, onEvent });
        assert.equal(outcome.code ?? outcome.type, thrown ? "run/listener-failed" : "completed");
      });

      test(`${name}, ${kind} handlers: a listener that rejects at ${type}`, async () => {
        const graph = PlanGraph.load(text);
        let thrown = false;
        const onEvent = async (event) => {
          if (event.type !== type) return;
          thrown = true;
          throw new Error("no more");
        };
        const { outcome } = await run(graph, { handlers: { h }, onEvent });
        assert.equal(outcome.code ?? outcome.type, thrown ? "run/listener-failed" : "completed");
      });

      test(`${name}, ${kind} handlers: an abort at ${type}`, async () => {
        const graph = PlanGraph.load(text);
        const stop = new AbortController();
        const onEvent = (event) => event.type === type && stop.abort();
        const { outcome } = await run(graph, { handlers: { h }, onEvent, signal: stop.signal });
        assert.ok(["completed", "cancelled"].includes(outcome.type), outcome.type);
      });
    }

test("the recorder of a run with a timeout throws at its last answer", async () => {
  const graph = PlanGraph.load(PLANS["a node's timeout"]);
  const record = (line) => {
    if (JSON.parse(line).type === "done") throw new Error("disk full");
  };
  const { outcome } = await run(graph, { handlers: { h: HANDLERS.sync }, record });
  assert.equal(outcome.code, "run/listener-failed");
});

test("each run has a signal of its own", async () => {
  const graph = PlanGraph.load("nodes: {a: {type: h}, b: {type: h}}\nedges: [{from: a, to: b}]");
  const signals = [];
  const handlers = { h: (_, { signal }) => void signals.push(signal) };
  await run(graph, { handlers });
  await run(graph, { handlers });
  assert.equal(signals[0], signals[1]);
  assert.notEqual(signals[1], signals[2]);
});

test("a changed diagnostic of one report is in no other", async () => {
  const graph = PlanGraph.load("nodes: {a: {type: h}}");
  const options = { handlers: HANDLERS, tools: { t: { run: () => 1 } }, allow: ["nope", "t"] };
  const first = await run(graph, { ...options, handlers: { h: () => 1 } });
  const [warning] = structuredClone(first.diagnostics);
  assert.ok(warning);
  first.diagnostics[0].message = "changed";
  first.diagnostics.push("more");
  const second = await run(graph, { ...options, handlers: { h: () => 1 } });
  assert.deepEqual(second.diagnostics, [warning]);
});

for (const place of ["a listener", "a handler"])
  test(`${place} that starts a run in which ${place} does the same, 5000 times`, async () => {
    const graph = PlanGraph.load("nodes: {a: {type: h}, b: {type: h}}\nedges: [{from: a, to: b}]");
    let left = 5000;
    let ended = 0;
    const again = () => {
      if (left-- <= 0) return;
      const h = place === "a handler" ? () => again() : () => null;
      const onEvent = place === "a listener" ? ({ type }) => void (type === "node-started" && again()) : undefined;
      const done = run(graph, { handlers: { h }, ...(onEvent && { onEvent }) });
      return done.then(({ outcome }) => {
        assert.equal(outcome.type, "completed");
        ended++;
      });
    };
    await again();
    while (ended < 5000) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await run(graph, { handlers: { h: () => 1 } })).last, 1);
  });
