// Tests that values which JSON can't hold, or which throw when they are read, never make a run of the library reject.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, run, runTests } from "../../dist/node.js";

const thrower = () => {
  throw new Error("not to be read");
};
const nested = (levels) => Array.from({ length: levels }).reduce((value) => ({ value }), {});
const cycle = { a: 1 };
cycle.self = cycle;
const asItself = {};
asItself.toJSON = () => asItself;
const VALUES = {
  cycle,
  asItself,
  bigint: { a: 10n },
  map: new Map([[1, 2]]),
  function: { call() {} },
  symbol: Symbol("s"),
  nan: Number.NaN,
  toJSON: { toJSON: thrower },
  getter: Object.defineProperty({}, "a", { get: thrower, enumerable: true }),
  keys: new Proxy({}, { ownKeys: thrower }),
  everything: new Proxy({}, { get: (_, key) => (key === "then" ? undefined : thrower()) }),
  deep: nested(10_000),
  error: new Error("a value"),
  typed: new Uint8Array(3),
};
const FINE = {
  date: [new Date(0), "1970-01-01T00:00:00.000Z"],
  invalidDate: [new Date(Number.NaN), null],
  holes: [
    [1, undefined, 3],
    [1, null, 3],
  ],
  sparse: [Object.assign([], { 2: 1 }), [null, null, 1]],
  nothing: [undefined, null],
};

const READERS = {
  nobody: "",
  condition: "b: {type: noop}",
  template: 'b: {type: log, input: "v ${last}"}',
  value: 'b: {type: log, input: "${last}"}',
  path: 'b: {type: log, input: "${last.a}"}',
  comparison: 'b: {type: log, input: "${last == last}"}',
  size: 'b: {type: log, input: "${size(last)}"}',
  set: 'b: {type: set, with: {values: {x: "${last}"}}}',
  map: 'b: {type: map, input: "${last}", do: {nodes: {c: {type: noop}}}}',
  model: 'b: {type: llm, input: "${last}"}',
  tool: 'b: {type: tool, tool: t, input: {q: "${last}"}}',
  approval: 'b: {type: approve, input: "${last}"}',
};
const plans = Object.entries(READERS).map(([name, node]) => {
  const edges = `edges: [{from: a, to: b, condition: last == 5}, {from: a, to: b, condition: last.a == 1}, {from: a, to: b}]`;
  const text = `start: a\nnodes:\n  a: {type: odd}\n  ${node}\n${node === "" ? "" : edges}\n`;
  return [name, PlanGraph.load(text)];
});
const host = (value) => ({
  handlers: { odd: () => value },
  models: { default: () => "ok" },
  tools: { t: { input: { type: "object" }, run: () => 1 } },
});

test("a run ends with an outcome, whatever a handler returns", async () => {
  for (const [kind, value] of Object.entries(VALUES))
    for (const [reader, graph] of plans)
      for (const more of [{}, { limits: { output_bytes: 1e6 } }, { onEvent() {} }, { record() {} }]) {
        const { outcome } = await run(graph, { ...host(value), ...more });
        const at = `${kind}, ${reader}, ${Object.keys(more)}: ${JSON.stringify(outcome.code ?? outcome.type)}`;
        assert.ok(["completed", "failed", "paused"].includes(outcome.type), at);
        if (outcome.type === "failed") assert.match(outcome.code, /^[a-z]+\/[a-z-]+$/, at);
      }
});

test("tests refuse them all with one code, and accept what JSON writes", async () => {
  const graph = PlanGraph.load(
    "nodes: {a: {type: odd}}\ntests: [{name: t, expect: {code: handler/not-json, node: a}}]",
  );
  for (const [kind, value] of Object.entries(VALUES)) {
    const [{ differences }] = await runTests(graph, host(value));
    assert.deepEqual(differences, [], kind);
  }
  for (const [kind, [value, written]] of Object.entries(FINE)) {
    const report = await run(PlanGraph.load("nodes: {a: {type: odd}}"), host(value));
    assert.deepEqual(JSON.parse(JSON.stringify(report)).last, written, kind);
  }
});
