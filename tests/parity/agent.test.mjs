// Tests agents: pause, resume, record, replay, fork, updates during calls, and real model and tool servers.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  anthropic,
  check,
  fork,
  gemini,
  mcp,
  openai,
  openaiResponses,
  PlanGraph,
  review,
  Run,
  run,
  startSync,
} from "../../dist/package-internals.js";
import * as servers from "../servers/servers.mjs";
import { canonical } from "./canonical.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

function plan(given) {
  const { graph, diagnostics } = PlanGraph.parse(typeof given === "string" ? given : JSON.stringify(given));
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
}

const help = (settings = {}, more = {}) =>
  plan({ nodes: { help: { type: "agent", input: "go", with: settings, ...more } } });

const call = (id, name, args = {}) => ({ id, name, arguments: args });
const calls = (...tool_calls) => ({ text: "", tool_calls, finish: "tool_calls", usage: null });

function model(...says) {
  const asked = [];
  const chat = (request) => {
    asked.push(request);
    const said = says[Math.min(asked.length, says.length) - 1];
    if (said instanceof Error) throw said;
    return said;
  };
  return Object.assign(chat, { asked });
}

const TOOLS = [
  {
    name: "search",
    description: "finds",
    input_schema: { type: "object", properties: { q: { type: "integer" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } },
  { name: "files.read", input_schema: { type: "object" }, annotations: { readOnlyHint: true } },
];

function server(answer = (name, args) => ({ of: name, ...args })) {
  const asked = [];
  return {
    name: "own",
    asked,
    list: async () => TOOLS,
    close: async () => {},
    async call(name, args, options) {
      asked.push({ name, args, call: options.call });
      return { value: await answer(name, args, options), isError: false };
    },
  };
}

test("a model receives the tools, calls them and reads their results", async () => {
  const [speaker, tools] = [model(calls(call("a", "search", { q: 1 }), call("b", "files_read")), "done"), server()];
  const report = await run(help({ system: "be brief" }), { models: { default: speaker }, tools: [tools] });
  assert.equal(report.last, "done", JSON.stringify(report.outcome));
  const [first, second] = speaker.asked;
  assert.deepEqual(
    first.tools.map(({ name }) => name),
    ["search", "drop", "files_read"],
  );
  assert.deepEqual(first.tools[0], { name: "search", description: "finds", input_schema: TOOLS[0].input_schema });
  assert.deepEqual(first.messages, [
    { role: "system", content: "be brief", cache: true },
    { role: "user", content: "go", cache: true },
  ]);
  assert.deepEqual(second.messages.slice(2), [
    { role: "assistant", content: "", tool_calls: [call("a", "search", { q: 1 }), call("b", "files_read")] },
    { role: "tool", content: '{"of":"search","q":1}', call_id: "a", tool: "search" },
    { role: "tool", content: '{"of":"files.read"}', call_id: "b", tool: "files_read", cache: true },
  ]);
  assert.deepEqual(tools.asked, [
    { name: "search", args: { q: 1 }, call: "help:1:1/1/0" },
    { name: "files.read", args: {}, call: "help:1:1/1/1" },
  ]);
  assert.deepEqual(report.counts, { steps: 1, calls: 4, retries: 0 });
  assert.deepEqual(report.trace.map(({ type, call = "" }) => `${type} ${call}`.trim()).slice(2, -3), [
    "model-asked help:1:1/1",
    "model-replied help:1:1/1",
    "tool-asked help:1:1/1/0",
    "tool-asked help:1:1/1/1",
    "tool-answered help:1:1/1/0",
    "tool-answered help:1:1/1/1",
    "model-asked help:1:1/2",
    "model-replied help:1:1/2",
  ]);
});

test("a tool result goes to the model as text, and to the trace unchanged", async () => {
  const thing = { toJSON: () => ({ shown: true }), hidden: 1 };
  const tools = server(() => thing);
  const report = await run(help(), { models: { default: model(calls(call("a", "search")), "done") }, tools: [tools] });
  assert.equal(report.trace.find(({ type }) => type === "tool-answered").output, thing, "the very object");
});

test("calls run concurrently; if one of them ends the run, the others are aborted", async () => {
  const aborted = [];
  const tools = server(
    (_name, args, { signal }) =>
      new Promise((resolve) => {
        if (args.q === 3) setTimeout(() => stop.abort(), 0);
        signal.addEventListener("abort", () => (aborted.push(args.q), resolve(null)));
      }),
  );
  const stop = new AbortController();
  const speaker = model(
    calls(call("a", "search", { q: 1 }), call("b", "search", { q: 2 }), call("c", "search", { q: 3 })),
  );
  const report = await run(help(), { models: { default: speaker }, tools: [tools], signal: stop.signal });
  assert.deepEqual([report.outcome.type, aborted.sort()], ["cancelled", [1, 2, 3]]);
  assert.equal(report.partial["help:1"].outputs.conversation.length, 2);
  // The resumed run repeats only outstanding calls and no model request.
  const [again, later] = [server(), model("done")];
  const done = await run(help(), {
    models: { default: later },
    tools: [again],
    snapshot: JSON.parse(JSON.stringify(report.snapshot)),
  });
  assert.equal(done.last, "done");
  assert.deepEqual(
    again.asked.map(({ args }) => args.q),
    [1, 2, 3],
  );
  assert.equal(later.asked[0].messages.length, 5);
});

test("a destructive tool waits for approval", async () => {
  const graph = help();
  const createModel = () => model(calls(call("a", "drop", { table: "t" }), call("b", "search", { q: 1 })), "done");
  const [tools, speaker] = [server(), createModel()];
  const paused = await run(graph, { models: { default: speaker }, tools: [tools] });
  assert.equal(paused.outcome.type, "paused", JSON.stringify(paused.outcome));
  assert.deepEqual(paused.outcome.approvals, [
    {
      call: "help:1:1/1/0/approval",
      node: "help",
      scope: "",
      tool: "drop",
      server: "own",
      metadata: {},
      input: { tool: "drop", arguments: { table: "t" } },
    },
  ]);
  assert.deepEqual(
    tools.asked.map(({ name }) => name),
    ["search"],
    "the others are called meanwhile",
  );
  for (const [decision, expected, told] of [
    ["approved", [{ name: "drop", args: { table: "t" }, call: "help:1:1/1/0" }], '{"of":"drop","table":"t"}'],
    [
      { value: { table: "u" } },
      [{ name: "drop", args: { table: "u" }, call: "help:1:1/1/0" }],
      '{"of":"drop","table":"u"}',
    ],
    ["rejected", [], "tool/refused: a person refused the call of tool `drop`"],
    [{ value: "no map" }, [], "approval/failed: other arguments of a tool are a map, as in `{ value: { city } }`"],
  ]) {
    const [later, further] = [server(), model("done")];
    const snapshot = JSON.parse(JSON.stringify(paused.snapshot));
    const report = await run(graph, {
      models: { default: further },
      tools: [later],
      snapshot,
      decisions: { "help:1:1/1/0/approval": decision },
    });
    assert.equal(report.last, "done", JSON.stringify(report.outcome));
    assert.deepEqual(later.asked, expected);
    assert.equal(further.asked[0].messages.at(-2).content, told);
  }
  for (const allow of [true, ["drop"], ["own.drop"]]) {
    const report = await run(graph, { models: { default: createModel() }, tools: [server()], allow });
    assert.equal(report.outcome.type, "completed", `${allow}`);
  }
  const other = await run(graph, { models: { default: createModel() }, tools: [server()], allow: ["search"] });
  assert.equal(other.outcome.type, "paused");
});

test("a call chosen by a model waits for approval unless its tool is harmless; a planned call does not", async () => {
  const agent = help();
  const node = plan("nodes: {a: {type: tool, tool: write}}");
  for (const [annotations, ofModel, ofPlan] of [
    [undefined, "paused", "completed"],
    [{}, "paused", "completed"],
    [{ readOnlyHint: false }, "paused", "completed"],
    [{ readOnlyHint: true }, "completed", "completed"],
    [{ destructiveHint: false }, "completed", "completed"],
    [{ destructiveHint: true }, "paused", "paused"],
    [{ readOnlyHint: "true" }, "paused", "paused"],
  ]) {
    const tools = () => [
      {
        ...server(),
        list: async () => [{ name: "write", input_schema: { type: "object" }, ...(annotations && { annotations }) }],
      },
    ];
    const models = () => ({ default: model(calls(call("a", "write")), "done") });
    const said = JSON.stringify(annotations);
    assert.equal((await run(agent, { models: models(), tools: tools() })).outcome.type, ofModel, said);
    assert.equal((await run(node, { tools: tools() })).outcome.type, ofPlan, said);
    for (const allow of [true, ["write"]]) {
      const allowed = await run(agent, { models: models(), tools: tools(), allow });
      assert.equal(allowed.outcome.type, "completed", said);
    }
  }
  // Calls of stubs reach nothing real, so they need no approval.
  const stubs = { tools: { write: { return: 1 } } };
  const models = { default: model(calls(call("a", "write")), "done") };
  assert.equal((await run(agent, { models, stubs })).last, "done");
});

test("tool servers receive the run's id with each call, and a resumed run keeps its id", async () => {
  const told = [];
  const tools = () => [server((_name, _args, options) => (told.push([options.run, options.call]), 1))];
  const createModel = () => model(calls(call("a", "search"), call("b", "drop")), "done");
  const paused = await run(help(), { models: { default: createModel() }, tools: tools() });
  const [[first]] = told;
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.equal(paused.snapshot.run, first);
  await run(help(), {
    models: { default: model("done") },
    tools: tools(),
    snapshot: JSON.parse(JSON.stringify(paused.snapshot)),
    decisions: { "help:1:1/1/1/approval": "approved" },
  });
  await run(help(), { models: { default: createModel() }, tools: tools(), allow: true, runId: "order-7" });
  assert.deepEqual(told, [
    [first, "help:1:1/1/0"],
    [first, "help:1:1/1/1"],
    ["order-7", "help:1:1/1/0"],
    ["order-7", "help:1:1/1/1"],
  ]);
});

test("a tool node waits, too", async () => {
  const graph = plan(
    '{start: a, nodes: {a: {type: tool, tool: drop, input: {table: t}}, no: {type: log, input: "${error.code}"}}, edges: [{from: a, to: no, condition: error.exists}]}',
  );
  const asked = [];
  const runWithDecision = async (decision) => {
    const tools = server();
    const report = await run(graph, { tools: [tools], onApproval: (approval) => (asked.push(approval), decision) });
    return [report.last, tools.asked];
  };
  const expectedCall = (table) => [{ name: "drop", args: { table }, call: "a:1:1" }];
  assert.deepEqual(await runWithDecision("approved"), [{ of: "drop", table: "t" }, expectedCall("t")]);
  assert.deepEqual(await runWithDecision({ value: { table: "u" } }), [{ of: "drop", table: "u" }, expectedCall("u")]);
  assert.deepEqual(await runWithDecision("rejected"), ["tool/refused", []]);
  assert.deepEqual(asked[0], {
    call: "a:1:1/approval",
    node: "a",
    scope: "",
    tool: "drop",
    server: "own",
    metadata: {},
    input: { tool: "drop", arguments: { table: "t" } },
  });
  const allowed = await run(graph, { tools: [server()], allow: true });
  assert.deepEqual(allowed.last, { of: "drop", table: "t" });
});

test("an agent's run is recorded, replayed to the byte, and forked at any of its calls", async () => {
  const graph = help({}, { retry: { attempts: 2, backoff_ms: 0 } });
  const failing = Object.assign(new Error("busy"), { code: "model/overloaded" });
  const lines = [];
  const speaker = model(
    calls(call("a", "search", { q: 1 }), call("b", "drop")),
    failing,
    calls(call("c", "search", { q: 2 })),
    "done",
  );
  const options = { models: { default: speaker }, tools: [server()], onApproval: () => "approved" };
  const report = await run(graph, { ...options, record: (line) => lines.push(line) });
  assert.equal(report.last, "done", JSON.stringify(report.outcome));
  const again = await run(graph, { replay: lines });
  assert.equal(canonical(again.trace), canonical(report.trace));
  assert.deepEqual(again.counts, report.counts);

  const unused = () => assert.fail("nothing is asked");
  const whole = await fork(graph, { cassette: lines, models: { default: unused }, tools: [server(unused)] });
  assert.equal(whole.last, "done", "what failed was made good by a later try");

  const [tools, further] = [server(unused), model("other")];
  const other = await fork(graph, {
    cassette: lines,
    at: "help:1:2/1/0",
    output: "nothing",
    models: { default: further },
    tools: [tools],
  });
  assert.equal(other.last, "other");
  assert.equal(further.asked.length, 1);
  assert.equal(further.asked[0].messages.at(-1).content, "nothing");

  const said = await fork(graph, {
    cassette: lines,
    at: "help:1:2/2",
    output: "said otherwise",
    models: { default: unused },
    tools: [server(unused)],
  });
  assert.equal(said.last, "said otherwise");
  const refused = model("a pity");
  const no = await fork(graph, {
    cassette: lines,
    at: "help:1:1/1/1/approval",
    decision: "rejected",
    models: { default: refused },
    tools: [server()],
  });
  assert.equal(no.last, "a pity");
  assert.match(refused.asked[0].messages.at(-1).content, /refused/);
  // The cassette contains `allow`, so the replay does not set it.
  const allowed = [];
  await run(graph, {
    models: { default: model(calls(call("b", "drop")), "done") },
    tools: [server()],
    allow: true,
    record: (line) => allowed.push(line),
  });
  assert.equal((await run(graph, { replay: allowed })).last, "done");
  const diverged = await run(graph, { replay: lines.map((line) => line.replaceAll('"q":2', '"q":3')) });
  assert.equal(diverged.outcome.code, "replay/diverged");
});

test("the machine uses the same names of calls", () => {
  const machine = new Run(help(), { tools: TOOLS, models: ["default"], types: [] });
  const {
    commands: [asked],
  } = machine.step({ type: "start", atMs: 0 });
  assert.deepEqual([asked.type, asked.call], ["call-model", "help:1:1/1"]);
  const { commands } = machine.step({
    type: "call-done",
    call: asked.call,
    reply: calls(call("a", "files_read", { p: 1 }), call("b", "drop")),
    atMs: 1,
  });
  assert.deepEqual(commands, [
    {
      type: "call-tool",
      call: "help:1:1/1/0",
      node: "help",
      nodePath: "help",
      tool: "files.read",
      arguments: { p: 1 },
    },
    {
      type: "ask-approval",
      call: "help:1:1/1/1/approval",
      node: "help",
      nodePath: "help",
      input: { tool: "drop", arguments: {} },
      tool: "drop",
    },
  ]);
  const after = machine.step({ type: "decided", call: "help:1:1/1/1/approval", decision: "approved", atMs: 2 });
  assert.deepEqual(
    after.commands.map(({ type, call }) => [type, call]),
    [["call-tool", "help:1:1/1/1"]],
  );
  const { commands: ended } = machine.step({ type: "cancel", atMs: 3 });
  assert.deepEqual(
    ended.map(({ type, call }) => [type, call]),
    [
      ["abandon", "help:1:1/1/0"],
      ["abandon", "help:1:1/1/1"],
      ["finish", undefined],
    ],
  );
  machine.free();
});

const createStreamingModel = () => {
  const chat = model(calls(call("a", "search", { q: 1 })), "done");
  return {
    models: {
      default: (request, { onDelta }) => {
        for (const text of ["do", "ne"]) onDelta?.({ type: "text", text });
        return chat(request);
      },
    },
    tools: [
      server((_name, _args, { onProgress }) => {
        onProgress?.({ progress: 1, total: 2, message: "half" });
        return "found";
      }),
    ],
  };
};

test("listeners receive the updates of calls, and only then servers send them", async () => {
  const updates = [];
  const lines = [];
  const report = await run(help(), {
    ...createStreamingModel(),
    onUpdate: (update) => updates.push(update),
    record: (line) => lines.push(line),
  });
  const delta = (call, text) => ({ type: "model-delta", node: "help", call, delta: { type: "text", text } });
  assert.deepEqual(updates, [
    delta("help:1:1/1", "do"),
    delta("help:1:1/1", "ne"),
    {
      type: "tool-progress",
      node: "help",
      call: "help:1:1/1/0",
      tool: "search",
      progress: 1,
      total: 2,
      message: "half",
    },
    delta("help:1:1/2", "do"),
    delta("help:1:1/2", "ne"),
  ]);
  assert.doesNotMatch(`${JSON.stringify(report)}${lines.join("")}`, /delta|progress|half/);
  let asked = 0;
  const quiet = await run(help(), {
    models: { default: (_request, options) => ((asked += "onDelta" in options ? 1 : 0), "done") },
    tools: [server()],
  });
  assert.deepEqual([quiet.last, asked], ["done", 0]);
  const again = [];
  await run(help(), { replay: lines, onUpdate: (update) => again.push(update) });
  assert.deepEqual(again, []);
});

test("updates in nested graphs name their node path, and late or foreign ones are dropped", async () => {
  const graph = plan({
    nodes: { each: { type: "map", input: [1, 2], do: { nodes: { help: { type: "agent", input: "${item}" } } } } },
  });
  const updates = [];
  let late;
  const models = {
    default: (request, { onDelta }) => {
      onDelta({ type: "text", text: request.messages[0].content });
      late ??= onDelta;
      return "done";
    },
  };
  await run(graph, { models, tools: [server()], onUpdate: (update) => updates.push(update) });
  late({ type: "text", text: "too late" });
  assert.deepEqual(
    updates.map(({ scope, call, delta }) => [scope, call, delta.text]),
    [
      ["each:1/0", "each:1/0/help:1:1/1", "1"],
      ["each:1/1", "each:1/1/help:1:1/1", "2"],
    ],
  );
});

test("a throwing update listener ends the run like a throwing event listener", async () => {
  const boom = new Error("boom");
  const onUpdate = () => {
    throw boom;
  };
  const { outcome } = await run(help(), { ...createStreamingModel(), onUpdate });
  const message = "`onUpdate` failed: boom";
  assert.deepEqual(outcome, { type: "failed", code: "run/listener-failed", message });
});

test("a stream contains updates among its events on request", async () => {
  const seen = [];
  for await (const event of run.stream(help(), { ...createStreamingModel(), updates: true })) seen.push(event.type);
  assert.deepEqual(
    seen.filter((type) => ["model-delta", "tool-progress", "model-replied"].includes(type)),
    ["model-delta", "model-delta", "model-replied", "tool-progress", "model-delta", "model-delta", "model-replied"],
  );
  const plain = [];
  for await (const event of run.stream(help(), createStreamingModel())) plain.push(event.type);
  assert.ok(!plain.includes("model-delta"));
});

test("a review lists the permissions of an agent", () => {
  const named = help({ tools: ["search", "drop"], model: "big" });
  const { tools, models } = review(named, { tools: TOOLS });
  assert.deepEqual(
    tools.map(({ name, effect, nodes }) => [name, effect, nodes]),
    [
      ["search", "reads", ["help"]],
      ["drop", "destroys", ["help"]],
    ],
  );
  assert.deepEqual(models, [{ name: "big", nodes: ["help"] }]);
  assert.deepEqual(
    review(help(), { tools: TOOLS }).tools.map(({ name }) => name),
    ["search", "drop", "files.read"],
  );
  assert.deepEqual(
    review(help()).tools.map(({ name, effect, known }) => [name, effect, known]),
    [["*", "unknown", null]],
  );
  assert.deepEqual(
    check(help({ tools: ["serch"] }), { tools: TOOLS }).map(({ code, help }) => [code, help]),
    [["graph/unknown-tool", "did you mean `search`?"]],
  );
});

const PROVIDERS = [
  ["openai", openai, "/v1"],
  ["openai-responses", openaiResponses, "/v1"],
  ["anthropic", anthropic, "/v1"],
  ["gemini", gemini, "/v1beta"],
];

test("an agent talks with every provider in its own format", async (context) => {
  const server = await servers.aimock(fileURLToPath(new URL("../servers/models", import.meta.url)));
  context.after(() => server.stop());
  const origin = new URL(server.url).origin;
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  for (const [name, make, path] of PROVIDERS) {
    for (const watched of [false, true]) {
      await context.test(`${name}, ${watched ? "in pieces" : "whole"}`, async () => {
        const asked = [];
        const tools = {
          name: "sky",
          list: async () => [{ name: "weather", input_schema: schema, annotations: { readOnlyHint: true } }],
          call: async (_name, { city }) => (asked.push(city), { value: { [city]: -4 }, isError: false }),
          close: async () => {},
        };
        const said = [];
        const graph = plan({ nodes: { help: { type: "agent", input: "two calls", with: { system: "be brief" } } } });
        const model = make({
          baseUrl: origin + path,
          model: "m",
          apiKey: "sk-marker-0123456789",
          headers: { "x-test-id": `agent-${name}-${watched}` },
        });
        const listen = watched
          ? { onUpdate: ({ call, delta }) => delta.type === "text" && said.push([call, delta.text]) }
          : {};
        const lines = [];
        const report = await run(graph, {
          models: { default: model },
          tools: [tools],
          ...listen,
          record: (line) => lines.push(line),
        });
        assert.deepEqual(
          [report.outcome.type, report.last, asked],
          ["completed", "cold in both", ["Oslo", "Bergen"]],
          JSON.stringify(report.outcome),
        );
        assert.equal(report.counts.calls, 4);
        if (watched)
          assert.deepEqual([said.map(([, text]) => text).join(""), said[0][0]], ["cold in both", "help:1:1/2"]);
        assert.doesNotMatch(`${JSON.stringify(report)}${lines.join("")}`, /sk-marker/);
        assert.equal((await run(graph, { replay: lines })).last, "cold in both");
      });
    }
  }
});

test("a tool of a real server reports its progress", async (context) => {
  const server = await servers.everything();
  const tools = mcp(server.url, { name: "everything" });
  context.after(async () => {
    await tools.close();
    await server.stop();
  });
  const updates = [];
  const speaker = model(
    calls(
      call("a", "trigger-long-running-operation", { duration: 0.2, steps: 2 }),
      call("b", "get-sum", { a: 1, b: 2 }),
      call("c", "echo", {}),
    ),
    "done",
  );
  const report = await run(help({ tools: ["trigger-long-running-operation", "get-sum", "echo"] }), {
    models: { default: speaker },
    tools: [tools],
    onUpdate: (update) => updates.push(update),
  });
  assert.equal(report.last, "done", JSON.stringify(report.outcome));
  const [long, sum, echo] = speaker.asked[1].messages.slice(-3);
  assert.match(long.content, /completed/i);
  assert.match(sum.content, /3/);
  assert.deepEqual([echo.is_error, echo.content], [true, "the arguments of tool `echo`: the value has no `message`"]);
  assert.deepEqual(
    updates.map(({ type, call, tool, progress, total }) => [type, call, tool, progress, total]),
    [
      ["tool-progress", "help:1:1/1/0", "trigger-long-running-operation", 1, 2],
      ["tool-progress", "help:1:1/1/0", "trigger-long-running-operation", 2, 2],
    ],
  );
});

test("a real model answers by the schema in its last turn, without calling tools", async (context) => {
  const llama = await servers.llama();
  context.after(() => llama.stop());
  const schema = {
    type: "object",
    properties: { mood: { enum: ["good", "bad"] } },
    required: ["mood"],
    additionalProperties: false,
  };
  const graph = plan({
    nodes: {
      help: {
        type: "agent",
        input: "It rains all day. Which mood is that?",
        with: { max_tokens: 60, max_turns: 1, schema },
      },
    },
  });
  const report = await run(graph, { models: { default: openai({ baseUrl: llama.url }) }, tools: [server()] });
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  assert.ok(["good", "bad"].includes(report.last.mood), JSON.stringify(report.last));
  assert.ok(report.counts.tokens > 0);
});
