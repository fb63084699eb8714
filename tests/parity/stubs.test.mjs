// Tests stubs that describe their tools as a server would, in programs and in cassettes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import {
  check,
  checkToolPlan,
  PlanError,
  PlanGraph,
  review,
  run,
  startSync,
  stubTools,
} from "../../dist/package-internals.js";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const input_schema = {
  type: "object",
  properties: { name: { type: "string" }, password: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};
const stubs = {
  tools: {
    find: {
      by: "name",
      cases: { Ana: { return: { id: 7 } } },
      else: { fail: "nobody", code: "users/none" },
      description: "finds",
      input_schema,
      output_schema: { type: "object" },
      annotations: { readOnlyHint: true },
    },
    drop: { return: "gone", annotations: { destructiveHint: true } },
    plain: "echo",
  },
  models: { default: { return: { tool_calls: [{ tool_name: "find", parameters: { name: "Ana" } }] } } },
};
const parsed = (text) => PlanGraph.parse(text).graph;
const planned = () =>
  parsed(
    'nodes: {p: {type: plan, input: who}, g: {type: gather}, say: {type: log, input: "${output.g.find_data}"}}\nedges: [{from: p, to: g}, {from: g, to: say}]',
  );

test("stubs list their tools as a server would", () => {
  assert.deepEqual(stubTools(stubs), [
    {
      name: "find",
      description: "finds",
      input_schema,
      output_schema: { type: "object" },
      annotations: { readOnlyHint: true },
    },
    { name: "drop", input_schema: {}, annotations: { destructiveHint: true } },
    { name: "plain", input_schema: {} },
  ]);
  assert.deepEqual(stubTools({}), []);
  const tools = stubTools(stubs);
  assert.deepEqual(
    checkToolPlan({ tool_calls: [{ tool_name: "find", parameters: { nam: "Ana" } }] }, tools)
      .map(({ code }) => code)
      .sort(),
    ["plan/missing-parameter", "plan/unknown-parameter"],
  );
  const graph = parsed(
    "nodes: {a: {type: tool, tool: find, input: {nam: Ana}}, b: {type: drop, input: {}}}\nedges: [{from: a, to: b}]",
  );
  assert.deepEqual(
    check(graph, { tools }).map(({ code }) => code),
    ["tool/invalid-arguments"],
  );
  assert.deepEqual(
    review(graph, { tools }).tools.map(({ name, effect }) => [name, effect]),
    [
      ["find", "reads"],
      ["drop", "destroys"],
    ],
  );
});

test("a model receives the schemas of the stubs and is validated against them", async () => {
  let asked;
  const models = {
    default: ({ messages }) => ((asked = JSON.stringify(messages)), JSON.stringify(stubs.models.default.return)),
  };
  const { last } = await run(planned(), { models, stubs: { tools: stubs.tools } });
  assert.deepEqual(last, { id: 7 });
  assert.ok(asked.includes("finds") && asked.includes("additionalProperties"), asked);
});

test("a cassette contains the tool listings of stubs, and not their answers", async () => {
  const lines = [];
  const recorded = await run(planned(), { stubs, record: (line) => lines.push(line) });
  assert.deepEqual(recorded.last, { id: 7 });
  const { stubs: kept } = JSON.parse(lines[0]).host;
  assert.deepEqual(kept.tools.find, {
    description: "finds",
    input_schema,
    output_schema: { type: "object" },
    annotations: { readOnlyHint: true },
    return: null,
  });
  assert.deepEqual(
    [kept.tools.drop, kept.tools.plain],
    [{ annotations: { destructiveHint: true }, return: null }, "last"],
  );
  assert.ok(!JSON.stringify(kept).includes("nobody"));
  const again = await run(planned(), { replay: lines });
  assert.deepEqual([again.outcome, again.trace], [recorded.outcome, recorded.trace]);
});

test("a stub with a destructive tool waits for approval", async () => {
  const graph = parsed("nodes: {a: {type: drop, input: {}}}");
  assert.equal((await run(graph, { stubs })).outcome.type, "paused");
  assert.equal((await run(graph, { stubs, allow: true })).last, "gone");
});

test("a misspelt stub or handler refuses the run before any call", async () => {
  const graph = parsed("nodes: {pay: {type: tool, tool: pay, input: {}}}");
  let calls = 0;
  const tools = { pay: { input: {}, run: () => ++calls } };
  for (const options of [{ stubs: { tools: { pai: "echo" } } }, { byId: { payy: () => 1 } }]) {
    const { outcome } = await run(graph, { tools, ...options });
    assert.equal(outcome.code, "run/invalid-plan");
    assert.equal(outcome.diagnostics[0].help, "did you mean `pay`?");
  }
  assert.equal(calls, 0);
  // Stubs may be for several plans.
  for (const names of [{ refund: "echo" }, { pai: "echo", pay: "echo" }])
    assert.equal((await run(graph, { tools, stubs: { tools: names } })).outcome.type, "completed");
});

test("an invalid stub is rejected with its position", async () => {
  for (const [tool, place] of [
    [{ return: 1, input_schema: { type: "text" } }, "tools.t.input_schema.type"],
    [{ return: 1, output_schema: 1 }, "tools.t.output_schema"],
    [{ return: 1, description: 1 }, "tools.t.description"],
    [{ by: "a" }, "tools.t"],
  ]) {
    await assert.rejects(
      run(parsed("nodes: {a: {type: t}}"), { stubs: { tools: { t: tool } } }),
      (error) => error instanceof PlanError && error.message.startsWith(`stubs at \`${place}\``),
    );
  }
});
