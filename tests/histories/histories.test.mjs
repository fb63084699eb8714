// Tests that this engine replays the cassettes and journals of earlier engines. If not, the format needs a new version.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { fork, PlanGraph, run } from "../../dist/node.js";
import { Time } from "../parity/drivers/virtual-time.mjs";
import { CASES } from "./cases.mjs";
import { scripted, failingHost } from "./host.mjs";
import { expectedOf, names, read } from "./stored.mjs";

const { runId: _id, ...host } = failingHost();

for (const name of names()) {
  const { plan, input, cassette, journal, expected, snapshot, resumed } = read(name);
  const { graph } = PlanGraph.parse(JSON.stringify(plan));

  test(`${name}: its cassette replays to the same run`, async () => {
    assert.equal(expectedOf(await run(graph, { replay: cassette })), expected);
  });

  test(`${name}: its journal replays to the same run without a call`, async () => {
    const report = await runDurable(graph, new MemoryJournal({ lines: journal }), { input, ...host });
    assert.equal(expectedOf(report), expected);
  });

  if (snapshot) {
    test(`${name}: a run resumes from its snapshot`, async () => {
      const time = new Time();
      const report = await time.during(run(graph, { snapshot, ...scripted(CASES[name], time), clock: time.clock }));
      assert.equal(expectedOf(report), resumed);
    });
  }

  test(`${name}: a fork of its cassette continues the run`, async () => {
    const report = await fork(graph, { cassette, ...host, onApproval: () => "approved" });
    assert.ok(!/^(replay|fork|snapshot|run\/plan)/.test(report.outcome.code ?? ""), JSON.stringify(report.outcome));
  });
}

test("each case has a history, and each history has a case", () => {
  assert.deepEqual(names(), Object.keys(CASES).sort(), "node tests/histories/make.mjs");
  for (const [name, { plan, input = null }] of Object.entries(CASES))
    assert.deepEqual(read(name).plan && { plan: read(name).plan, input: read(name).input }, { plan, input }, name);
});
