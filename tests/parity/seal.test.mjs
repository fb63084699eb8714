// Tests that a host with a key resumes only from snapshots signed with it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, run } from "stepgraph";

const plan = {
  start: "ask",
  nodes: { ask: { type: "approve", input: "go?" }, say: { type: "log", input: "${last}" } },
  edges: [{ from: "ask", to: "say" }],
};
const { graph } = PlanGraph.parse(JSON.stringify(plan));
const decisions = { "ask:1:1": "approved" };

const pausedSnapshot = async (key) => JSON.parse(JSON.stringify((await run(graph, { ...(key && { key }) })).snapshot));

/** Some databases reverse the keys of maps. */
const turned = (value) =>
  value === null || typeof value !== "object"
    ? value
    : Array.isArray(value)
      ? value.map(turned)
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, inner]) => [key, turned(inner)]),
        );

test("a run with the key resumes a signed snapshot", async () => {
  for (const key of ["secret", new Uint8Array([1, 2, 3])]) {
    const snapshot = await pausedSnapshot(key);
    for (const given of [snapshot, turned(snapshot)]) {
      const report = await run(graph, { snapshot: given, key, decisions });
      assert.equal(report.outcome.type, "completed");
    }
  }
});

test("an invalid key is rejected before any call", async () => {
  let called = 0;
  const { graph: calls } = PlanGraph.parse("nodes: {a: {type: h}}");
  const handlers = { h: () => called++ };
  for (const key of [
    "",
    null,
    0,
    NaN,
    false,
    true,
    {},
    [],
    new Uint8Array(0),
    new DataView(new ArrayBuffer(3)),
    () => 1,
  ])
    await assert.rejects(run(calls, { key, handlers }), { code: "api/bad-option" });
  assert.equal(called, 0);
});

test("any other is refused", async () => {
  const snapshot = await pausedSnapshot("secret");
  const other = await pausedSnapshot("other");
  const changed = structuredClone(snapshot);
  changed.values.push("more");
  const state = structuredClone(snapshot);
  state.state.scope_states[0].visit = 7;
  const { mac: _, ...unsigned } = snapshot;
  for (const given of [
    await pausedSnapshot(),
    other,
    changed,
    state,
    unsigned,
    { ...snapshot, mac: 7 },
    { ...snapshot, run: "x" },
  ])
    await assert.rejects(run(graph, { snapshot: given, key: "secret", decisions }), { code: "snapshot/unusable" });
  assert.equal((await run(graph, { snapshot, decisions })).outcome.type, "completed");
});
