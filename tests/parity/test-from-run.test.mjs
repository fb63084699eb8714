// Tests that a recorded run becomes a test that passes, with the expectations that the caller chooses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, run, runTests, testFromRun } from "../../dist/node.js";
import { generate } from "./drivers/generate.mjs";
import { recorded } from "./drivers/run-modes.mjs";

const PLAN = {
  nodes: {
    fetch: { type: "tool", tool: "find", input: { q: "${input}" }, retry: { attempts: 2, backoff_ms: 60_000 } },
    help: { type: "agent", input: "help", with: { tools: ["find", "drop"] } },
    ask: { type: "approve", input: "${last}" },
    send: { type: "greet", input: "for ${context.who} by ${memory.how}" },
    other: { type: "never", input: "x" },
  },
  edges: [
    { from: "fetch", to: "help" },
    { from: "help", to: "ask" },
    { from: "ask", to: "send", condition: "last == approved" },
    { from: "ask", to: "other" },
  ],
};
const parse = (plan) => PlanGraph.load(JSON.stringify(plan));
const instant = () => ({ now: () => 0, after: (_ms, then) => (queueMicrotask(then), () => {}) });

/** The host's first call fails. */
async function record(plan, { decide = () => "approved", ...more } = {}) {
  const lines = [];
  let [turns, calls] = [0, 0];
  const report = await run(parse(plan), {
    input: "hi",
    memory: { how: "mail" },
    context: { who: "Ada-Lovelace" },
    handlers: {
      greet: (node, state) => (state.write("sent", 1), { text: node.input, apiKey: "k-12345678" }),
      never: () => 0,
    },
    tools: {
      find: {
        input: { type: "object" },
        annotations: { readOnlyHint: true },
        run: ({ q }) => {
          if (calls++ === 0) throw new Error("busy");
          return { q, token: "t0ps3cret" };
        },
      },
      drop: { input: { type: "object" }, annotations: { destructiveHint: true }, run: () => "dropped" },
    },
    models: {
      default: () =>
        turns++ === 0
          ? { text: "", tool_calls: [{ id: "1", name: "drop", arguments: {} }], finish: "tool_calls" }
          : { text: "done", finish: "stop", usage: { input: 3, output: 4 } },
    },
    onApproval: decide,
    clock: instant(),
    record: (line) => lines.push(line),
    ...more,
  });
  return { lines, report };
}

const withTest = (plan, made) => parse({ ...plan, tests: [...(plan.tests ?? []), made] });

test("a run becomes a test, without its secrets", async () => {
  const { lines } = await record(PLAN);
  const made = await testFromRun(parse(PLAN), lines);
  assert.deepEqual(made, {
    name: "completed after fetch, help, ask, send",
    input: "hi",
    memory: { how: "mail" },
    context: { who: "[redacted]" },
    decisions: { "help:1:1/1/0/approval": "approved", "ask:1:1": "approved" },
    stubs: {
      tools: {
        find: { sequence: [{ fail: "busy", code: "tool/failed" }, { return: { q: "hi", token: "[redacted]" } }] },
        drop: { annotations: { destructiveHint: true }, return: "dropped" },
      },
      models: {
        default: {
          sequence: [{ return: { tool_calls: [{ id: "1", name: "drop", arguments: {} }] } }, { return: "done" }],
        },
      },
      types: {
        greet: { return: { text: "for [redacted] by mail", apiKey: "[redacted]" }, writes: { sent: 1 } },
        never: { return: null },
      },
    },
    expect: {
      outcome: "completed",
      last: { text: "for [redacted] by mail", apiKey: "[redacted]" },
      path: ["fetch", "help", "ask", "send"],
    },
  });
});

test("the test passes as a test of the plan, and fails after a change", async () => {
  const plan = structuredClone(PLAN);
  delete plan.nodes.fetch.retry;
  plan.edges.push({ from: "fetch", to: "ask", condition: "error.exists" });
  const { lines } = await record(plan);
  const made = await testFromRun(parse(plan), lines);
  const [passed] = await runTests(withTest(plan, made));
  assert.deepEqual(passed.differences, []);
  const changed = structuredClone(plan);
  changed.edges[2].condition = "last == rejected";
  const [failed] = await runTests(withTest(changed, made));
  assert.equal(failed.passed, false);
});

test("the caller chooses name and expectations", async () => {
  const { lines } = await record(PLAN);
  const graph = parse(PLAN);
  const expectOf = async (expect) => (await testFromRun(graph, lines, { expect })).expect;
  assert.deepEqual(await expectOf(["outcome"]), { outcome: "completed" });
  assert.deepEqual(await expectOf(["calls"]), { calls: 6 });
  assert.deepEqual(await expectOf(["outputs.fetch", "outputs.help"]), {
    outputs: { fetch: { q: "hi", token: "[redacted]" }, help: "done" },
  });
  await assert.rejects(expectOf(["outputs.fetsh"]), {
    code: "api/bad-option",
    message: /did you mean `outputs.fetch`/,
  });
  await assert.rejects(testFromRun(graph, lines, { expects: [] }), { code: "api/unknown-option" });
  const named = await testFromRun(graph, lines, { name: "mine", context: { who: "you" } });
  assert.deepEqual([named.name, named.context, named.expect.last.apiKey], ["mine", { who: "you" }, "[redacted]"]);
  const again = await testFromRun(withTest(PLAN, named), lines, { name: "mine" });
  assert.equal(again.name, "mine (2)");
});

test("rejected, failed and paused runs become tests", async () => {
  const rejected = await record(PLAN, { decide: ({ tool }) => (tool ? "approved" : "rejected") });
  const first = await testFromRun(parse(PLAN), rejected.lines);
  assert.deepEqual(first.expect.path, ["fetch", "help", "ask", "other"]);
  const failing = { nodes: { a: { type: "greet" } } };
  const failed = await record(failing, {
    handlers: {
      greet: () => {
        throw new Error("no");
      },
    },
  });
  const second = await testFromRun(parse(failing), failed.lines);
  assert.deepEqual(second.expect, { outcome: "failed", code: "handler/failed", node: "a", last: "hi", path: ["a"] });
  const waiting = { nodes: { ask: { type: "approve" } } };
  const paused = await record(waiting, { onApproval: undefined });
  const third = await testFromRun(parse(waiting), paused.lines);
  assert.deepEqual([third.expect.outcome, third.decisions], ["paused", undefined]);
  for (const [plan, made] of [
    [failing, second],
    [waiting, third],
  ])
    assert.equal((await runTests(withTest(plan, made)))[0].passed, true);
});

test("branches get their own answers, in the recorded order", async () => {
  const branch = (id) => ({ nodes: { [id]: { type: "greet", input: id } } });
  const plan = {
    nodes: { fan: { type: "parallel", with: { join: "any" }, branches: { slow: branch("one"), fast: branch("two") } } },
  };
  const lines = [];
  const times = { one: 50, two: 5 };
  let now = 0;
  const timers = [];
  const clock = {
    now: () => now,
    after: (ms, then) => (timers.push([now + ms, then]), () => {}),
  };
  const handlers = {
    greet: ({ id }) => new Promise((resolve) => timers.push([times[id], () => resolve(`from ${id}`)])),
  };
  const work = run(parse(plan), { handlers, clock, record: (line) => lines.push(line) });
  for (let turns = 0; turns < 20; turns++) {
    await new Promise(setImmediate);
    const [next] = timers.sort(([a], [b]) => a - b);
    if (next === undefined) continue;
    timers.shift();
    now = next[0];
    next[1]();
  }
  assert.deepEqual((await work).last, "from two");
  const made = await testFromRun(parse(plan), lines);
  assert.deepEqual(made.expect.last, "from two");
  const [result] = await runTests(withTest(plan, made));
  assert.deepEqual(result.differences, []);
});

test("a stub that answers after its call was abandoned does not break a recording", async () => {
  const plan = {
    nodes: {
      first: { type: "parallel", with: { join: "any" }, branches: { a: one("slow"), b: one("quick") } },
      last: { type: "quick" },
    },
    edges: [{ from: "first", to: "last" }],
  };
  const stubs = { types: { slow: { return: 1, delay_ms: 10 }, quick: { return: 2, delay_ms: 1 } } };
  // A host may call back although the timer was cancelled.
  const timers = [];
  const clock = { now: () => 0, after: (_ms, then) => (timers.push(then), setImmediate(fire), () => {}) };
  const fire = () => timers.pop()?.();
  const lines = [];
  const { outcome, last } = await run(parse(plan), { stubs, clock, record: (line) => lines.push(line) });
  assert.deepEqual([outcome.type, last], ["completed", 2]);
  assert.equal((await testFromRun(parse(plan), lines)).expect.last, 2);
});

const one = (type) => ({ nodes: { [type]: { type } } });

test("what can't become a test is refused with its reason", async () => {
  const graph = parse(PLAN);
  const { lines } = await record(PLAN);
  const refused = (cassette, code, message) => assert.rejects(testFromRun(graph, cassette), { code, message });
  await refused("no cassette", "replay/unusable", /no cassette that can be used/);
  await refused(lines.slice(0, -1), "test/not-a-whole-run", /its recording was cut/);
  const other = structuredClone(PLAN);
  other.nodes.ask.input = "other";
  await assert.rejects(testFromRun(parse(other), lines), {
    code: "run/plan-changed",
    message: /node `ask` was changed/,
  });
  const waiting = { nodes: { ask: { type: "approve" }, b: { type: "log" } }, edges: [{ from: "ask", to: "b" }] };
  const { report } = await record(waiting, { onApproval: undefined });
  const rest = [];
  const options = {
    snapshot: report.snapshot,
    decisions: { "ask:1:1": "approved" },
    record: (line) => rest.push(line),
  };
  await run(parse(waiting), options);
  await assert.rejects(testFromRun(parse(waiting), rest), { code: "test/not-a-whole-run", message: /was resumed/ });
  const limited = await record(PLAN, { limits: { steps: 1 } });
  await refused(limited.lines, "test/differs", /it also makes the call `help|takes another course/);
});

test("most random runs become tests, and no run breaks it", async () => {
  const counts = { made: 0, refused: 0 };
  for (let seed = 1; seed <= 60; seed++) {
    const one = generate(seed);
    const graph = parse(one.plan);
    const { lines, report } = await recorded(graph, one);
    try {
      const made = await testFromRun(graph, lines);
      assert.equal(made.expect.outcome, report.outcome.type);
      assert.deepEqual(made.expect.path, report.path);
      counts.made++;
    } catch (error) {
      assert.equal(error.code, "test/differs", `seed ${seed}: ${error.message}`);
      counts.refused++;
    }
  }
  assert.ok(counts.made > 3 * counts.refused, JSON.stringify(counts));
});

test("an answer of a model with a schema becomes a value", async () => {
  const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const plan = {
    nodes: { ask: { type: "llm", input: "x", with: { schema } }, say: { type: "llm", input: "${last.text}" } },
    edges: [{ from: "ask", to: "say", condition: "last.text.exists" }],
  };
  const replies = (first) => {
    const texts = [first, "plain"];
    return async () => ({ text: texts.shift(), finish: "stop", usage: null });
  };
  const { lines } = await record(plan, { models: { default: replies('{"text": "hola"}') } });
  const made = await testFromRun(parse(plan), lines);
  assert.deepEqual(made.stubs, {
    models: { default: { sequence: [{ return: { text: "hola" } }, { return: "plain" }] } },
  });
  assert.deepEqual((await runTests(withTest(plan, made)))[0].differences, []);
  for (const bad of ["no JSON", '{"n": 1}']) {
    const failed = await record(plan, { models: { default: replies(bad) } });
    const other = await testFromRun(parse(plan), failed.lines);
    assert.equal(other.expect.code, "model/bad-reply");
    assert.deepEqual((await runTests(withTest(plan, other)))[0].differences, []);
  }
});

test("an answer that breaks the schema of its tool is refused with the reason", async () => {
  const plan = { nodes: { a: { type: "tool", tool: "find", input: {} } } };
  const output = { type: "object", required: ["n"] };
  const tools = { find: { input: { type: "object" }, output, run: () => ({ m: 1 }) } };
  const { lines, report } = await record(plan, { tools });
  assert.equal(report.outcome.code, "tool/invalid-result");
  await assert.rejects(testFromRun(parse(plan), lines), {
    code: "test/differs",
    message: /^a tool broke its schema, and a stub can't repeat that: .*never returns this/,
  });
});

test("secret values of the context and tokens in texts are not in a test", async () => {
  const tokens = {
    github: `ghp_${"a1".repeat(18)}`,
    model: `sk-ant-api03-${"b2".repeat(12)}`,
    jwt: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    url: "postgres://ada:pa@ss:word@db.example/x",
  };
  const plan = {
    nodes: { a: { type: "greet", input: "${context.user_key} of ${context.who}" } },
    edges: [],
  };
  const context = { who: "Ada", user_key: "the-key-of-ada", api: { token: "the-token-of-ada", region: "eu" } };
  const handlers = {
    greet: () => ({ tokens, said: "the-key-of-ada, the-token-of-ada", at: "https://db.example/a@b" }),
  };
  // An older recording, or one of another host, may have them.
  const { lines } = await record(plan, { handlers, context: { who: "Ada", user_key: "x", api: { region: "eu" } } });
  const made = await testFromRun(parse(plan), lines, { context });
  const text = JSON.stringify(made);
  assert.doesNotMatch(text, /the-key|the-token|a1a1|b2b2|eyJ|pa@ss|word@/);
  assert.deepEqual(made.context, { who: "Ada", user_key: "[redacted]", api: { token: "[redacted]", region: "eu" } });
  const { return: stub } = made.stubs.types.greet;
  assert.deepEqual([stub.said, stub.at], ["[redacted], [redacted]", "https://db.example/a@b"]);
  assert.deepEqual((await runTests(withTest(plan, made)))[0].differences, []);
});

test("secrets in the JSON of a model are not in a test", async () => {
  const plan = {
    nodes: {
      ask: { type: "llm", input: "x", with: { schema: { type: "object" } } },
      help: { type: "agent", input: "y", with: { tools: ["find"], schema: { type: "object" } } },
      say: { type: "greet", input: "x" },
    },
    edges: [
      { from: "ask", to: "help" },
      { from: "help", to: "say" },
    ],
  };
  const reply = { text: '{"n": 1, "password": "p4ssw0rd"}', finish: "stop", usage: null };
  const handlers = { greet: () => "it is p4ssw0rd" };
  const { lines } = await record(plan, { models: { default: async () => reply }, handlers });
  const made = await testFromRun(parse(plan), lines);
  assert.doesNotMatch(JSON.stringify(made), /p4ss/);
  assert.deepEqual(made.expect.last, "it is [redacted]");
  assert.deepEqual((await runTests(withTest(plan, made)))[0].differences, []);
});
