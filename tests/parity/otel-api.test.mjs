// Tests traces through the host's official OpenTelemetry SDK, with an in-memory exporter.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { otel } from "../../dist/integrations/otel.js";
import { openai, PlanGraph } from "../../dist/node.js";
import { serve } from "../servers/serve.mjs";
import { official } from "./otel/official.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
let [folder, require, api, memory, tracer] = [];
before(
  async () => {
    ({ folder, require } = await official());
    api = require("@opentelemetry/api");
    const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require("@opentelemetry/sdk-trace-base");
    const { AsyncLocalStorageContextManager } = require("@opentelemetry/context-async-hooks");
    memory = new InMemorySpanExporter();
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }));
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    tracer = api.trace.getTracer("host");
  },
  { timeout: 120_000 },
);
beforeEach(() => memory.reset());

const { graph } = PlanGraph.parse(
  "{id: host, nodes: {a: {type: work, retry: {attempts: 2, backoff_ms: 1}}, b: {type: llm, input: hi}, c: {type: tool, tool: greet, input: {}}}, edges: [{from: a, to: b}, {from: b, to: c}]}",
);
const startOwnSpan = (name) => tracer.startActiveSpan(name, (span) => (span.end(), 1));
const host = () => ({
  handlers: {
    work: async ({ attempt }) => {
      await null;
      startOwnSpan("in the handler");
      if (attempt === 1) throw new Error("once more");
    },
  },
  models: { default: async () => (await null, startOwnSpan("in the model"), "hello") },
  tools: [
    {
      name: "here",
      list: async () => [{ name: "greet", input_schema: { type: "object" } }],
      call: async () => (await null, startOwnSpan("in the tool"), { value: 1, isError: true, message: "no" }),
      close: async () => {},
    },
  ],
});
const shape = (spans, parent, depth = 0) =>
  spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
    .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...shape(spans, span.spanContext().spanId, depth + 1)]);

test("spans are children of the host's active span, and parents of the host's spans", async () => {
  const telemetry = otel({ api, messages: true });
  const report = await tracer.startActiveSpan("request", async (span) => {
    const report = await telemetry.run(graph, host());
    span.end();
    return report;
  });
  assert.equal(report.outcome.code, "tool/failed");
  const spans = memory.getFinishedSpans();
  assert.deepEqual(shape(spans), [
    "request",
    "  invoke_workflow host",
    "    tools/list",
    "    work a",
    "      attempt",
    "        in the handler",
    "      attempt",
    "        in the handler",
    "    llm b",
    "      chat",
    "        in the model",
    "    tool c",
    "      execute_tool greet",
    "        in the tool",
  ]);
  const run = spans.find(({ name }) => name === "invoke_workflow host");
  assert.deepEqual(
    telemetry.contextOf(report).traceparent,
    `00-${run.spanContext().traceId}-${run.spanContext().spanId}-01`,
  );
  const chat = spans.find(({ name }) => name === "chat");
  assert.deepEqual(
    [chat.kind, chat.instrumentationScope.name, chat.attributes["gen_ai.response.finish_reasons"]],
    [api.SpanKind.CLIENT, "stepgraph", ["stop"]],
  );
  const call = spans.find(({ name }) => name === "execute_tool greet");
  assert.deepEqual(
    [call.status, call.attributes["error.type"], call.events.map(({ name }) => name)],
    [{ code: api.SpanStatusCode.ERROR, message: "no" }, "tool_error", ["exception"]],
  );
  const event = report.trace.find(({ type, node }) => type === "node-started" && node === "b");
  const llm = spans.find(({ name }) => name === "llm b");
  assert.ok(Math.abs(llm.startTime[0] * 1000 + llm.startTime[1] / 1e6 - event.atMs) < 0.01);
  assert.equal(llm.events[0].attributes["stepgraph.edge.to"], "c");
  assert.equal(telemetry.stats.spans, spans.length - 5);
});

test("the span says which conditions could not be evaluated, and only if there are some", async () => {
  const { graph: conditions } = PlanGraph.parse(`
start: a
nodes: {a: {type: log, input: "x"}, b: {type: noop}, c: {type: noop}}
edges:
  - {from: a, to: b, condition: 1 > input.n + 1}
  - {from: a, to: c, condition: error.node == "a"}
  - {from: c, to: b, condition: last == "y"}
`);
  const report = await otel({ api }).run(conditions, { input: { n: "x" } });
  assert.equal(report.outcome.type, "completed");
  const decided = memory
    .getFinishedSpans()
    .flatMap(({ events }) => events)
    .filter(({ name }) => name === "edge-decided")
    .map(({ attributes }) => [attributes["stepgraph.edge.holds"], attributes["stepgraph.edge.failed"]]);
  assert.deepEqual(decided, [
    [
      [false, true],
      [true, false],
    ],
    [[false], undefined],
  ]);
});

test("an explicit parent and explicit links take precedence over the active span", async () => {
  const telemetry = otel({ api, tracer });
  const parent = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "rojo=1" };
  await tracer.startActiveSpan("request", async (span) => {
    await telemetry.run(graph, host(), { parent, links: [parent.traceparent] });
    span.end();
  });
  const run = memory.getFinishedSpans().find(({ name }) => name === "invoke_workflow host");
  assert.deepEqual(
    [
      run.spanContext().traceId,
      run.parentSpanContext.spanId,
      run.parentSpanContext.isRemote,
      run.spanContext().traceState.serialize(),
    ],
    [parent.traceparent.slice(3, 35), "00f067aa0ba902b7", true, "rojo=1"],
  );
  assert.deepEqual(
    run.links.map(({ context }) => context.spanId),
    ["00f067aa0ba902b7"],
  );
  assert.equal(run.instrumentationScope.name, "host");
});

test("the host's instrumentation sets headers, unless the option says otherwise", async (context) => {
  const server = await serve(({ response }) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}'),
  );
  context.after(() => server.stop());
  const chat = PlanGraph.parse("{nodes: {b: {type: llm, input: hi}}}").graph;
  for (const propagate of [undefined, "all"])
    await otel({ api, propagate }).run(chat, { models: { default: openai({ baseUrl: server.url }) } });
  const span = memory
    .getFinishedSpans()
    .findLast(({ name }) => name.startsWith("chat"))
    .spanContext();
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.traceparent),
    [undefined, `00-${span.traceId}-${span.spanId}-01`],
  );
});

test("our exporter writes the same as the official exporter", async () => {
  const { JsonTraceSerializer } = require("@opentelemetry/otlp-transformer");
  const sent = [];
  const fetch = async (_url, { body }) => (sent.push(JSON.parse(body)), new Response("{}"));
  const ours = otel({ url: "http://127.0.0.1:1", fetch, content: true });
  const theirs = otel({ api, content: true });
  const parent = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "rojo=1" };
  const trace = {
    parent,
    links: [parent],
    attributes: { "stepgraph.list": [1.5, 2], "stepgraph.flags": [true], "stepgraph.whole": 7, "stepgraph.part": 0.25 },
  };
  const plain = () => ({
    ...host(),
    models: { default: async () => "grüezi 😀" },
    handlers: {
      work: ({ attempt }) => {
        if (attempt === 1) throw new Error("once more");
      },
    },
  });
  for (const telemetry of [ours, theirs]) await telemetry.run(graph, plain(), trace);
  await ours.close();
  const official = JSON.parse(
    new TextDecoder().decode(
      JsonTraceSerializer.serializeRequest(
        memory.getFinishedSpans().filter(({ instrumentationScope }) => instrumentationScope.name === "stepgraph"),
      ),
    ),
  );
  assert.deepEqual(comparableSpans(sent[0]), comparableSpans(official));
});

function comparableSpans({
  resourceSpans: [
    {
      scopeSpans: [{ scope, spans }],
    },
  ],
}) {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const sorted = (attributes = []) =>
    attributes.map(({ key, value }) => [key, plain(value)]).sort(([a], [b]) => (a < b ? -1 : 1));
  const withoutIds = ({
    parentSpanId,
    attributes,
    events = [],
    links = [],
    status,
    droppedEventsCount = 0,
    ...span
  }) => ({
    ...Object.fromEntries(["name", "kind", "traceId", "traceState", "flags"].map((key) => [key, span[key]])),
    parent: names.get(parentSpanId) ?? parentSpanId,
    attributes: sorted(attributes),
    events: events.map(({ name, attributes }) => [name, sorted(attributes)]),
    links: links.map(({ traceId, spanId, traceState, flags }) => [traceId, spanId, traceState, flags]),
    status: [status?.code ?? 0, status?.message],
    droppedEventsCount,
    times: [span.startTimeUnixNano, span.endTimeUnixNano].map((time) => typeof time),
  });
  return { scope, spans: spans.map(withoutIds) };
}

function plain(value) {
  if ("intValue" in value) return { intValue: Number(value.intValue) };
  return "arrayValue" in value ? { arrayValue: value.arrayValue.values.map(plain) } : value;
}

test("the API without an SDK adds no cost", async () => {
  const { ProxyTracerProvider } = require("@opentelemetry/api");
  const given = [];
  const tools = [
    {
      ...host().tools[0],
      call: async (_name, _args, options) => (given.push(options.trace), { value: 1, isError: false }),
    },
  ];
  const telemetry = otel({ api, tracer: new ProxyTracerProvider().getTracer("nobody") });
  const report = await telemetry.run(graph, { ...host(), tools });
  assert.deepEqual([report.outcome.type, given], ["completed", [undefined]]);
});

test("the official package has the types that we declare", async (context) => {
  const home = mkdtempSync(join(tmpdir(), "stepgraph-otel-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  symlinkSync(join(folder, "node_modules"), join(home, "node_modules"));
  writeFileSync(
    join(home, "app.mts"),
    `
    import * as api from "@opentelemetry/api";
    import { otel, type Telemetry, type TelemetryFailure } from ${JSON.stringify(join(root, "dist/integrations/otel.js"))};
    export const telemetry: Telemetry = otel({ api, tracer: api.trace.getTracer("mine"), onError: (failure: TelemetryFailure) => void failure.code });
    otel({ url: "http://127.0.0.1:4318", resource: { "service.name": "a" }, propagate: ({ kind }) => (kind === "tool" ? "all" : "none") });
    // @ts-expect-error neither a receiver nor an API
    otel({ sampling: 1 });
  `,
  );
  const settings = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2023,dom,esnext.disposable",
    "--types",
    "",
  ];
  await promisify(execFile)(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...settings, "app.mts"], {
    cwd: home,
  }).catch(({ stdout }) => assert.fail(stdout));
});
