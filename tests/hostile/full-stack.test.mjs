// Tests that a host which calls the engine with a full stack, and catches the error, can go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExpression, evaluate, PlanGraph, Run, run } from "../../dist/node.js";

const PLAN = 'nodes: {a: {type: log, input: "${input.l.map(x, x + 1)}"}}';
const graph = PlanGraph.load(PLAN);

/** Calls nearer and nearer to the end of the stack, until a call has room. Returns the errors. */
function callAtEnd(call, rounds = 30) {
  const errors = [];
  let hasRoom;
  const deeper = () => {
    try {
      deeper();
    } catch (error) {
      try {
        if (!hasRoom) {
          call();
          hasRoom = true;
        }
      } catch (failure) {
        errors.push(failure);
      }
      throw error;
    }
  };
  for (let times = 0; times < rounds; times++) {
    hasRoom = false;
    assert.throws(deeper, RangeError);
  }
  return errors;
}

const CALLS = {
  evaluate: () => evaluate("l.map(x, [x, x])", { l: [1, 2, 3] }),
  checkExpression: () => checkExpression("last.n * 2", { last: { properties: { n: { type: "number" } } } }),
  "PlanGraph.parse": () => PlanGraph.parse(PLAN),
  step: () => new Run(graph, { input: { l: [1] } }).step({ type: "start", atMs: 0 }),
};

for (const [name, call] of Object.entries(CALLS)) {
  test(`${name} on a full stack`, async () => {
    const errors = callAtEnd(call);
    assert.ok(errors.length > 0);
    const traps = errors.filter((error) => error instanceof WebAssembly.RuntimeError);
    assert.deepEqual(traps, []);
    const outOfBounds = errors.filter(({ message }) => /out of bounds|unreachable/.test(message));
    assert.deepEqual(outOfBounds, []);
    assert.deepEqual(evaluate("[1, 2].map(x, x + 1)"), [2, 3]);
    assert.deepEqual(PlanGraph.parse(PLAN).diagnostics, []);
    const { outcome, last } = await run(graph, { input: { l: [1] } });
    assert.deepEqual([outcome.type, last], ["completed", [2]]);
  });
}

test("a run on a full stack", async () => {
  const reports = [];
  callAtEnd(() => void reports.push(run(graph, { input: { l: [1] } })), 3);
  for (const { status, value, reason } of await Promise.allSettled(reports)) {
    if (status === "fulfilled") assert.equal(value.outcome.type, "completed");
    else assert.ok(reason instanceof RangeError || reason.code === "api/engine-failed", String(reason));
  }
  const { last } = await run(graph, { input: { l: [1] } });
  assert.deepEqual(last, [2]);
});
