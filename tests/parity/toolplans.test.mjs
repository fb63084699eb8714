// Tests tool plans through the package: the native cases, and values that only JavaScript can pass.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import { checkToolPlan, PlanGraph, readYaml, run, startSync } from "../../dist/package-internals.js";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const suite = new URL("../suite/toolplans/", import.meta.url);
const file = (name = "talent.yaml") => readYaml(readFileSync(new URL(name, suite), "utf8")).value;
const briefDiagnostic = ({ code, target }) => (target.type === "call" ? `${code} @ ${target.call}` : code);

test("the cases of the suite", () => {
  const cases = readdirSync(suite).flatMap((name) =>
    file(name).cases.map((entry) => ({ tools: file(name).tools, ...entry })),
  );
  assert.ok(cases.length > 60);
  for (const { name, tools, plan, answer, context = {}, trusted, codes = [] } of cases) {
    const problems = checkToolPlan(answer ?? plan, tools, { context, trusted });
    assert.deepEqual(problems.map(briefDiagnostic), codes, name);
    assert.ok(
      problems.every(({ help }) => help),
      name,
    );
  }
});

test("a value that is no tool plan", () => {
  for (const [odd, code] of [
    [undefined, "plan/invalid-type"],
    [null, "plan/invalid-type"],
    [7, "plan/invalid-type"],
    [[], "plan/invalid-type"],
    ["7", "plan/not-json"],
  ]) {
    assert.deepEqual(
      checkToolPlan(odd, []).map((problem) => problem.code),
      [code],
      String(odd),
    );
  }
});

// covers: 000-purpose-2 000-input-2 001-input-2 001-input-context 001-flow-1
test("trusted values reach tools from the context alone", async () => {
  const { tools } = file();
  const seen = [];
  const client = {
    name: "talent",
    list: async () =>
      tools.filter(({ name }) => name !== "twin").map((tool) => ({ ...tool, annotations: { destructiveHint: false } })),
    call: async (name, args) => (seen.push([name, args]), { value: [], isError: false }),
    close: async () => {},
  };
  const said = {
    tool_calls: [
      { tool_name: "get_user_jobs", parameters: { user_email: "boss@b.c" } },
      { tool_name: "get_talent_docs_stats" },
    ],
  };
  const asked = [];
  const model = (request) => (asked.push(request), JSON.stringify(said));
  const { graph } = PlanGraph.parse(
    "{start: p, nodes: {p: {type: plan}, g: {type: gather}}, edges: [{from: p, to: g}]}",
  );
  const report = await run(graph, {
    input: "my jobs?",
    tools: [client],
    models: { default: model },
    context: { user_email: "me@b.c" },
  });
  assert.deepEqual(seen, [
    ["get_user_jobs", { user_email: "me@b.c" }],
    ["get_talent_docs_stats", {}],
  ]);
  assert.equal(report.last.execution_status, "completed");
  const { content: instructions } = asked[0].messages[0];
  assert.ok(instructions.includes("get_user_jobs") && !instructions.includes("user_email"), instructions);
  assert.deepEqual(asked[0].schema.properties.tool_calls.items.properties.tool_name.enum.length, tools.length - 2);
  // The plan names the missing value, so the model answers once and the run makes no calls.
  const [without, told] = [[], []];
  const other = { ...client, call: async (name) => (without.push(name), { value: null, isError: false }) };
  const failed = await run(graph, {
    input: "my jobs?",
    tools: [other],
    models: { default: (request) => (told.push(request), JSON.stringify(said)) },
  });
  assert.deepEqual([failed.outcome.code, without.length, told.length], ["plan/missing-context", 0, 1]);
  const { needs_user_email, needs_context, missing_context } = failed.outputs.plan ?? failed.outputs.p;
  assert.deepEqual([needs_user_email, needs_context, missing_context], [true, ["user_email"], ["user_email"]]);
});
