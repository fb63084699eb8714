// Tests that values which the types forbid cause an error with a code and no unwanted action.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanDocument } from "../../dist/editor/node.js";
import { checkToolPlan, PlanGraph, readYaml, Run, run } from "../../dist/node.js";
import { plan } from "./plans.mjs";

const NO_TEXTS = [7, 1e9, null, undefined, {}, [], true, Symbol.iterator];

test("a name that is not text is rejected", async () => {
  for (const name of NO_TEXTS) {
    for (const use of [(state) => state.write(name, "v"), (state) => state.output(name)]) {
      const { outcome } = await run(plan("nodes: {a: {type: x}}"), { handlers: { x: (_, state) => use(state) } });
      assert.equal(outcome.code, "api/bad-name", String(name));
    }
  }
});

test("load accepts only text", () => {
  for (const text of NO_TEXTS) {
    assert.throws(() => PlanGraph.parse(text), { code: "api/bad-text" }, String(text));
    assert.throws(() => readYaml(text), { code: "api/bad-text" }, String(text));
    assert.throws(() => new PlanDocument(text), { code: "api/bad-text" }, String(text));
  }
  assert.notEqual(PlanGraph.parse(new TextEncoder().encode("nodes: {a: {type: noop}}")).graph, null);
});

test("only a fingerprint is compared with a plan", () => {
  const graph = plan("nodes: {a: {type: noop}}");
  for (const none of [undefined, null, 7, {}, []])
    assert.deepEqual(graph.differences(none), ["there is no fingerprint to compare with"], String(none));
  for (const odd of [Symbol.iterator, 7n, () => {}, { parts: 7n }])
    assert.throws(() => graph.differences(odd), { code: "api/bad-option" }, typeof odd);
});

const TOOL = { name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } };

test("only a decision is leave", () => {
  const graph = plan("nodes: {b: {type: tool, tool: drop, input: {id: 1}}}");
  for (const decision of ["no", "Approved", "", false, true, 5, {}, [], null, undefined]) {
    const held = new Run(graph, { tools: [TOOL] });
    const [{ type, call }] = held.step({ type: "start", atMs: 0 }).commands;
    assert.equal(type, "ask-approval");
    assert.throws(
      () => held.step({ type: "decided", call, decision, atMs: 1 }),
      { code: "api/bad-event" },
      String(decision),
    );
    const [next] = held.step({ type: "decided", call, decision: "approved", atMs: 1 }).commands;
    assert.equal(next.type, "call-tool");
    held.free();
  }
});

test("anything else is no event, and no time of a snapshot", () => {
  const held = new Run(plan("nodes: {a: {type: x}}"), { types: ["x"] });
  const [{ call }] = held.step({ type: "start", atMs: 0 }).commands;
  for (const event of [undefined, null, 5, "start", Symbol("start"), [], () => {}])
    assert.throws(() => held.step(event), { code: "api/bad-event" }, String(event));
  assert.throws(() => held.step({ type: "call-done", call: Symbol("a"), atMs: 1 }), { code: "run/unknown-call" });
  assert.throws(() => held.node(Symbol("a")), { code: "run/unknown-call" });
  for (const atMs of [undefined, "1", NaN]) assert.throws(() => held.snapshot(atMs), { code: "api/bad-option" });
  assert.equal(held.step({ type: "call-done", call, output: 1, atMs: 1 }).commands.at(-1).type, "finish");
  held.free();
});

test("stubs and printed plans are JSON data", async () => {
  const graph = plan("nodes: {a: {type: x}}");
  const cycle = {};
  cycle.of = cycle;
  for (const value of [1n, cycle, () => 1, new Map([[1, 2]]), NaN, Symbol("a")]) {
    await assert.rejects(run(graph, { stubs: { types: { x: { return: value } } } }), { code: "api/bad-option" });
    assert.throws(() => PlanGraph.print({ nodes: { a: { type: "x", input: value } } }), { code: "api/bad-option" });
    assert.throws(() => checkToolPlan({ tool_calls: [value] }, [TOOL]), { code: "api/bad-option" });
  }
  graph.free();
});

test("runs share nothing that a caller can change", async () => {
  const graph = plan("nodes: {a: {type: x}}");
  for (const change of [
    () => (graph.nodes[0].id = "b"),
    () => (graph.nodes.length = 0),
    () => (graph.edges.length = 1),
    () => (graph.fingerprint.hash = ""),
  ])
    assert.throws(change, TypeError);
  assert.deepEqual((await run(graph, { handlers: { x: () => 1 } })).path, ["a"]);
  await assert.rejects(run(graph, { limits: Promise.resolve({ calls: 0 }) }), { code: "api/bad-option" });
  graph.free();
});

test("a report has the hash of a plan that was freed", async () => {
  const graph = plan("nodes: {a: {type: x}}");
  const report = await run(graph, { handlers: { x: () => 1 } });
  graph.free();
  assert.match(report.planHash, /^[0-9a-f]{64}$/);
});

test("an event needs a time, and a failure a code", () => {
  const graph = plan("nodes: {a: {type: x}}");
  for (const atMs of [undefined, NaN, Infinity, "1"]) {
    const held = new Run(graph, { types: ["x"] });
    assert.throws(() => held.step({ type: "start", atMs }), { code: "api/bad-event" }, String(atMs));
    const [{ call }] = held.step({ type: "start", atMs: 0 }).commands;
    assert.throws(() => held.step({ type: "call-failed", call, atMs: 1 }), { code: "api/bad-event" });
    assert.equal(
      held.step({ type: "call-failed", call, code: "x/y", message: "m", atMs: 1 }).commands.at(-1).outcome.code,
      "x/y",
    );
    held.free();
  }
});
