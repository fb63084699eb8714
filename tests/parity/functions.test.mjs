// Tests functions as tools, and the error of a failed run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { check, checkToolPlan, functions, PlanGraph, review, run, RunError, runTests } from "stepgraph";
import { MemoryJournal, runDurable } from "stepgraph/durable";
import * as z from "zod";

const plan = (node) => PlanGraph.load(`nodes:\n  a: ${JSON.stringify(node)}\n`);
const adding = plan({ type: "add", input: { a: 1, b: "${input.b}" } });
const add = {
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number().refine((n) => n < 100, "too big"), c: z.number().default(0) }),
  output: z.number(),
  run: ({ a, b, c }) => a + b + c,
};

const standard = (validate, more = {}) => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate,
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({}) },
    ...more,
  },
});

test("a function is a tool", async () => {
  const report = await run(adding, { input: { b: 2 }, tools: { add } });
  assert.deepEqual([report.outcome.type, report.last, report.error], ["completed", 3, null]);
});

test("a client of functions stands beside others", async () => {
  const other = { name: "other", list: async () => [{ name: "add", input_schema: {} }], close: async () => {} };
  const client = { ...other, call: async () => ({ value: "other", isError: false }) };
  const named = functions({ add }, { name: "math" });
  const clash = PlanGraph.load("nodes: {a: {type: tool, tool: math.add, input: {a: 1, b: 2}}}");
  assert.equal((await run(clash, { tools: [client, named] })).last, 3);
});

test("the engine refuses arguments by JSON Schema, the schema itself by its own rules", async () => {
  let calls = 0;
  const tools = { add: { ...add, run: () => ++calls } };
  for (const [b, message] of [
    ["x", /`\/b` is text, expected a number/],
    [700, /the map of arguments of `add` is refused: `b`: too big/],
  ]) {
    const { outcome } = await run(adding, { input: { b }, tools });
    assert.equal(outcome.code, "tool/invalid-arguments");
    assert.match(outcome.message, message);
  }
  assert.equal(calls, 0);
});

test("a result that the schema refuses fails the call", async () => {
  const tools = { add: { ...add, output: z.number().refine((n) => n < 3, "too much") } };
  const { outcome } = await run(adding, { input: { b: 7 }, tools });
  assert.equal(outcome.code, "tool/invalid-result");
  assert.match(outcome.message, /too much/);
});

test("schemas may validate later, convert, and name nested places", async () => {
  const later = standard(async (value) => ({ value: { ...value, b: value.b + 1 } }));
  assert.equal((await run(adding, { input: { b: 2 }, tools: { add: { input: later, run: ({ b }) => b } } })).last, 3);
  const issues = [{ message: "wrong", path: ["list", { key: 2 }, "x"] }, { message: "bad" }];
  const tools = { add: { input: standard(() => ({ issues })), run() {} } };
  const { outcome } = await run(adding, { input: { b: 2 }, tools });
  assert.match(outcome.message, /refused: `list.2.x`: wrong; bad$/);
});

test("JSON Schemas, no schema and no result are accepted", async () => {
  const input = { type: "object", properties: { a: {}, b: { type: "integer" } } };
  const tools = { add: { input, run: () => undefined } };
  assert.equal((await run(adding, { input: { b: 2 }, tools })).last, null);
  assert.equal((await run(adding, { input: { b: 2.5 }, tools })).outcome.code, "tool/invalid-arguments");
  assert.equal((await run(adding, { input: { b: 2 }, tools: { add: { run: ({ b }) => b } } })).last, 2);
});

test("a function gets the call's signal and idempotency key", async () => {
  let seen;
  await run(adding, { input: { b: 2 }, runId: "r1", tools: { add: { run: (_, about) => void (seen = about) } } });
  assert.deepEqual([seen.call, seen.run, seen.signal.aborted], ["a:1:1", "r1", false]);
});

test("a destructive function needs approval", async () => {
  const tools = { add: { ...add, annotations: { destructiveHint: true } } };
  const paused = await run(adding, { input: { b: 2 }, tools });
  assert.equal(paused.outcome.type, "paused");
  const decisions = { [paused.outcome.approval.call]: "approved" };
  assert.equal((await run(adding, { snapshot: paused.snapshot, decisions, tools })).last, 3);
});

test("an agent calls functions, and sees their errors", async () => {
  const agent = plan({ type: "agent", input: "add", with: { tools: ["add"] } });
  const replies = [
    { text: "", tool_calls: [{ id: "1", name: "add", arguments: { a: 1, b: 700 } }], finish: "tool", usage: null },
    { text: "", tool_calls: [{ id: "2", name: "add", arguments: { a: 1, b: 7 } }], finish: "tool", usage: null },
  ];
  const seen = [];
  const model = ({ messages, tools }) => {
    seen.push([tools[0].description, messages.at(-1).content]);
    return replies.shift() ?? `it is ${messages.at(-1).content}`;
  };
  const report = await run(agent, {
    tools: { add: { ...add, annotations: { readOnlyHint: true } } },
    models: { default: model },
  });
  assert.match(JSON.stringify(seen[1]), /Adds two numbers.*too big/);
  assert.match(JSON.stringify(report.last), /it is 8/);
});

test("`check`, `review`, `checkToolPlan` and `runTests` accept functions", async () => {
  const tools = { add };
  const wrong = plan({ type: "tool", tool: "ad", input: {} });
  assert.deepEqual(
    check(wrong, { tools }).map(({ code }) => code),
    ["graph/unknown-tool"],
  );
  assert.deepEqual(check(adding, { tools, handlers: {} }), []);
  assert.equal(review(adding, { tools }).tools[0].name, "add");
  const calls = { tool_calls: [{ tool_name: "add", parameters: { a: "x" }, reasoning: "" }], reasoning: "" };
  assert.match(JSON.stringify(checkToolPlan(calls, tools)), /plan\/missing-parameter/);
  const tested = PlanGraph.load("nodes: {a: {type: add, input: {a: 1, b: 2}}}\ntests: [{name: t, expect: {last: 3}}]");
  assert.deepEqual(
    (await runTests(tested, { tools })).map(({ passed }) => passed),
    [true],
  );
});

test("a durable run calls functions", async () => {
  const lines = [];
  const journal = new MemoryJournal({ append: (line) => lines.push(line) });
  const report = await runDurable(adding, journal, { input: { b: 2 }, tools: { add } });
  assert.equal(report.last, 3);
  const again = new MemoryJournal({ lines });
  const tools = { add: { ...add, run: () => assert.fail("called again") } };
  assert.equal((await runDurable(adding, again, { input: { b: 2 }, tools })).last, 3);
});

test("a function that changes its arguments changes no other value", async () => {
  const graph = PlanGraph.load(
    'nodes: {a: {type: t, input: {list: [1]}}, b: {type: t, input: "${input.mine}"}}\nedges: [{from: a, to: b}]',
  );
  const tools = { t: { run: (args) => void ((args.list = "changed"), (args.more = 1)) } };
  const input = { mine: { list: [2] } };
  const { trace } = await run(graph, { input, tools });
  assert.deepEqual(input, { mine: { list: [2] } });
  const inputs = trace.filter(({ type }) => type === "node-started").map((event) => event.input);
  assert.deepEqual(inputs, [{ list: [1] }, { list: [2] }]);
  const { outcome } = await run(plan({ type: "own", with: { x: { y: 1 } }, input: { z: [1] } }), {
    handlers: { own: (node) => void (node.with.x.y = 2) },
  });
  assert.match(outcome.message, /read only/);
});

test("tools follow the map that a run gets, also if it has changed", async () => {
  const tools = { add: { run: () => 1 } };
  assert.equal((await run(adding, { input: { b: 1 }, tools })).last, 1);
  tools.add = { run: () => 2 };
  assert.equal((await run(adding, { input: { b: 1 }, tools })).last, 2);
  tools.add.annotations = { destructiveHint: true };
  assert.equal((await run(adding, { input: { b: 1 }, tools })).outcome.type, "paused");
  delete tools.add;
  assert.equal((await run(adding, { input: { b: 1 }, tools })).outcome.code, "run/invalid-plan");
});

test("a function is not called after its call was abandoned", async () => {
  let validated;
  const later = standard(() => new Promise((resolve) => (validated = () => resolve({ value: {} }))));
  const tools = { add: { input: later, run: () => assert.fail("called") } };
  const stop = new AbortController();
  const running = run(adding, { input: { b: 1 }, tools, signal: stop.signal });
  while (validated === undefined) await new Promise(setImmediate);
  stop.abort();
  assert.equal((await running).outcome.type, "cancelled");
  validated();
  await new Promise(setImmediate);
});

test("what a schema returns must be a result", async () => {
  for (const given of [null, undefined, 5, { issues: "no" }, { issues: [null, 5] }]) {
    const tools = { add: { input: standard(() => given), run: () => assert.fail("called") } };
    assert.equal((await run(adding, { input: { b: 1 }, tools })).outcome.code, "tool/invalid-arguments");
  }
});

test("results without JSON fail the call", async () => {
  for (const result of [Symbol("s"), () => 1, 5n]) {
    const { outcome } = await run(adding, { input: { b: 1 }, tools: { add: { run: () => result } } });
    assert.equal(outcome.code, "tool/invalid-result");
  }
});

const refused = [
  [
    "inherited hints",
    { add: { run() {}, annotations: Object.create({ destructiveHint: true }) } },
    "api/bad-option",
    /no plain map/,
  ],
  [
    "a JSON Schema that is no map",
    { add: { input: standard(() => ({}), { jsonSchema: { input: () => [] } }), run() {} } },
    "api/bad-option",
    /it is no map/,
  ],
  ["no function", { add: {} }, "api/bad-option", /`tools.add` of `run` takes an object with `run\(\)`/],
  ["a misspelt key", { add: { inptu: {}, run() {} } }, "api/unknown-option", /did you mean `input`/],
  ["a schema that is none", { add: { input: 5, run() {} } }, "api/bad-option", /takes a Standard Schema or a JSON/],
  [
    "no JSON Schema",
    { add: { input: standard(() => ({}), { jsonSchema: undefined }), run() {} } },
    "api/bad-option",
    /`test` has no/,
  ],
  [
    "valibot as it is",
    { add: { input: standard(() => ({}), { vendor: "valibot", jsonSchema: undefined }), run() {} } },
    "api/bad-option",
    /toStandardJsonSchema/,
  ],
  [
    "a schema that JSON Schema can't express",
    { add: { input: z.object({ at: z.date() }), run() {} } },
    "api/bad-option",
    /can't be written as JSON Schema/,
  ],
  ["a lone client", functions({ add }), "api/bad-option", /takes a list/],
  ["functions in a list of clients", [{ add }], "api/bad-option", /without `list\(\)`: wrap functions in `functions\(/],
];
for (const [name, tools, code, message] of refused)
  test(`refused: ${name}`, async () => {
    await assert.rejects(run(adding, { tools }), (error) => error.code === code && message.test(error.message));
  });

test("the error of a failed run keeps what was thrown, and names the place of the node", async () => {
  const thrown = new TypeError("no luck");
  const fail = () => {
    throw thrown;
  };
  const nested = PlanGraph.load(
    "nodes:\n  each:\n    type: map\n    input: [1]\n    do: { nodes: { own: { type: own } } }\n",
  );
  for (const [report, code, place, node] of [
    [await run(adding, { input: { b: 2 }, tools: { add: { run: fail } } }), "tool/failed", [2, 3], "a"],
    [await run(plan({ type: "own" }), { handlers: { own: fail } }), "handler/failed", [2, 3], "a"],
    [await run(plan({ type: "own" }), { handlers: { own: async () => fail() } }), "handler/failed", [2, 3], "a"],
    [await run(plan({ type: "llm", input: "hi" }), { models: { default: fail } }), "model/failed", [2, 3], "a"],
    [await run(nested, { handlers: { own: fail } }), "handler/failed", [5, 20], "own"],
  ]) {
    const { error } = report;
    assert.ok(error instanceof RunError && error instanceof Error);
    assert.equal(error.cause, thrown);
    assert.deepEqual([error.code, error.node, error.place.line, error.place.column], [code, node, ...place]);
    assert.equal(error.message, `node \`${node}\` (line ${place[0]}, column ${place[1]}): no luck`);
    assert.equal(error, report.error);
    assert.doesNotMatch(JSON.stringify(report), /"error"/);
  }
});

test("an error without something thrown has no cause", async () => {
  const limited = await run(
    PlanGraph.load("start: a\nnodes: {a: {type: own}}\nedges: [{from: a, to: a, condition: 'last == 1'}]"),
    {
      handlers: { own: () => 1 },
    },
  );
  assert.deepEqual([limited.error.code, "cause" in limited.error], ["run/visit-limit", false]);
  const unbound = await run(plan({ type: "own" }));
  assert.deepEqual([unbound.error.code, unbound.error.node], ["run/invalid-plan", null]);
  assert.deepEqual(unbound.error.place, { line: 2, column: 14 });
  assert.match(unbound.error.message, /no handler for nodes of type `own` \(line 2, column 14\)$/);
  assert.equal((await run(plan({ type: "approve" }))).error, null);
});

test("an earlier error of the node is not the cause of a later failure", async () => {
  let visits = 0;
  const own = (node) => {
    if (++visits === 1) throw new Error("first");
    return new Promise((resolve) => node.visit === 0 && resolve());
  };
  const graph = PlanGraph.load("nodes: {a: {type: own, timeout_ms: 5, retry: {attempts: 2, backoff_ms: 0}}}");
  const { error } = await run(graph, { handlers: { own } });
  assert.deepEqual([visits, error.code, error.cause], [2, "node/timeout", undefined]);
});

test("errors of listeners and of tool lists are causes", async () => {
  const thrown = new Error("full");
  const fail = () => {
    throw thrown;
  };
  const listened = await run(plan({ type: "log", input: 1 }), { onEvent: fail });
  assert.deepEqual([listened.error.code, listened.error.cause], ["run/listener-failed", thrown]);
  const client = { name: "down", list: async () => fail(), call: async () => null, close: async () => {} };
  const unlisted = await run(adding, { tools: [client] });
  assert.deepEqual([unlisted.error.code, unlisted.error.cause], ["tool/unreachable", thrown]);
});

test("a node of another file is named with its file", async () => {
  const graph = PlanGraph.load("nodes: {a: {type: graph, graph: sub/b.yaml}}", {
    files: { "sub/b.yaml": "# b\nnodes: {x: {type: own}}" },
  });
  const { error } = await run(graph, { handlers: { own: () => Promise.reject(new Error("no")) } });
  assert.deepEqual(error.place, { file: "sub/b.yaml", line: 2, column: 9 });
  assert.match(error.message, /^node `x` \(sub\/b.yaml, line 2, column 9\): no$/);
});

test("a handler can destructure the state, also if it is recorded or durable", async () => {
  const graph = PlanGraph.load("nodes: {a: {type: log, input: 1}, b: {type: own}}\nedges: [{from: a, to: b}]");
  const own = ({ id }, { last, output, write }) => {
    write("more", output("a") + 1);
    return `${id} ${last}`;
  };
  for (const report of [
    await run(graph, { handlers: { own } }),
    await run(graph, { handlers: { own }, record: () => {} }),
    await runDurable(graph, new MemoryJournal(), { handlers: { own } }),
  ])
    assert.deepEqual([report.outcome.type, report.last, report.outputs.more], ["completed", "b 1", 2]);
});

test("the guide's example runs", () => {
  const [, code] = /```js[^\n]*\n([\s\S]*?)```/.exec(
    readFileSync(new URL("../../docs/functions.md", import.meta.url), "utf8"),
  );
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["--enable-source-maps", "--input-type=module", "--eval", code];
  assert.equal(execFileSync(process.execPath, args, { cwd, encoding: "utf8" }), "7\n");
});

test("the example runs", () => {
  const example = fileURLToPath(new URL("../../examples/functions.mjs", import.meta.url));
  const lines = execFileSync(process.execPath, [example], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  assert.match(lines, /^find .*\npay .*there is no such article\npay "paid t1"\nDone: paid t1.\n$/);
});

test("a result that JSON can't hold is refused with its place", async () => {
  for (const [result, message] of [
    [{ rows: [{ at: new Map() }] }, /`rows\[0\].at` is a Map/],
    [Number.NaN, /it is NaN/],
  ]) {
    const { outcome } = await run(plan({ type: "look" }), { tools: { look: { run: () => result } } });
    assert.deepEqual([outcome.code, outcome.node], ["tool/invalid-result", "a"]);
    assert.match(outcome.message, message);
  }
});

test("misspelt hints and schemas of no map are refused", async () => {
  const refused = (tool, code, message) =>
    assert.throws(
      () => functions({ look: { run: () => 1, ...tool } }),
      (error) => error.code === code && message.test(error.message),
    );
  const hint = (annotations) => ({ annotations });
  refused(hint({ readonlyHint: true }), "api/unknown-option", /no `readonlyHint` \(did you mean `readOnlyHint`\?\)/);
  refused(
    hint({ destructiveHint: "yes" }),
    "api/bad-option",
    /`annotations.destructiveHint` .* takes `true` or `false`/,
  );
  for (const input of [z.string(), z.array(z.number()), { type: ["string", "null"] }])
    refused({ input }, "api/bad-option", /`tools.look.input` of `functions` takes the schema of a map/);
  const { signal } = await functions({ look: { run: (_, options) => ({ signal: options.signal.aborted }) } })
    .call("look", {})
    .then(({ value }) => value);
  assert.equal(signal, false);
});

test("only a code of the form `area/name` is the code of the failure", async () => {
  for (const [code, expected] of [
    ["shop/sold-out", "shop/sold-out"],
    ["ECONNREFUSED", "tool/failed"],
    ["Shop/Sold", "tool/failed"],
    [7, "tool/failed"],
  ]) {
    const fails = () => {
      throw Object.assign(new Error("no"), { code });
    };
    const { outcome } = await run(plan({ type: "look" }), { tools: { look: { run: fails } } });
    assert.deepEqual([outcome.code, outcome.message], [expected, "no"]);
  }
});
