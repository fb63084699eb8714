// Options and limits that nobody would heed are refused, and say which there are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, PlanGraph, Run, review, run } from "stepgraph";
import { MemoryJournal, runDurable } from "stepgraph/durable";

const { graph } = PlanGraph.parse("nodes: {a: {type: log, input: hi}}");
const cassette = [];
await run(graph, { record: (line) => cassette.push(line) });

/** Every function that runs a plan. */
const RUNS = {
  run: async (options) => run(graph, options),
  fork: async (options) => fork(graph, { cassette, ...options }),
  runDurable: async (options) => runDurable(graph, new MemoryJournal(), options),
  Run: async (options) => new Run(graph, options).free(),
};

test("unknown options are refused", async () => {
  for (const [name, runs] of Object.entries(RUNS)) {
    for (const options of [{ limit: {} }, { timeoutMs: 5 }, { onapproval: null }])
      await assert.rejects(runs(options), { code: "api/unknown-option" }, name);
    await runs({ input: undefined, nothing: undefined });
  }
});

test("limits that are no bounds are refused", async () => {
  for (const [name, runs] of Object.entries(RUNS)) {
    for (const limits of [{ stepss: 5 }, { timeoutMs: 1 }])
      await assert.rejects(runs({ limits }), { code: "api/unknown-option" }, name);
    for (const limits of [{ steps: -1 }, { steps: NaN }, { calls: 1.5 }, { tokens: "5" }, { timeout_ms: Infinity }])
      await assert.rejects(runs({ limits }), { code: "api/bad-limit" }, name);
    await runs({ limits: { steps: 5, timeout_ms: 1000.5 } });
  }
});

test("a durable run names the way to what it does not take", async () => {
  for (const name of ["signal", "stubs", "decisions", "record", "replay", "clock", "onCall", "onApproval"])
    await assert.rejects(RUNS.runDurable({ [name]: {} }), { code: "api/unknown-option", message: new RegExp(name) });
});

test("settings that are empty are none", () => {
  const parsed = PlanGraph.parse("nodes: {a: {type: llm, with: }}");
  assert.deepEqual(
    review(parsed.graph).models.map(({ name }) => name),
    ["default"],
  );
});
