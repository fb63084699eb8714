// Tests that values which the types forbid cause an error with a code and no unwanted action.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanDocument } from "../../dist/editor/node.js";
import { PlanGraph, readYaml, Run, run } from "../../dist/node.js";
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
