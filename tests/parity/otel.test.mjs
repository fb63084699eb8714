// Tests traces in a third-party collector that rejects invalid OTLP. The tool server has the official SDK's traces.
//
// `UPDATE=1` rewrites the expected tree.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { otel } from "../../dist/integrations/otel.js";
import { anthropic, CallError, mcp, openai, PlanError, PlanGraph, priceModels, Run, run } from "../../dist/node.js";
import { serve } from "../servers/serve.mjs";
import * as servers from "../servers/servers.mjs";
import { official } from "./otel/official.mjs";
import { tree, walk } from "./otel/tree.mjs";

const parityFolder = fileURLToPath(new URL(".", import.meta.url));
const read = (name) => readFileSync(join(parityFolder, name), "utf8");
const plan = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};
const shop = plan(read("otel/shop.yaml"));

let [collector, tools, model, conventions] = [];
let modelRequests = [];
before(
  async () => {
    collector = await servers.collector();
    const [server, real] = await Promise.all([
      servers.traced(collector.url),
      servers.aimock(join(parityFolder, "../package/everywhere/model")),
    ]);
    tools = server;
    const between = await serve(async ({ request, body, response }) => {
      modelRequests.push({ ...request.headers });
      const answer = await fetch(new URL(request.url, real.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      response
        .writeHead(answer.status, { "content-type": answer.headers.get("content-type") })
        .end(Buffer.from(await answer.arrayBuffer()));
    });
    model = { url: `${between.url}/v1`, stop: () => between.stop().then(real.stop) };
    conventions = (await official()).require("@opentelemetry/semantic-conventions/incubating");
  },
  { timeout: 240_000 },
);
after(() => Promise.all([tools?.stop(), model?.stop(), collector?.stop()]));

/** Later tests compare these with the conventions and the documentation. */
const allSpans = [];
async function receivedSpans(context, count) {
  const spans = await collector.spans(context.traceparent.slice(3, 35), count);
  allSpans.push(...spans);
  return spans;
}

async function runShopping(telemetry, more = {}, trace = {}) {
  let turn = 0;
  const thinkingModel = (_request, { onDelta } = {}) => {
    onDelta?.({ type: "text", text: "c" });
    return turn++ === 0
      ? {
          text: "",
          tool_calls: [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }],
          finish: "tool_calls",
          usage: { input: 30, output: 4, cached_input: 10, cache_write_input: 5, reasoning_output: 2 },
        }
      : { text: "a coat", finish: "stop", usage: { input: 40, output: 3, cached_input: 0 } };
  };
  const flaky = ({ attempt }) => {
    if (attempt < 3) throw new CallError("flaky/not-yet", `try ${attempt}`);
    return { password: "geheim", of: "the rest" };
  };
  const client = mcp(tools.url, { name: "shop" });
  const options = {
    input: { items: ["tea", "water"], api_key: "geheim" },
    tools: [client],
    handlers: { flaky },
    onApproval: () => "approved",
    models: { default: openai({ baseUrl: model.url, model: "small", apiKey: "geheim" }), thinker: thinkingModel },
    ...more,
  };
  const report = await telemetry.run(shop, options, trace);
  await client.close();
  await telemetry.close();
  assert.deepEqual(report.outcome, { type: "completed", reason: "terminal" });
  return { report, context: telemetry.contextOf(report), told: telemetry.stats };
}

const failures = [];
const onError = (failure) => failures.push(failure);
const SERVED = 4;

test("a run is a tree of spans in the receiver, including the spans of the tool server", async () => {
  modelRequests = [];
  const { report, context, told } = await runShopping(otel({ url: collector.url, onError }), { onUpdate() {} });
  assert.deepEqual([told.exported, told.lost, failures], [told.spans, 0, []]);
  const spans = await receivedSpans(context, told.spans + SERVED);
  assert.equal(spans.length, told.spans + SERVED);
  const actual = tree(spans);
  if (process.env.UPDATE) writeFileSync(join(parityFolder, "otel/shop.txt"), actual);
  assert.equal(actual, read("otel/shop.txt"));
  for (const secret of ["geheim", "tea", "greet us", "Grüße", "a coat", "Oslo", "be brief"])
    assert.ok(!JSON.stringify(spans).includes(secret), secret);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans.filter(({ scope }) => scope[0] === "stepgraph")) {
    const parent = byId.get(span.parent);
    assert.ok(
      span.end >= span.start && (!parent || (span.start >= parent.start && span.end <= parent.end)),
      `${span.name} in ${parent?.name}`,
    );
    for (const { at } of span.events) assert.ok(at >= span.start, span.name);
  }
  const started = report.trace.find(({ type, node }) => type === "node-started" && node === "help");
  const ended = report.trace.find(({ type, node }) => type === "node-completed" && node === "help");
  const help = spans.find(({ name }) => name === "invoke_agent help");
  assert.ok(
    Math.abs(help.start / 1e6 - started.atMs) < 0.01 &&
      Math.abs((help.end - help.start) / 1e6 - ended.durationMs) < 0.01,
  );
  const chat = spans.find(({ name }) => name === "chat small");
  assert.deepEqual(
    modelRequests.map(({ traceparent }) => traceparent),
    [`00-${chat.traceId}-${chat.spanId}-01`],
  );
});

test("values are exported with permission, and secrets never", async () => {
  const { context, told } = await runShopping(otel({ url: collector.url, onError, content: true, textLimit: 300 }), {
    onUpdate() {},
  });
  const spans = await receivedSpans(context, told.spans + SERVED);
  const of = (name) => spans.find((span) => span.name === name).attributes;
  assert.equal(of("invoke_workflow shop")["stepgraph.input"], '{"items":["tea","water"],"api_key":"[redacted]"}');
  assert.equal(of("invoke_workflow shop")["stepgraph.output"], "a coat");
  assert.equal(of("flaky flaky")["stepgraph.output"], '{"password":"[redacted]","of":"the rest"}');
  assert.deepEqual(
    spans
      .filter(({ name, kind }) => name === "tools/call price" && kind === "client")
      .map(({ attributes }) => attributes["gen_ai.tool.call.arguments"])
      .sort(),
    ['{"item":"gold"}', '{"item":"tea"}', '{"item":"water"}'],
  );
  const [first, second] = spans
    .filter(({ name }) => name === "chat thinker")
    .sort((a, b) => a.start - b.start)
    .map(({ attributes }) => attributes);
  assert.equal(first["gen_ai.system_instructions"], '[{"type":"text","content":"be brief"}]');
  assert.equal(first["gen_ai.input.messages"], '[{"role":"user","parts":[{"type":"text","content":"what to wear"}]}]');
  assert.deepEqual(JSON.parse(first["gen_ai.output.messages"]), [
    {
      role: "assistant",
      parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: { city: "Oslo" } }],
      finish_reason: "tool_call",
    },
  ]);
  assert.match(second["gen_ai.input.messages"], /"type":"tool_call_response","id":"c1","response":\{"city":"Oslo"/);
  assert.ok(second["gen_ai.input.messages"].endsWith("…") && second["gen_ai.input.messages"].length === 300);
  assert.equal(first["gen_ai.usage.cache_read.input_tokens"], 10);
  const flaky = spans
    .find(({ name }) => name === "flaky flaky")
    .events.find(({ name }) => name === "edge-decided").attributes;
  assert.deepEqual(flaky["stepgraph.edge.saw"], ['last {"password":"[redacted]","of":"the rest"}']);
  assert.ok(!JSON.stringify(spans).includes("geheim"));
});

const approvalPlan = plan(
  "{id: wait, nodes: {get: {type: get}, ask: {type: approve, input: ok?}, end: {type: tool, tool: greet, input: {name: Ada}}}, edges: [{from: get, to: ask}, {from: ask, to: end}]}",
);
const REMOTE = {
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  tracestate: "rojo=00f067aa0ba902b7",
};
const handlers = { get: () => 1 };
const greeting = (given = []) => ({
  name: "here",
  list: async () => [{ name: "greet", input_schema: { type: "object" }, annotations: { readOnlyHint: true } }],
  close: async () => {},
  call: async (name, args, options) => (given.push({ name, args, ...options }), { value: "hello", isError: false }),
});
const flushedSpans = async (telemetry, context) => (
  await telemetry.flush(), receivedSpans(context, telemetry.stats.spans)
);

test("a run joins its parent trace, and a resumed run continues the trace", async () => {
  const telemetry = otel({ url: collector.url, onError });
  const paused = await telemetry.run(
    approvalPlan,
    { tools: [greeting()], handlers },
    { parent: REMOTE, attributes: { "stepgraph.customer": "c1" } },
  );
  assert.equal(paused.outcome.type, "paused");
  const first = telemetry.contextOf(paused);
  assert.deepEqual(
    [first.traceparent.slice(0, 36), first.tracestate],
    [REMOTE.traceparent.slice(0, 36), REMOTE.tracestate],
  );
  const given = [];
  const done = await telemetry.run(
    approvalPlan,
    { tools: [greeting(given)], handlers, snapshot: paused.snapshot, decisions: { "ask:1:1": "approved" } },
    { parent: first, links: [REMOTE.traceparent] },
  );
  assert.equal(done.outcome.type, "completed");
  const spans = await flushedSpans(telemetry, first);
  const [begun, resumed] = spans
    .filter(({ name }) => name === "invoke_workflow wait")
    .sort((a, b) => a.start - b.start);
  assert.deepEqual(
    [begun.parent, begun.flags, begun.state, begun.attributes["stepgraph.customer"]],
    [REMOTE.traceparent.slice(36, 52), 0x301, REMOTE.tracestate, "c1"],
  );
  assert.deepEqual(
    begun.events.map(({ name, attributes }) => [name, attributes]),
    [["paused", { "stepgraph.approvals": ["ask:1:1"] }]],
  );
  assert.deepEqual(
    [resumed.parent, resumed.links.map(({ spanId }) => spanId), resumed.attributes["stepgraph.run.resumed"]],
    [begun.spanId, [REMOTE.traceparent.slice(36, 52)], true],
  );
  const call = spans.find(({ name }) => name === "execute_tool greet");
  assert.equal(given[0].trace.traceparent, `00-${call.traceId}-${call.spanId}-01`);
  assert.equal(given[0].trace.tracestate, REMOTE.tracestate);
  const ask = spans.filter(({ name }) => name === "approve ask");
  assert.deepEqual(
    ask.map(({ attributes }) => [attributes["stepgraph.status"], attributes["stepgraph.node.resumed"]]),
    [
      ["abandoned", undefined],
      [undefined, true],
    ],
  );
  await telemetry.close();
});

test("within a graph of a node, too, a resumed run has its spans in their places", async () => {
  const graph = plan(
    'nodes: {fan: {type: parallel, branches: {a: {nodes: {"x/y": {type: approve, input: 1}, z: {type: get}}, edges: [{from: "x/y", to: z}]}}}}',
  );
  const telemetry = otel({ url: collector.url, onError });
  const { snapshot } = await run(graph, { handlers });
  const report = await telemetry.run(graph, { handlers, snapshot, onApproval: () => "approved" });
  const spans = await flushedSpans(telemetry, telemetry.contextOf(report));
  assert.deepEqual(
    walk(spans).map(({ span, depth }) => [depth, span.name]),
    [
      [0, "invoke_workflow"],
      [1, "parallel fan"],
      [2, "branch a"],
      [3, "approve x/y"],
      [4, "approval x/y"],
      [3, "get z"],
    ],
  );
  await telemetry.close();
});

test("an invalid trace context is reported, and a new trace begins", async () => {
  const wrong = [
    "",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    `${REMOTE.traceparent}-more`,
    {},
    7,
  ];
  const telemetry = otel({ url: collector.url, onError: ({ code }) => codes.push(code) });
  const codes = [];
  const traces = [];
  for (const parent of wrong)
    traces.push(
      telemetry
        .contextOf(await telemetry.run(approvalPlan, { tools: [greeting()], handlers }, { parent }))
        .traceparent.slice(3, 35),
    );
  assert.deepEqual(
    codes,
    wrong.map(() => "otel/invalid-parent"),
  );
  assert.ok(traces.every((trace) => !REMOTE.traceparent.includes(trace)) && new Set(traces).size === wrong.length);
  // Future versions may have more fields after the flags.
  const report = await telemetry.run(
    approvalPlan,
    { tools: [greeting()], handlers },
    { parent: `${REMOTE.traceparent.replace("00-", "01-")}-more` },
  );
  assert.ok(telemetry.contextOf(report).traceparent.startsWith(REMOTE.traceparent.slice(0, 36)));
  await telemetry.close();
});

test("an unsampled trace exports nothing and passes its flag to servers", async () => {
  const numbers = Array.from({ length: 400 }, (_, i) => i);
  const ids = {
    traceId: () =>
      `${"a".repeat(18)}${BigInt(Math.floor((numbers.pop() / 400) * 2 ** 53) * 8)
        .toString(16)
        .padStart(14, "0")}`,
    spanId: () => "00000000000000aa",
  };
  const telemetry = otel({ url: collector.url, onError, sampling: 0.25, ids });
  const flags = [];
  const graph = plan("nodes: {a: {type: tool, tool: greet, input: {}}}");
  for (let i = 0; i < 400; i++) {
    const given = [];
    await telemetry.run(graph, { tools: [greeting(given)] });
    flags.push(given[0].trace.traceparent.slice(-2));
  }
  assert.equal(flags.filter((flag) => flag === "01").length, 100);
  assert.equal(telemetry.stats.spans, 400);
  // The parent's sampling decision takes precedence.
  for (const flag of ["00", "01"]) {
    const report = await telemetry.run(
      graph,
      { tools: [greeting()] },
      { parent: REMOTE.traceparent.replace(/..$/, flag) },
    );
    assert.equal(telemetry.contextOf(report).traceparent.slice(-2), flag);
  }
  assert.equal(telemetry.stats.spans, 404);
  await telemetry.close();
});

test("the host decides for each server which headers are sent", async () => {
  const graph = plan(
    "{nodes: {a: {type: tool, tool: price, input: {item: tea}}, b: {type: llm, input: greet us}}, edges: [{from: a, to: b}]}",
  );
  const cases = [
    ["all", true, true],
    ["meta", true, false],
    ["none", false, false],
    [({ kind, name }) => (kind === "tool" && name === "shop" ? "all" : "none"), true, false],
    [undefined, true, true],
  ];
  for (const [propagate, tool, chat] of cases) {
    modelRequests = [];
    const telemetry = otel({ url: collector.url, onError, propagate });
    const client = mcp(tools.url, { name: "shop" });
    const report = await telemetry.run(graph, {
      tools: [client],
      models: { default: openai({ baseUrl: model.url, model: "small", headers: { "x-own": "1" } }) },
    });
    await telemetry.flush();
    const spans = await receivedSpans(telemetry.contextOf(report), telemetry.stats.spans + (tool ? 1 : 0));
    assert.equal(
      spans.some(({ kind }) => kind === "server"),
      tool,
      String(propagate),
    );
    assert.deepEqual(
      [modelRequests.length, modelRequests[0].traceparent !== undefined, modelRequests[0]["x-own"]],
      [1, chat, "1"],
      String(propagate),
    );
    await Promise.all([telemetry.close(), client.close()]);
  }
});

test("the exporter never overwrites a header of the user", async () => {
  modelRequests = [];
  const telemetry = otel({ url: collector.url, onError });
  const headers = { traceparent: REMOTE.traceparent };
  await telemetry.run(plan("nodes: {b: {type: llm, input: greet us}}"), {
    models: { default: openai({ baseUrl: model.url, model: "small", headers }) },
  });
  assert.equal(modelRequests[0].traceparent, REMOTE.traceparent);
  await telemetry.close();
});

test("a handler that makes requests receives the span context", async () => {
  const telemetry = otel({ url: collector.url, onError });
  const graph = plan("nodes: {a: {type: call, retry: {attempts: 2, backoff_ms: 1}}}");
  const places = [];
  const call = (node) => {
    places.push(telemetry.contextOf(node).traceparent.slice(36, 52));
    if (node.attempt === 1) throw new Error("once more");
  };
  const report = await telemetry.run(graph, { handlers: { call } });
  const spans = await flushedSpans(telemetry, telemetry.contextOf(report));
  assert.deepEqual(
    spans
      .filter(({ name }) => name === "attempt")
      .sort((a, b) => a.start - b.start)
      .map(({ spanId }) => spanId),
    places,
  );
  await telemetry.close();
});

test("streams, forks, replays, stubs and finished runs are exported", async () => {
  const lines = [];
  const shape = (spans) => walk(spans).map(({ span, depth }) => `${"  ".repeat(depth)}${span.name}`);
  const agent = plan("{id: a, nodes: {help: {type: agent, input: hi, with: {tools: [greet]}}}}");
  const options = () => ({
    tools: [greeting()],
    models: {
      default: ({ messages }) =>
        messages.length > 1
          ? "bye"
          : { text: "", tool_calls: [{ id: "1", name: "greet", arguments: {} }], finish: "tool_calls", usage: null },
    },
  });
  const tree = ["invoke_workflow a", "  invoke_agent help", "    chat", "    execute_tool greet", "    chat"];
  const live = tree.toSpliced(1, 0, "  tools/list");
  const telemetry = () => otel({ url: collector.url, onError });
  const each = {
    run: [live, (t) => t.run(agent, { ...options(), record: (line) => lines.push(line) })],
    stream: [
      live,
      async (t) => {
        const types = [];
        const stream = t.stream(agent, options());
        for await (const { type } of stream) types.push(type);
        assert.equal(types.at(-1), "run-ended");
        return stream.report;
      },
    ],
    replay: [tree, (t) => t.run(agent, { replay: lines })],
    fork: [
      live,
      (t) => t.fork(agent, { ...options(), cassette: lines, at: "help:1:1/2", error: { code: "a/b", message: "no" } }),
    ],
    stubs: [
      live.slice(0, 4),
      (t) => t.run(agent, { tools: [greeting()], stubs: { models: { default: { return: "bye" } } } }),
    ],
  };
  for (const [name, [expected, start]] of Object.entries(each)) {
    const t = telemetry();
    const report = await start(t);
    const spans = await flushedSpans(t, t.contextOf(report));
    assert.deepEqual(shape(spans), expected, name);
    const [root] = spans.filter(({ parent }) => parent === "");
    if (name === "replay")
      assert.ok(
        Math.abs(root.start / 1e6 - report.trace[0].atMs) < 0.01 &&
          Math.abs((root.end - root.start) / 1e6 - report.durationMs) < 0.01,
      );
    if (name === "fork")
      assert.deepEqual(
        [
          root.status,
          root.attributes["error.type"],
          spans.filter(({ name }) => name === "chat").map(({ attributes }) => attributes["error.type"]),
        ],
        ["error", "a/b", [undefined, "a/b"]],
      );
    await t.close();
  }
  const report = await run(agent, options());
  const t = telemetry();
  const spans = await flushedSpans(t, t.export(agent, report, { startMs: 1_700_000_000_000 }));
  assert.deepEqual([shape(spans), spans.find(({ parent }) => parent === "").start], [tree, 1_700_000_000_000_000_000]);
  await t.close();
});

test("a run that never started, was cancelled or misused has a span with the reason", async () => {
  const spansOf = async (graph, options) => {
    const telemetry = otel({ url: collector.url, onError });
    const report = await telemetry.run(graph, options);
    await telemetry.close();
    return receivedSpans(telemetry.contextOf(report), telemetry.stats.spans);
  };
  const refused = (await spansOf(plan("nodes: {a: {type: tool, tool: nobody}}"), { tools: [greeting()] })).find(
    ({ parent }) => parent === "",
  );
  assert.deepEqual(
    [refused.status, refused.attributes["error.type"], refused.attributes["stepgraph.run.outcome"]],
    ["error", "run/invalid-plan", "failed"],
  );
  const away = {
    ...greeting(),
    list: async () => {
      throw new CallError("tool/unreachable", "gone");
    },
  };
  const spans = await spansOf(approvalPlan, { tools: [away], handlers });
  assert.deepEqual(
    spans.map(({ name, attributes }) => [name, attributes["error.type"]]),
    [
      ["tools/list", "tool/unreachable"],
      ["invoke_workflow wait", "tool/unreachable"],
    ],
  );
  const stop = new AbortController();
  const stuck = { call: () => new Promise(() => stop.abort()) };
  const ended = await spansOf(plan("nodes: {a: {type: call, timeout_ms: 60000}}"), {
    handlers: stuck,
    signal: stop.signal,
  });
  assert.deepEqual(
    ended.map(({ name, status, attributes }) => [
      name,
      status,
      attributes["stepgraph.status"] ?? attributes["stepgraph.run.outcome"],
    ]),
    [
      ["call a", "unset", "abandoned"],
      ["invoke_workflow", "unset", "cancelled"],
    ],
  );
  const telemetry = otel({ url: collector.url, onError });
  await assert.rejects(telemetry.run(approvalPlan, { stubs: { nodes: 7 } }), PlanError);
  await telemetry.close();
  assert.deepEqual(telemetry.stats, { spans: 1, exported: 1, lost: 0, requests: 1 });
});

test("abandoned calls end with the span that waited for them", async () => {
  const slow = {
    ...greeting(),
    call: (_name, _args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  const telemetry = otel({ url: collector.url, onError });
  const graph = plan(
    "nodes: {a: {type: tool, tool: greet, input: {}, timeout_ms: 20, retry: {attempts: 2, backoff_ms: 1}}}",
  );
  const report = await telemetry.run(graph, { tools: [slow] });
  const spans = await flushedSpans(telemetry, telemetry.contextOf(report));
  const code = report.outcome.code;
  assert.deepEqual(
    walk(spans).map(({ span, depth }) => [
      depth,
      span.name,
      span.attributes["error.type"] ?? span.attributes["stepgraph.status"],
    ]),
    [
      [0, "invoke_workflow", code],
      [1, "tools/list", undefined],
      [1, "tool a", code],
      [2, "attempt", code],
      [3, "execute_tool greet", "abandoned"],
      [2, "attempt", code],
      [3, "execute_tool greet", "abandoned"],
    ],
  );
  await telemetry.close();
});

test("every driver exports its runs", async () => {
  // The library's driver and the synchronous machine, whose host waits by itself.
  const graph = plan(
    "{id: own, nodes: {a: {type: tool, tool: greet, input: {}, retry: {attempts: 2, backoff_ms: 1}}, b: {type: give}}, edges: [{from: a, to: b}]}",
  );
  const telemetry = otel({ url: collector.url, onError });
  const traced = telemetry.trace(
    graph,
    { tools: [greeting()], handlers: { give: () => 1 } },
    { attributes: { "stepgraph.customer": "c2" } },
  );
  const heard = [];
  await run(graph, { ...traced.options, onEvent: (event) => (heard.push(event.type), traced.options.onEvent(event)) });
  assert.ok(heard.includes("run-ended"));
  let atMs = 1000;
  const by = telemetry.trace(graph, { clock: { now: () => atMs, after: () => () => {} } }, { parent: traced.context });
  const machine = new Run(graph, { types: ["give"], tools: [{ name: "greet", input_schema: { type: "object" } }] });
  const places = {};
  const queue = [{ type: "start", atMs }];
  while (queue.length > 0) {
    const { commands, trace } = machine.step(queue.shift());
    for (const event of trace) by.options.onEvent(event);
    const calls = commands.filter(({ type }) => type.startsWith("call-")).map(({ call }) => call);
    for (const call of calls) places[call] = by.contextOf(call).traceparent.slice(36, 52);
    atMs += 10;
    queue.push(...calls.map((call) => ({ type: "call-done", call, output: 1, atMs })));
  }
  by.end(machine.report);
  machine.free();
  await telemetry.close();
  const spans = await receivedSpans(traced.context, telemetry.stats.spans);
  const [first, own] = [traced, by].map(({ context }) =>
    spans.find(({ spanId }) => spanId === context.traceparent.slice(36, 52)),
  );
  assert.deepEqual([first.parent, own.parent], ["", first.spanId]);
  const below = walk(spans, own.spanId);
  assert.deepEqual(
    below.map(({ span: { name, start, end }, depth }) => [depth, name, Math.round((end - start) / 1e6)]),
    [
      [0, "tool a", 10],
      [1, "attempt", 10],
      [0, "give b", 10],
    ],
  );
  assert.deepEqual(Object.values(places), [below[1].span.spanId, below[2].span.spanId]);
  assert.equal(own.attributes["stepgraph.run.outcome"], "completed");
});

test("a program that ends abruptly still sends its queue", async () => {
  const script = `
    import { PlanGraph } from ${JSON.stringify(new URL("../../dist/node.js", import.meta.url).href)};
    import { otel } from ${JSON.stringify(new URL("../../dist/integrations/otel.js", import.meta.url).href)};
    const telemetry = otel({ url: ${JSON.stringify(collector.url)} });
    const report = await telemetry.run(PlanGraph.parse("nodes: {a: {type: log, input: hi}}").graph);
    process.stdout.write(telemetry.contextOf(report).traceparent);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  assert.equal((await receivedSpans({ traceparent: stdout }, 2)).length, 2);
});

test("optional attributes of calls are exported", async () => {
  // An older revision has sessions. The model server is busy at first.
  const telemetry = otel({ url: collector.url, onError, content: true });
  const client = mcp(tools.url, { name: "shop", version: "2025-06-18" });
  const busy = await serve(({ response, count }) =>
    response.writeHead(count === 1 ? 503 : 200, { "content-type": "application/json", "retry-after-ms": "1" }).end(
      JSON.stringify({
        content: [{ type: "text", text: '{"a":1}' }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    ),
  );
  const graph = plan(
    "{nodes: {a: {type: tool, tool: drop, input: {}}, b: {type: tool, tool: price, input: {item: tea}}, c: {type: llm, input: hi, with: {schema: {type: object}, temperature: 0}}}, edges: [{from: a, to: b}, {from: b, to: c}]}",
  );
  const danger = {
    ...greeting(),
    list: async () => [{ name: "drop", input_schema: { type: "object" }, annotations: { destructiveHint: true } }],
  };
  const real = anthropic({ baseUrl: busy.url, model: "m" });
  const warm = { name: "m", chat: (request, options) => real.chat(request, options) };
  const report = await telemetry.run(graph, {
    tools: [client, danger],
    onApproval: () => "approved",
    models: { default: warm },
  });
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  await telemetry.close();
  const spans = await receivedSpans(telemetry.contextOf(report), telemetry.stats.spans + 1);
  const of = (wanted) => spans.find(({ name, kind }) => name === wanted && kind !== "server").attributes;
  assert.match(of("tools/call price")["mcp.session.id"], /^\w+/);
  assert.equal(
    spans.find(({ kind }) => kind === "server").attributes["mcp.session.id"],
    of("tools/call price")["mcp.session.id"],
  );
  assert.deepEqual(
    [of("approval a")["gen_ai.tool.name"], of("execute_tool drop")["gen_ai.tool.call.result"]],
    ["drop", "hello"],
  );
  assert.deepEqual(
    [
      of("chat m")["stepgraph.requests"],
      of("chat m")["gen_ai.provider.name"],
      of("chat m")["gen_ai.output.type"],
      of("chat m")["gen_ai.request.temperature"],
    ],
    [2, "anthropic", "json", 0],
  );
  await Promise.all([client.close(), busy.stop()]);
});

test("the receiver accepts texts of any kind", async () => {
  const odd = ["\ud800", "\udc00x", "\u0000", "\u2028", "😀".repeat(10), '"\\', "\u{10ffff}"].join("|");
  const telemetry = otel({ url: collector.url, onError, content: true, textLimit: 9 });
  const graph = plan("nodes: {a: {type: give}}");
  const values = [odd, 2 ** 60, 1e300, NaN, -0, null, undefined, 10n, { odd }, [odd]];
  for (const value of values) {
    const report = await telemetry.run(
      graph,
      { handlers: { give: () => value } },
      {
        attributes: {
          "stepgraph.odd": odd,
          "stepgraph.number": typeof value === "number" ? value : 1.5,
          "stepgraph.list": [1, 2],
          "stepgraph.none": undefined,
        },
      },
    );
    assert.equal(report.outcome.type, "completed");
  }
  await telemetry.close();
  assert.deepEqual([telemetry.stats.lost, telemetry.stats.exported, failures], [0, 2 * values.length, []]);
});

test("spans have what a reply and a run cost, also below a limit", async () => {
  const usage = { input: 1_000, output: 100, cached_input: 0 };
  const client = { provider: "shop", name: "small", chat: async () => ({ text: "hi", finish: "stop", usage }) };
  const prices = { models: { "shop:small": { input: 3, output: 5 } } };
  const graph = plan("limits: {usd: 1}\nnodes: {a: {type: llm, input: hi}}");
  for (const options of [
    { models: { default: client }, prices },
    { models: priceModels({ default: client }, prices) },
  ]) {
    const telemetry = otel({ url: collector.url });
    const report = await telemetry.run(graph, options);
    assert.equal(report.counts.usd, 0.0035, JSON.stringify(report.outcome));
    await telemetry.flush();
    const spans = await receivedSpans(telemetry.contextOf(report), 3);
    const cost = (name) => spans.map(({ attributes }) => attributes[name]).filter((value) => value !== undefined);
    assert.deepEqual([cost("stepgraph.run.usd"), cost("stepgraph.usage.usd")], [[0.0035], [0.0035]]);
    await telemetry.close();
  }
});

test("the example of the documentation runs", async () => {
  const text = readFileSync(join(parityFolder, "../../docs/observability.md"), "utf8");
  const [, code] = /```js[^\n]*\n(import { otel }[\s\S]*?)```/.exec(text);
  const source = code.replace(/^import .*\n/gm, "").replace("http://127.0.0.1:4318", collector.url);
  const start = new Function(
    "otel",
    "graph",
    "handlers",
    `return (async () => {${source}; return [telemetry, report]; })()`,
  );
  const [telemetry, report] = await start(otel, plan("nodes: {get: {type: get}}"), handlers);
  assert.equal((await receivedSpans(telemetry.contextOf(report), 2)).length, 2);
});

test("the documentation lists all spans and their attributes", () => {
  const text = readFileSync(join(parityFolder, "../../docs/observability.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([^`]+)` \|[^|]*\| (internal|client) \|([^|]*)\|/gm)].map(
    ([, name, kind, names]) => ({ name, kind, names: [...names.matchAll(/`([^`]+)`/g)].map(([, one]) => one) }),
  );
  const common = [...text.matchAll(/^\* `(error\.type|stepgraph\.status)`/gm)].map(([, name]) => name);
  const rowOf = (span) =>
    rows.find(
      ({ name, kind }) =>
        kind === span.kind &&
        new RegExp(
          `^${name
            .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
            .replace(/\{[^}]*\}/g, "\\S*")
            .replace(" \\S*", "( \\S+)?")}$`,
        ).test(span.name),
    );
  const found = new Map(rows.map((row) => [row, new Set()]));
  const own = new Set(["stepgraph.customer", "stepgraph.odd", "stepgraph.number", "stepgraph.list"]);
  const unknown = new Set();
  for (const span of allSpans.filter(({ scope }) => scope[0] === "stepgraph")) {
    const row = rowOf(span);
    if (!row) unknown.add(`${span.name} (${span.kind})`);
    for (const name of Object.keys(span.attributes)) {
      if (!row || common.includes(name) || own.has(name)) continue;
      found.get(row).add(name);
      if (!row.names.includes(name)) unknown.add(`${row.name}: ${name}`);
    }
    for (const event of span.events)
      for (const name of [event.name, ...Object.keys(event.attributes)])
        if (!text.includes(`\`${name}\``)) unknown.add(`event ${event.name}: ${name}`);
  }
  assert.deepEqual([...unknown], []);
  const missing = rows.flatMap((row) =>
    row.names.filter((name) => !found.get(row).has(name)).map((name) => `${row.name}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test("every name outside our namespace is a semantic convention", () => {
  const known = new Set(Object.values(conventions));
  const names = allSpans
    .filter(({ scope }) => scope[0] === "stepgraph")
    .flatMap(({ attributes, events, resource }) =>
      [attributes, resource, ...events.map((event) => event.attributes)].flatMap(Object.keys),
    );
  assert.deepEqual(
    [...new Set(names)].filter((name) => !name.startsWith("stepgraph.") && !known.has(name)),
    [],
  );
});
