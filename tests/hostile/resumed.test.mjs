// Tests that a resumed run asks again if the server or its statements about the approved tool have changed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable/node.js";
import { PlanError, run } from "../../dist/node.js";
import { calling, destroys, parsed, table, tool, worldOf } from "./attack-world.mjs";

const { plans, rows } = table("resumed.yaml");
const graphs = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, parsed(plan)]));

const createWorld = (servers = { shop: { wipe: destroys } }, decide = () => "approved") =>
  worldOf({
    servers: Object.fromEntries(
      Object.entries(servers).map(([server, tools]) => [
        server,
        Object.entries(tools).map(([name, annotations]) => tool(name, annotations === null ? {} : { annotations })),
      ]),
    ),
    say: [calling({ name: "wipe", arguments: { id: "one" } }), "done"],
    decide,
  });

async function paused(plan, more) {
  const { outcome, snapshot } = await run(graphs[plan], { ...createWorld().host, ...more });
  assert.deepEqual([outcome.type, outcome.approval.server, outcome.approval.tool], ["paused", "shop", "wipe"]);
  return { snapshot: JSON.parse(JSON.stringify(snapshot)), call: outcome.approval.call };
}

for (const [plan, graph] of Object.entries(graphs))
  for (const { what, servers, allow, decided, silent } of rows)
    for (const key of [undefined, "secret"])
      test(`\`${plan}\` with ${what}${key ? ", signed" : ""}`, async () => {
        const { snapshot, call } = await paused(plan, { key });
        for (const [wanted, decisions] of [
          [decided, { [call]: "approved" }],
          [silent, {}],
        ]) {
          const there = createWorld(servers);
          const models = { default: () => "done" };
          const host = { ...there.host, models, key, ...(allow && { allow }) };
          let report = await run(graph, { ...host, snapshot, decisions });
          if (wanted === "asks") {
            const { outcome } = report;
            assert.deepEqual([outcome.type, there.called], ["paused", []]);
            assert.equal(outcome.approval.server, Object.keys(servers)[0]);
            report = await run(graph, { ...host, snapshot: report.snapshot, decisions: { [call]: "approved" } });
          }
          assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
          assert.deepEqual([there.called.length, there.called[0].args], [1, { id: "one" }]);
        }
      });

test("a decision on other arguments is invalid, and with a key the snapshot is invalid too", async () => {
  for (const key of [undefined, "secret"]) {
    const { snapshot, call } = await paused("tool", { key });
    for (const change of [{ hash: "0" }, { server: "evil" }, { tool: "read" }]) {
      const asked = { [call]: { ...snapshot.asked[call], ...change } };
      const there = createWorld();
      const again = run(graphs.tool, {
        ...there.host,
        key,
        snapshot: { ...snapshot, asked },
        decisions: { [call]: "approved" },
      });
      if (key) await assert.rejects(again, { code: "snapshot/unusable" });
      else assert.equal((await again).outcome.type, "paused");
      assert.deepEqual(there.called, []);
    }
  }
});

test("a forged approval in a snapshot is rejected", async () => {
  const { snapshot } = await paused("tool");
  for (const asked of [null, 1, "a", [], { a: null }, { a: {} }, { a: { tool: 1, hash: "", says: "" } }])
    await assert.rejects(
      run(graphs.tool, { ...createWorld().host, snapshot: { ...snapshot, asked } }),
      (error) => error instanceof PlanError && error.code === "snapshot/unusable",
    );
});

test("a durable run continues with its original servers, in their order", async () => {
  const journal = new MemoryJournal();
  const running = runDurable(
    graphs.tool,
    journal,
    createWorld({ shop: { wipe: destroys }, other: { read: null } }).host,
  );
  while (journal.approvals.length === 0) await new Promise(setImmediate);
  assert.equal(journal.approvals[0].server, "shop");
  const lines = [...journal.lines];
  journal.cancel();
  await running;
  for (const names of [["evil", "other"], ["other", "shop"], ["shop"]]) {
    const there = createWorld(Object.fromEntries(names.map((name) => [name, { wipe: destroys }])));
    const again = new MemoryJournal({ lines, onApproval: () => "approved" });
    await assert.rejects(runDurable(graphs.tool, again, there.host), { code: "durable/host-changed" });
    assert.deepEqual(there.called, []);
  }
  const there = createWorld({ shop: { wipe: null }, other: {}, more: {} });
  const again = new MemoryJournal({ lines, onApproval: () => "approved" });
  assert.equal((await runDurable(graphs.tool, again, there.host)).outcome.type, "completed");
});
