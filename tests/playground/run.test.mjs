// Tests running a plan behind the page: display updates, held-back events, and results.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runner, scripts } from "./runner.mjs";

const example = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
const { truncate, NodePaths, parseCallName, PausableClock, RunnerClient } = await scripts(
  "run/truncate.ts",
  "run/node-paths.ts",
  "run/clock.ts",
  "run/client.ts",
);

const loop = `
start: count
nodes:
  count: {type: emit}
  check: {type: decision}
  out: {type: log, input: "after \${last}"}
edges:
  - {from: count, to: check}
  - {from: check, to: out, condition: last==3}
  - {from: check, to: count}
`;
const counting = "types: {emit: {sequence: [{return: 1}, {return: 2}, {return: 3}]}}";
const parallelPlan = `
nodes:
  fan:
    type: parallel
    branches:
      a: {nodes: {one: {type: emit}, two: {type: log}}, edges: [{from: one, to: two}]}
      b: {nodes: {one: {type: emit}}}
`;

test("a run reports its events with node paths and values", async () => {
  const { ask, until, ended, events, short } = runner();
  ask({ type: "start", plan: loop, stubs: counting });
  assert.deepEqual(
    { ...(await ended()), ms: 0 },
    {
      type: "ended",
      outcome: "completed",
      reason: "terminal",
      last: { text: '"after 3"' },
      ms: 0,
      steps: 7,
      calls: 3,
      retries: 0,
      tokens: null,
      problems: [],
    },
  );
  assert.deepEqual(short().slice(0, 4), ["sta count", "com count", "sta check", "com check"]);
  const decided = events().filter(({ type, edge }) => type === "edge-decided" && edge === 2);
  assert.deepEqual(
    decided.map(({ verdicts }) => verdicts),
    [1, 2].map((text) => [
      { edge: 1, condition: "last==3", holds: false, saw: [{ reference: "last", value: { text: `${text}` } }] },
    ]),
  );
  const calls = events()
    .filter(({ type }) => type === "call-started" || type === "call-answered")
    .map(({ type, call, value }) => [type, call, value.text]);
  ask({ type: "file", which: "report" });
  assert.equal(JSON.parse((await until(({ type }) => type === "file")).text).last, "after 3");
  ask({ type: "file", which: "trace" });
  assert.equal(JSON.parse((await until(({ type }) => type === "file")).text.split("\n")[0]).type, "run-started");
  assert.deepEqual(calls.slice(0, 2), [
    ["call-started", "count:1:1", "null"],
    ["call-answered", "count:1:1", "1"],
  ]);
});

test("a forbidden plan is reported, and nothing runs", async () => {
  const cases = [
    [{ plan: "nodes: {a: {type: emit}, b: {}}" }, "run/invalid-plan", 1],
    [{ plan: "nodes: {a: {type: emit}}" }, "run/invalid-plan", 1],
    [{ plan: loop, stubs: "types: {emit: {returns: 1}}" }, "stub/unknown-key", 0],
    [{ plan: loop, stubs: "{" }, "stub/wrong-shape", 0],
    [{ plan: loop, test: "none of them" }, "run/refused", 0],
  ];
  for (const [given, code, problems] of cases) {
    const { ask, ended, events } = runner();
    ask({ type: "start", ...given });
    const end = await ended();
    assert.deepEqual(
      [end.outcome, end.code, end.problems.length > 0],
      ["failed", code, problems > 0],
      JSON.stringify(end),
    );
    assert.deepEqual(events(), []);
  }
});

test("step by step: each node starts visibly before its call", async () => {
  const { ask, paused, ended, short, events } = runner();
  ask({ type: "start", plan: loop, stubs: counting, paused: true });
  assert.deepEqual(await paused(), { type: "state", state: "paused", nodePath: "count", lane: "", why: "step" });
  assert.deepEqual(short(), []);
  ask({ type: "step" });
  assert.equal((await paused()).nodePath, "check");
  assert.deepEqual(short(), ["sta count", "com count"]);
  ask({ type: "step" });
  assert.equal((await paused()).nodePath, "count");
  assert.deepEqual(events().filter(({ type }) => type === "call-started").length, 1);
  ask({ type: "run-to", nodePath: "out" });
  assert.equal((await paused()).nodePath, "out");
  ask({ type: "resume" });
  assert.equal((await ended()).outcome, "completed");
});

test("a breakpoint stops a run at each visit, until it is removed", async () => {
  const { ask, paused, ended, short } = runner();
  ask({ type: "start", plan: loop, stubs: counting, breakpoints: ["check"] });
  assert.deepEqual(await paused(), { type: "state", state: "paused", nodePath: "check", lane: "", why: "breakpoint" });
  ask({ type: "resume" });
  await paused();
  assert.deepEqual(short().at(-1), "com count#2");
  ask({ type: "breakpoints", nodePaths: [] });
  ask({ type: "resume" });
  assert.equal((await ended()).outcome, "completed");
});

test("a step over a node does not stop inside the node", async () => {
  const { ask, paused, ended, short } = runner();
  ask({ type: "start", plan: parallelPlan, stubs: "types: {emit: {return: 1}}", paused: true });
  assert.equal((await paused()).nodePath, "fan");
  ask({ type: "step" });
  assert.deepEqual(await paused(), {
    type: "state",
    state: "paused",
    nodePath: "fan/a/one",
    lane: "fan:1/a",
    why: "step",
  });
  ask({ type: "step", over: true });
  assert.equal((await paused()).nodePath, "fan/a/two");
  ask({ type: "step", over: true });
  assert.equal((await ended()).outcome, "completed");
  assert.ok(short().includes("sta fan:1/b|fan/b/one"));
});

test("the clock of a paused run stands still", async () => {
  const { ask, paused, ended } = runner();
  ask({
    type: "start",
    plan: "nodes: {a: {type: tool, tool: look, input: {}, timeout_ms: 1}}",
    stubs: "tools: {look: {return: 1}}",
    paused: true,
  });
  await paused();
  const until = performance.now() + 5;
  while (performance.now() < until);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  ask({ type: "resume" });
  assert.equal((await ended()).outcome, "completed");
});

test("a stopped run ends in every state", async () => {
  for (const [extra, when] of [
    [{ paused: true }, "paused"],
    [{ pace: 60_000 }, "told"],
  ]) {
    const { ask, paused, until, ended } = runner();
    ask({ type: "start", plan: loop, stubs: "types: {emit: {return: 0, delay_ms: 100000}}", ...extra });
    await (when === "paused" ? paused() : until(({ type }) => type === "events"));
    ask({ type: "stop" });
    assert.equal((await ended()).outcome, "cancelled");
  }
});

test("a pending call of a stopped run is never made", async () => {
  const { ask, paused, ended, told } = runner();
  const plan = "start: a\nnodes: {a: {type: log}, b: {type: tool, tool: look, input: {}}}\nedges: [{from: a, to: b}]";
  ask({ type: "start", plan, host: { tools: ["s"], models: [] }, paused: true });
  while (!told.some(({ method }) => method === "list")) await new Promise(setImmediate);
  const [{ id }] = told.filter(({ method }) => method === "list");
  ask({ result: "value", id, value: [{ name: "look", inputSchema: { type: "object" } }] });
  await paused();
  ask({ type: "stop" });
  assert.equal((await ended()).outcome, "cancelled");
  await new Promise(setImmediate);
  assert.deepEqual(
    told.filter(({ method }) => method === "call"),
    [],
  );
});

test("a limit in dollars uses the example prices, and the demo costs nothing", async () => {
  const usage = { input: 1_000_000, output: 0, cached_input: 0 };
  const plan = "limits: {usd: 0.1}\nnodes: {ask: {type: llm, input: hi}}";
  for (const [named, code] of [
    [{ name: "gpt-4o-mini", provider: "openai" }, "run/usd-limit"],
    [{ name: "demo" }, null],
    [{ name: "no-such-model", provider: "openai" }, "run/unknown-price"],
  ]) {
    const { ask, ended, told } = runner();
    ask({ type: "start", plan, host: { tools: [], models: ["default"], names: { default: named } } });
    if (code !== "run/unknown-price") {
      while (!told.some(({ method }) => method === "chat")) await new Promise(setImmediate);
      const { id } = told.find(({ method }) => method === "chat");
      ask({ result: "value", id, value: { text: "hi", finish: "stop", usage } });
    }
    assert.equal((await ended()).code ?? null, code);
  }
});

test("a reply says what it cost, and the cost of a plan counts its recorded runs", async () => {
  const usage = { input: 1000, output: 100, cached_input: 0 };
  const plan = "nodes: {ask: {type: llm, with: {max_tokens: 200}, input: hi}}";
  const host = { tools: [], models: ["default"], names: { default: { name: "gpt-4o-mini", provider: "openai" } } };
  const { ask, ended, told, events, until } = runner();
  ask({ type: "start", plan, host });
  while (!told.some(({ method }) => method === "chat")) await new Promise(setImmediate);
  ask({
    result: "value",
    id: told.find(({ method }) => method === "chat").id,
    value: { text: "hi", finish: "stop", usage },
  });
  await ended();
  const { microUsd } = events().find(({ type }) => type === "call-answered").usage;
  assert.ok(microUsd > 0);
  const cassette = told.filter(({ type }) => type === "lines").flatMap(({ lines }) => lines);
  // A run of another plan does not count.
  const other = cassette.map((line) => line.replaceAll("ask", "other")).join("\n");
  ask({ type: "cost", plan, host, cassettes: [cassette.join("\n"), other, "no cassette"] });
  const cost = await until(({ type }) => type === "cost");
  assert.equal(cost.runs, 1);
  const amount = (name) => cost.amounts.find((one) => one.name === name);
  assert.deepEqual([amount("modelTurns").most, amount("outputTokens").most, amount("outputTokens").max], [1, 200, 100]);
  assert.equal(Math.round(amount("usd").mean * 1e6), microUsd);
  assert.ok(amount("usd").most >= amount("usd").mean);
});

test("a plan that calls nothing, or has errors, has no cost", async () => {
  for (const plan of ["nodes: {a: {type: log, input: 1}}", "nodes: {a: {type: log, inptu: 1}}", "nodes: ["]) {
    const { ask, until } = runner();
    ask({ type: "cost", plan, cassettes: [] });
    assert.deepEqual(await until(({ type }) => type === "cost"), { type: "cost", runs: 0, amounts: [], why: [] });
  }
});

test("a loop without an end is ended by the bound on steps", async () => {
  const { ask, ended, events } = runner();
  ask({
    type: "start",
    plan: "start: a\nlimits: {visits: 1000000}\nnodes: {a: {type: log, input: x}, b: {type: noop}, c: {type: noop}}\nedges: [{from: a, to: b}, {from: b, to: c, condition: last==y}, {from: b, to: a}]",
    limits: { steps: 5000 },
  });
  assert.equal((await ended()).code, "run/step-limit");
  assert.ok(events().length > 10_000);
});

test("after one output is changed, the run continues from there with the recorded answers", async () => {
  const first = runner();
  first.ask({
    type: "start",
    plan: example("approval.yaml"),
    stubs: example("approval.stubs.yaml"),
    input: { item: "chair", count: 4 },
  });
  const asked = await first.until(({ type }) => type === "approval");
  assert.deepEqual([asked.nodePath, asked.input.item], ["ask", "chair"]);
  first.ask({ type: "decide", call: asked.call, decision: "approved" });
  assert.equal((await first.ended()).outcome, "completed");
  const second = runner();
  second.ask({
    type: "fork",
    plan: example("approval.yaml"),
    stubs: example("approval.stubs.yaml"),
    cassette: first.lines(),
    change: { call: "ask:1:1", decision: "rejected" },
  });
  assert.equal((await second.ended()).last.text, '"chair is back on the shelf"');
  assert.ok(second.short().includes("sta put_back"));
  const again = runner();
  again.ask({ type: "replay", plan: example("approval.yaml"), cassette: first.lines().join("\n") });
  await again.ended();
  assert.deepEqual(again.short(), first.short());
  assert.deepEqual(
    again
      .events()
      .filter(({ type }) => type === "call-answered")
      .map(({ call }) => call),
    ["quote:1:1", "reserve:1:1", "ask:1:1", "pay:1:1"],
  );
});

test("the tests beside a plan are run, and each can be run as a run", async () => {
  const { ask, until, ended } = runner();
  ask({ type: "tests", plan: example("fan-out.yaml") });
  const { results } = await until(({ type }) => type === "test-results");
  assert.deepEqual(
    results.map(({ passed }) => passed),
    [true, true, true, true, true],
  );
  ask({ type: "tests", plan: example("hello.yaml").replace(/last: .*/, "last: something else"), filter: "" });
  const wrong = (await until(({ type }) => type === "test-results")).results.flatMap(({ differences }) => differences);
  assert.ok(wrong.length === 0 || wrong[0].path === "last");
  ask({ type: "start", plan: example("fan-out.yaml"), test: "nothing found" });
  assert.equal((await ended()).last.text, '"nobody knows anything about xyzzy"');
});

test("tools and models of the page's thread answer, report progress, and are abandoned", async () => {
  const plan =
    "start: look\nnodes: {look: {type: tool, tool: look, input: {of: 1}}, say: {type: llm, input: hi}}\nedges: [{from: look, to: say}]";
  const given = [];
  const tools = [
    {
      name: "page",
      list: async () => [{ name: "look", input_schema: { type: "object" } }],
      close: async () => {},
      call: async (name, args, { onProgress }) => (
        onProgress({ progress: 1, total: 2 }), given.push([name, args]), { value: { found: 1 }, isError: false }
      ),
    },
  ];
  const models = {
    default: {
      name: "m",
      chat: async (_request, { onDelta }) => {
        onDelta({ type: "text", text: "he" });
        onDelta({ type: "text", text: "llo" });
        return { text: "hello", finish: "stop", usage: { input: 5, output: 2, cached_input: 1 } };
      },
    },
  };
  const told = [];
  let done;
  const over = new Promise((resolve) => (done = resolve));
  const client = new RunnerClient({ worker: new URL("none:"), wasm: new URL("none:") }, (line) => {
    told.push(JSON.parse(line));
    if (told.at(-1).type === "ended") done();
  });
  client.send({ type: "start", plan }, { tools, models });
  await over;
  const end = told.find(({ type }) => type === "ended");
  assert.deepEqual([end.outcome, end.last.text, end.tokens, given], ["completed", '"hello"', 7, [["look", { of: 1 }]]]);
  const answers = told
    .flatMap((one) => (one.type === "events" ? one.events : []))
    .filter(({ type, usage }) => type === "call-answered" && usage);
  assert.deepEqual(
    answers.map(({ usage, value }) => [usage, value.text]),
    [[{ input: 5, output: 2, cached: 1 }, '"hello"']],
  );
  assert.ok(client.cassette.startsWith('{"type":"cassette"'));
});

test("a replaced run ends at once and reports nothing more", async () => {
  const told = [];
  let wake = () => {};
  const onLine = (line) => {
    told.push(JSON.parse(line));
    wake();
  };
  const until = async (wanted) => {
    while (!told.some(wanted)) await new Promise((resolve) => (wake = resolve));
  };
  const client = new RunnerClient({ worker: new URL("none:"), wasm: new URL("none:") }, onLine);
  client.abandonRun();
  assert.deepEqual(told, [], "nothing runs");
  client.send({ type: "start", plan: "nodes: {ask: {type: approve, input: x}}" }, null);
  await until(({ type }) => type === "approval");
  const { cassette } = client;
  client.abandonRun();
  assert.deepEqual(
    told.slice(-3).map(({ type, outcome, state }) => outcome ?? state ?? type),
    ["recording", "cancelled", "ended"],
  );
  const before = told.length;
  client.send({ type: "replay", plan: "nodes: {ask: {type: log, input: x}}", cassette }, null);
  await until(({ type, code }) => type === "ended" && code !== "run/stopped");
  assert.equal(told.slice(before).filter(({ type }) => type === "ended").length, 1);
});

test("a run closed with its plan reports nothing more, and no other run starts", async () => {
  const told = [];
  let wake = () => {};
  const client = new RunnerClient({ worker: new URL("none:"), wasm: new URL("none:") }, (line) => {
    told.push(JSON.parse(line));
    wake();
  });
  const start = { type: "start", plan: "nodes: {ask: {type: approve, input: x}}" };
  client.send(start, null);
  while (!told.some(({ type }) => type === "approval")) await new Promise((resolve) => (wake = resolve));
  const before = told.length;
  client.close();
  client.send(start, null);
  client.failBeforeStart("run/not-connected", "it came too late");
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.deepEqual(told.slice(before), []);
});

test("the page's scripts parse no message of the runner", async (t) => {
  const parsed = [];
  const parse = JSON.parse;
  t.mock.method(JSON, "parse", (text, ...rest) => {
    const value = parse(text, ...rest);
    if (/^\{"(type|method|result)":/.test(text)) parsed.push(value.type ?? value.method ?? value.result);
    return value;
  });
  const model = { name: "m", chat: async () => ({ text: "hello", finish: "stop" }) };
  const received = [];
  await new Promise((resolve) => {
    const client = new RunnerClient({ worker: new URL("none:"), wasm: new URL("none:") }, (message) => {
      received.push(message);
      if (message.startsWith('{"type":"ended"')) resolve();
    });
    client.send({ type: "start", plan: "nodes: {say: {type: llm, input: hi}}" }, { models: { default: model } });
  });
  const ours = ["events", "state", "lines", "ended", "recording", "chat", "value"];
  assert.deepEqual(
    parsed.filter((type) => ours.includes(type)),
    [],
  );
  assert.ok(received.some((message) => message.startsWith('{"type":"events"')));
});

test("names of calls lead to places of the plan", async () => {
  const nodes = [
    { key: "fan", id: "fan", type: "parallel" },
    { key: "deep", id: "deep", type: "map", scope: "fan/a b" },
    { key: "k", id: "other/name", type: "log", scope: "fan/a b/deep" },
    { key: "sub", id: "sub", type: "graph" },
    { key: "in", id: "in", type: "log", scope: "sub" },
  ];
  const places = new NodePaths(nodes);
  const cases = [
    ["fan:1:1", "fan"],
    ["fan:2/a b/deep:1:1", "fan/a b/deep"],
    ["fan:1:2/a b/deep:1/17/other%2Fname:1:1", "fan/a b/deep/k"],
    ["sub:1/in:3:2", "sub/in"],
    ["fan:1/a b/deep:1:1/2/0", "fan/a b/deep"],
    ["nobody:1:1", "nobody"],
  ];
  for (const [call, place] of cases) {
    const { lane, node } = parseCallName(call);
    assert.equal(places.nodePath(lane, node), place, call);
  }
  assert.deepEqual(parseCallName("help:1:2/2/0/approval"), {
    lane: "",
    node: "help",
    visit: 1,
    attempt: 2,
    part: "2/0/approval",
  });
  assert.equal(parseCallName("no call"), null);
});

test("values are sent only as far as they are shown", () => {
  const cases = [
    [{ a: [1, "x", null, undefined], b: undefined }, '{"a":[1,"x",null,null]}'],
    ["é\n", '"é\\n"'],
    [undefined, "null"],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ];
  for (const [value, text] of cases) assert.deepEqual(truncate(value), { text });
  const long = truncate({ list: Array.from({ length: 1e6 }, (_, i) => i) }, 50);
  assert.ok(long.cut && long.text.length < 70);
  const self = {};
  self.self = self;
  assert.ok(truncate(self).text.length < 2000);
  assert.ok(truncate(JSON.parse('{"__proto__": {"x": 1}}')).text.includes("__proto__"));
});

test("a stopped clock fires no timer, and continues at its time", async () => {
  let real = 0;
  const clock = new PausableClock(() => real);
  const called = [];
  clock.after(5, () => called.push("given up"))();
  clock.pause();
  real = 100;
  assert.equal(clock.now(), 0);
  const due = new Promise((resolve) => clock.after(0, resolve));
  clock.resume();
  real = 103;
  assert.equal(clock.now(), 3);
  await due;
  assert.deepEqual(called, []);
});

test("pinned values and missing handlers become entries of a stub file that runs accept", async () => {
  const { ask, until, ended } = runner();
  const plan =
    "start: a\nnodes: {a: {type: emit}, b: {type: tool, tool: look, input: {}}, c: {type: llm, input: hi}}\nedges: [{from: a, to: b}, {from: b, to: c}]";
  const collectEvents = async (given) => {
    ask({ type: "stubs", plan, stubs: "", ...given });
    return until(({ type }) => type === "stubs");
  };
  const pin = { group: "nodes", name: "a", behaviour: { return: { x: [1] } } };
  assert.deepEqual(await collectEvents({ pin: { node: "a", value: { x: [1] } } }), {
    type: "stubs",
    changes: [pin],
    pinned: ["a"],
  });
  const stubs = "# mine\nnodes: {a: {return: {x: [1]}}}\n";
  const echoes = [
    ["types", "emit"],
    ["tools", "look"],
    ["models", "default"],
  ].map(([group, name]) => ({ group, name, behaviour: "echo" }));
  assert.deepEqual(await collectEvents({ stubs, fill: true }), { type: "stubs", changes: echoes, pinned: ["a"] });
  assert.deepEqual(await collectEvents({ stubs: `${stubs}tools: {look: last}\nmodels:\n`, fill: true }), {
    type: "stubs",
    changes: [echoes[0], echoes[2]],
    pinned: ["a"],
  });
  ask({ type: "start", plan, stubs: `${stubs}types: {emit: echo}\ntools: {look: echo}\nmodels: {default: echo}\n` });
  const end = await ended();
  assert.deepEqual([end.outcome, end.last.text], ["completed", '"hi"']);
  assert.deepEqual(await collectEvents({ stubs, pin: { node: "a" } }), {
    type: "stubs",
    changes: [{ group: "nodes", name: "a" }],
    pinned: [],
  });
  assert.deepEqual(await collectEvents({ stubs }), { type: "stubs", changes: [], pinned: ["a"] });
  const broken = await collectEvents({ stubs: "{", pin: { node: "a", value: 1 } });
  assert.match(broken.problem, /\(\d+:\d+\)/);
  assert.deepEqual(broken.changes, []);
});
