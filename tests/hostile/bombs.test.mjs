// Tests small plans, schemas and values that grow very large: each ends with a code.
//
// A file that takes a minute counts as hung. A timer set before a run must fire before its end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkToolPlan, PlanGraph, run } from "../../dist/node.js";
import { DRIVERS } from "./drivers.mjs";
import { destroys, parsed, reads, table, tool, worldOf } from "./attack-world.mjs";

const { patterns, refused, chains, loops, lists, deep } = table("bombs.yaml");
const HUNG = { timeout: 60_000 };

function createWorld(tools = [tool("read", { annotations: reads })]) {
  const there = worldOf({
    servers: { shop: tools },
    decide: () => "approved",
    answer: (_, args) => structuredClone(args),
  });
  there.host.models.default = (request) => request.messages.at(-1).content;
  return there;
}

const codeOf = ({ type, code }) => code ?? type;

async function ends(plan, options = {}, { drive = DRIVERS.run, tools } = {}) {
  const { outcome } = await drive(parsed(plan), createWorld(tools), options);
  return codeOf(outcome);
}

for (const { pattern, text, times, end } of patterns) {
  const bomb = text.repeat(times) + end;
  const schema = { type: "string", pattern };
  const wants = { type: "object", properties: { s: schema }, required: ["s"] };
  const keys = { type: "object", patternProperties: { [pattern]: { type: "number" } }, additionalProperties: false };
  const calls = { nodes: { a: { type: "tool", tool: "read", input: { s: "${input}" } } } };
  const answers = (own) => [tool("read", { annotations: reads, ...own })];

  test(`${pattern} is done with`, HUNG, async () => {
    const inputs = { inputs: { s: schema }, nodes: { a: { type: "noop" } } };
    assert.equal(await ends(inputs, { input: { s: bomb } }), "run/invalid-input", "the inputs of a plan");
    for (const [what, own, options, code] of [
      ["the arguments of a tool", { input_schema: wants }, { input: bomb }, "tool/invalid-arguments"],
      [
        "the keys of arguments",
        { input_schema: { properties: { s: keys } } },
        { input: { [bomb]: "x" } },
        "tool/invalid-arguments",
      ],
      ["the result of a tool", { output_schema: wants }, { input: bomb }, "tool/invalid-result"],
    ])
      for (const [driver, drive] of Object.entries(DRIVERS))
        assert.equal(await ends(calls, options, { drive, tools: answers(own) }), code, `${what}, ${driver}`);
    const asks = { nodes: { a: { type: "llm", input: "${input}", with: { schema: wants } } } };
    assert.equal(await ends(asks, { input: JSON.stringify({ s: bomb }) }), "model/bad-reply", "the answer of a model");
    const plan = { tool_calls: [{ tool_name: "read", parameters: { s: bomb } }] };
    const [wrong] = checkToolPlan(plan, [tool("read", { input_schema: wants })]);
    assert.equal(wrong.code, "plan/invalid-value", "a tool plan");
    const literal = { nodes: { a: { type: "tool", tool: "read", input: { s: bomb } } } };
    assert.equal(await ends(literal, {}, { tools: answers({ input_schema: wants }) }), "run/invalid-plan", "a literal");
  });
}

test("patterns that can't be followed in linear time are refused as schemas", HUNG, async () => {
  for (const pattern of refused) {
    const own = parsed({ inputs: { s: { pattern } }, nodes: { a: { type: "noop" } } });
    assert.equal(codeOf((await run(own, { input: { s: "aa" } })).outcome), "run/invalid-plan");
    // An unusable schema is the server's error. The run reports it and leaves the check to the server.
    const input_schema = { type: "object", properties: { s: { pattern } } };
    const there = createWorld([tool("read", { annotations: reads, input_schema })]);
    const calls = parsed({ nodes: { a: { type: "tool", tool: "read", input: { s: "${input}" } } } });
    const report = await DRIVERS.run(calls, there, { input: "aa" });
    assert.deepEqual([report.diagnostics[0].code, there.called.length], ["tool/invalid-schema", 1]);
  }
});

for (const { what, first, then, nodes: count, text, limits, code = "template/too-large" } of chains)
  test(`doubling: ${what}`, HUNG, async () => {
    const given = text === undefined ? {} : { input: "x".repeat(text) };
    const named = (at) => `n${at}`;
    const numbers = Array.from({ length: count }, (_, at) => at);
    const plan = {
      start: named(0),
      nodes: Object.fromEntries(numbers.map((at) => [named(at), at === 0 ? first : then])),
      edges: numbers.slice(1).map((at) => ({ from: named(at - 1), to: named(at) })),
      ...(limits && { limits }),
    };
    for (const [driver, drive] of Object.entries(DRIVERS))
      assert.equal(await ends(plan, given, { drive }), code, driver);
  });

for (const { what, limits, aborts, makes, code } of loops)
  test(`a loop: ${what}`, HUNG, async () => {
    const plan = {
      start: "a",
      nodes: { a: makes ? { type: "log", input: "${input}." } : { type: "noop" }, b: { type: "noop" } },
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "a", condition: "!last.stop.exists" },
      ],
    };
    const fired = [];
    const controller = new AbortController();
    setTimeout(() => {
      fired.push("timer");
      if (aborts) controller.abort();
    }, 5);
    const { outcome } = await run(parsed(plan), {
      input: makes ? "x".repeat(makes) : null,
      limits,
      trace: false,
      ...(aborts && { signal: controller.signal }),
    });
    fired.push("end");
    assert.equal(codeOf(outcome), code);
    // A run that exceeds a limit within a few turns may end before the timer.
    if (aborts || limits.timeout_ms) assert.deepEqual(fired, ["timer", "end"]);
  });

test("an endless run does not delay another run", HUNG, async () => {
  const endless = parsed({
    start: "a",
    nodes: { a: { type: "noop" }, b: { type: "noop" } },
    edges: [
      { from: "a", to: "b" },
      { from: "b", to: "a", condition: "!last.stop.exists" },
    ],
  });
  const controller = new AbortController();
  const limits = { visits: 30_000_000 };
  const first = run(endless, { limits, trace: false, signal: controller.signal });
  const { outcome } = await run(parsed({ nodes: { a: { type: "slow" } } }), {
    handlers: { slow: () => new Promise((answer) => setImmediate(() => answer(1))) },
  });
  controller.abort();
  assert.deepEqual([codeOf(outcome), codeOf((await first).outcome)], ["completed", "cancelled"]);
});

for (const { what, length, with: settings, calls, limits, code } of lists)
  test(`a list: ${what}`, HUNG, async () => {
    const inner = calls ? { type: "tool", tool: "read", input: { s: "${item}" } } : { type: "log", input: "${item}" };
    const plan = {
      nodes: {
        m: { type: "map", input: "${input}", ...(settings && { with: settings }), do: { nodes: { n: inner } } },
      },
    };
    const fired = [];
    setTimeout(() => fired.push("timer"), 1);
    const input = Array.from({ length }, (_, at) => at);
    const given = { input, trace: false, ...(limits && { limits }) };
    assert.equal(await ends(plan, given), code);
    if (code === "completed") assert.deepEqual(fired, ["timer"]);
  });

test("depth: plans are refused, values have a code or are handed on", HUNG, async () => {
  for (const depth of deep) {
    const list = "[".repeat(depth) + "]".repeat(depth);
    const { graph, diagnostics } = PlanGraph.parse(`{"nodes": {"a": {"type": "log", "input": ${list}}}}`);
    if (!graph?.valid) assert.equal(diagnostics[0].code, "source/too-deep");
    else assert.ok(depth < 128);
    let value = 1;
    for (let at = 0; at < depth; at++) value = { a: value };
    for (const input of ["${input}", "text: ${input}", { deep: ["${input}"] }])
      for (const node of [
        { type: "log", input },
        { type: "tool", tool: "read", input: { s: input } },
      ]) {
        const code = await ends({ nodes: { a: node } }, { input: value });
        assert.match(code, /^(completed|template\/missing|tool\/[a-z-]+)$/, `${depth}`);
      }
  }
});

test("the approval of a large call shows the call that is made", HUNG, async () => {
  const there = createWorld([tool("wipe", { annotations: destroys })]);
  const plan = parsed({ nodes: { a: { type: "tool", tool: "wipe", input: { s: "${input}" } } } });
  const input = `${"x".repeat(100_000)} and all the rest`;
  await DRIVERS.run(plan, there, { input });
  assert.deepEqual(there.asked[0].input.arguments, there.called[0].args);
  assert.equal(there.asked[0].input.arguments.s, input);
});
