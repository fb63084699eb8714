// Tests that a stored run's cassette equals its recording, and serves for replays and tests.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSqliteFolder } from "../servers/sqlite.mjs";

let fixture, library, store;
before(async () => {
  fixture = await createSqliteFolder();
  library = await fixture.library();
  const keeper = await import(new URL("integrations/store/node.js", fixture.entry()).href);
  store = await keeper.openStore(fixture.path("runs.db"));
});
after(async () => {
  await store.close();
  fixture.remove();
});

const PLAN = `
nodes:
  fetch:
    { type: tool, tool: shop.find, input: { q: "\${input}" }, retry: { attempts: 2, backoff_ms: 1 }, timeout_ms: 60000 }
  pause: { type: wait, with: { ms: 1 } }
  fan:
    type: parallel
    branches:
      a: { nodes: { talk: { type: agent, input: "hi", with: { tools: [shop.drop] } } } }
      b: { nodes: { own: { type: greet, input: "\${last}" } } }
  ask: { type: approve, input: "\${last}" }
  fails: { type: greet, input: "fail" }
  done: { type: log, input: "\${error.code}" }
edges:
  - { from: fetch, to: pause }
  - { from: pause, to: fan }
  - { from: fan, to: ask }
  - { from: ask, to: fails }
  - { from: fails, to: done, condition: error.exists }
`;

function host() {
  let [calls, turns] = [0, 0];
  const shop = {
    name: "shop",
    list: async () => [
      { name: "find", input_schema: { type: "object" } },
      { name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } },
    ],
    call: async (name) => {
      if (name === "drop") return { value: "dropped", isError: false };
      return calls++ === 0
        ? { value: null, isError: true, message: "busy" }
        : { value: { found: 1, token: "t0ps3cret" }, isError: false };
    },
    close: async () => {},
  };
  return {
    tools: [shop],
    models: {
      default: ({ tools }) =>
        turns++ === 0
          ? { text: "", tool_calls: [{ id: "1", name: tools[0].name, arguments: {} }], finish: "tool_calls" }
          : { text: "done", finish: "stop" },
    },
    handlers: {
      greet: ({ input }, state) => {
        if (input === "fail") throw new Error("no");
        state.write("said", input);
        return { said: input };
      },
    },
  };
}

async function keep(runId, { until = Infinity } = {}) {
  const graph = library.PlanGraph.load(PLAN);
  const options = { runId, ...host() };
  let report = await store.run(graph, { ...options, input: "hola" });
  for (let decisions = 0; report.outcome.type === "paused" && decisions < until; decisions++) {
    for (const { call } of await store.approvals({ run: runId })) await store.decide(runId, call, "approved", "Ada");
    report = await store.run(graph, options);
  }
  return { graph, report };
}

test("a stored run replays from its cassette, with the same events", async () => {
  const { graph, report } = await keep("whole");
  assert.deepEqual([report.outcome.type, report.last], ["completed", "handler/failed"]);
  const lines = await store.cassette("whole");
  assert.ok(!lines.join("").includes("t0ps3cret"), "secrets are removed");
  const again = await library.run(graph, { replay: lines });
  assert.deepEqual(again.outcome, report.outcome);
  assert.deepEqual(again.path, report.path);
  const types = (trace) => trace.map(({ type, node, scope }) => [type, node, scope]);
  assert.deepEqual(types(again.trace), types(await store.events("whole")));
});

test("a stored run becomes a test", async () => {
  const { graph } = await keep("tested");
  const made = await library.testFromRun(graph, await store.cassette("tested"), { expect: ["outcome", "path"] });
  assert.deepEqual(made.expect, { outcome: "completed", path: ["fetch", "pause", "fan", "ask", "fails", "done"] });
  assert.deepEqual(Object.keys(made.stubs.tools), ["shop.find", "shop.drop"]);
  const plan = library.PlanGraph.load(JSON.stringify({ ...graph.toJSON(), tests: [made] }));
  const [result] = await library.runTests(plan);
  assert.deepEqual(result.differences, []);
});

test("a run that waits, and one that was not decided, have a cassette so far", async () => {
  const { graph, report } = await keep("waits", { until: 1 });
  assert.equal(report.outcome.type, "paused");
  const lines = await store.cassette("waits");
  assert.match(lines.at(-1), /"type":"end","outcome":"paused"/);
  const again = await library.run(graph, { replay: lines });
  assert.deepEqual(
    again.outcome.approvals.map(({ call }) => call),
    report.outcome.approvals.map(({ call }) => call),
  );
  await assert.rejects(store.cassette("nowhere"), { code: "store/unknown-run" });
});
