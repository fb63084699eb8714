// Tests tools from callers: this package's field names or MCP's are allowed, others refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, checkToolPlan, PlanError, PlanGraph, review, run, stubTools } from "stepgraph";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const listed = {
  name: "weather",
  title: "Weather",
  inputSchema: schema,
  outputSchema: { type: "object", properties: { degrees: { type: "number" } } },
  annotations: { readOnlyHint: true },
  icons: [],
  execution: {},
  _meta: {},
};
const { graph } = PlanGraph.parse("nodes: {a: {type: tool, tool: weather, input: {town: Oslo}}}");
const codes = (diagnostics) => diagnostics.map(({ code }) => code);

test("a tool as listed by MCP is validated against its schemas", async () => {
  const ours = { name: "weather", input_schema: schema };
  assert.ok(codes(check(graph, { tools: [ours] })).length > 0);
  assert.deepEqual(codes(check(graph, { tools: [listed] })), codes(check(graph, { tools: [ours] })));
  assert.equal(review(graph, { tools: [listed] }).tools[0].effect, "reads");
  const call = { tool_calls: [{ tool_name: "weather", parameters: { town: "Oslo" }, reasoning: "" }] };
  assert.deepEqual(codes(checkToolPlan(call, [listed])), codes(checkToolPlan(call, [ours])));
  const client = {
    name: "s",
    list: async () => [listed],
    call: async () => ({ value: 1, isError: false }),
    close() {},
  };
  const { graph: right } = PlanGraph.parse("nodes: {a: {type: tool, tool: weather, input: {city: Oslo}}}");
  assert.equal((await run(right, { tools: [client] })).outcome.code, "tool/invalid-result");
  assert.equal((await run(graph, { tools: [client] })).outcome.code, "run/invalid-plan");
  const { name, ...told } = listed;
  const [stub] = stubTools({ tools: { [name]: { return: { degrees: 1 }, inputSchema: told.inputSchema } } });
  assert.deepEqual(stub.input_schema, schema);
});

test("unknown keys of a tool, and both spellings of one schema, are rejected", () => {
  const cases = [
    [{ name: "weather", inputSchem: schema }, "api/unknown-option", /no `inputSchem` \(did you mean `inputSchema`\?\)/],
    [{ name: "weather", input_shema: schema }, "api/unknown-option", /did you mean `input_schema`\?/],
    [{ name: "weather", parameters: schema }, "api/unknown-option", /`tools\[0\]`.*no `parameters`/],
    [{ name: "weather", input_schema: schema, inputSchema: schema }, "api/bad-option", /use one of them/],
    [{ input_schema: schema }, "api/bad-option", /has no `name`/],
  ];
  for (const [tool, code, words] of cases)
    for (const judge of [
      () => check(graph, { tools: [tool] }),
      () => review(graph, { tools: [tool] }),
      () => checkToolPlan({ tool_calls: [] }, [tool]),
    ])
      assert.throws(judge, (error) => error instanceof PlanError && error.code === code && words.test(error.message));
});

test("permission for an unknown tool is a warning of the library", async () => {
  const { graph: plain } = PlanGraph.parse("nodes: {a: {type: tool, tool: weather, input: {city: Oslo}}}");
  const stubs = { tools: { weather: { return: 1 } } };
  const found = check(plain, { stubs, tools: [], allow: ["weathr"] });
  assert.deepEqual(
    found.map(({ code, severity, help }) => [code, severity, help]),
    [["run/unknown-allowed", "warning", "did you mean `weather`?"]],
  );
  const report = await run(plain, { stubs, allow: ["weathr"] });
  assert.deepEqual([report.outcome.type, codes(report.diagnostics)], ["completed", ["run/unknown-allowed"]]);
});

test("a tool with unreadable schemas is listed and can't be called, and the others can", async () => {
  let deep = { type: "string" };
  for (let depth = 0; depth < 70; depth++) deep = { type: "object", properties: { a: deep } };
  const circle = { type: "object" };
  circle.properties = { me: circle };
  const cases = [
    [deep, /nested more than 120 deep/],
    [circle, /it contains itself/],
    [{ type: "integer", maximum: 5n }, /BigInt/],
    [
      {
        get type() {
          throw new Error("not now");
        },
      },
      /not now/,
    ],
  ];
  const text = "start: a\nnodes: {a: {type: tool, tool: fine, input: {}}, b: {type: tool, tool: odd, input: {}}}\n";
  const { graph: both } = PlanGraph.parse(`${text}edges: [{from: a, to: b}]`);
  const { graph: one } = PlanGraph.parse("nodes: {a: {type: tool, tool: fine, input: {}}}");
  for (const [input_schema, words] of cases) {
    const tools = [{ name: "fine" }, { name: "odd", input_schema }];
    const found = check(both, { tools });
    assert.deepEqual(codes(found), ["graph/unavailable-tool"]);
    assert.match(found[0].message + found[0].help, words);
    const client = { name: "s", list: async () => tools, call: async () => ({ value: 1, isError: false }), close() {} };
    assert.equal((await run(one, { tools: [client] })).last, 1);
    assert.equal((await run(both, { tools: [client] })).outcome.code, "run/invalid-plan");
  }
});

test("a tool that a server lists twice can't be called", async () => {
  const { graph } = PlanGraph.parse("nodes: {a: {type: tool, tool: twice, input: {}}}");
  const tools = [{ name: "twice" }, { name: "twice", annotations: { destructiveHint: true } }];
  const client = { name: "s", list: async () => tools, call: async () => ({ value: 1, isError: false }), close() {} };
  const { outcome } = await run(graph, { tools: [client] });
  assert.equal(outcome.code, "run/invalid-plan");
  assert.match(outcome.message, /the server lists several tools of this name/);
});

test("a result that is not JSON fails its call", async () => {
  const circle = { list: [1] };
  circle.list.push(circle);
  const twice = { n: 1 };
  const { graph: one } = PlanGraph.parse("nodes: {a: {type: tool, tool: odd, input: {}}}");
  const given = (value) => {
    const call = async () => ({ value, isError: false });
    return run(one, { tools: [{ name: "s", list: async () => [{ name: "odd" }], call, close() {} }] });
  };
  const broken = {
    get n() {
      throw new Error("not now");
    },
  };
  const cases = [
    [circle, /contains itself/],
    [5n, /BigInt/],
    [{ list: [{ n: 5n }] }, /BigInt/],
    [broken, /not now/],
  ];
  for (const [value, words] of cases) {
    const report = await given(value);
    assert.equal(report.outcome.code, "tool/invalid-result");
    assert.match(report.outcome.message, words);
    JSON.stringify(report);
  }
  assert.deepEqual((await given([twice, twice])).last, [twice, twice], "the same value twice is no circle");
});

test("a client without a result, or with a cyclic one, fails its call", async () => {
  const { graph } = PlanGraph.parse("nodes: {a: {type: tool, tool: t}}");
  const circle = {};
  circle.self = circle;
  for (const [result, code] of [
    [undefined, "tool/bad-reply"],
    [null, "tool/bad-reply"],
    ["text", "tool/bad-reply"],
    [{}, "tool/bad-reply"],
    [{ value: { toJSON: () => circle }, isError: false }, "tool/invalid-result"],
    [{ value: [{ toJSON: () => ({ count: 1n }) }], isError: false }, "tool/invalid-result"],
    [{ value: { toJSON: () => "fine" }, isError: false }, undefined],
    [{ value: null, isError: false }, undefined],
  ]) {
    const client = { name: "s", list: async () => [{ name: "t" }], call: async () => result, close: async () => {} };
    const { outcome } = await run(graph, { tools: [client] });
    assert.equal(outcome.code, code, outcome.message);
  }
});
