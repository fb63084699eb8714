// Tests that a trace and an audit database show one durable run, however often its process ended.

import assert from "node:assert/strict";
import { test } from "node:test";
import { audited } from "../../dist/integrations/audit/node.js";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable.js";
import { otel } from "../../dist/integrations/otel.js";
import { PlanGraph } from "../../dist/node.js";

const { graph } = PlanGraph.parse(`
start: fetch
nodes:
  fetch: {type: tool, tool: find, input: {query: "\${input}"}}
  say: {type: llm, input: "\${last}"}
edges: [{from: fetch, to: say}]
`);

function host(asked) {
  const find = { name: "find", input_schema: { type: "object", properties: { query: { type: "string" } } } };
  const call = async (_name, args, { trace, call }) => (
    asked.push([call, trace?.traceparent]), { value: args.query.toUpperCase(), isError: false }
  );
  const chat = async (request, { trace, call }) => (
    asked.push([call, trace?.traceparent]),
    { text: `said ${request.messages.at(-1).content}`, finish: "stop", usage: { input: 3, output: 2, cached_input: 0 } }
  );
  return {
    input: "oslo",
    tools: [{ name: "shop", list: async () => [find], call, close: async () => {} }],
    models: { default: { name: "m", chat } },
  };
}

test("the trace of an interrupted run is complete, with its span context in every call", async () => {
  const bodies = [];
  const fetch = async (_, { body }) => (
    bodies.push(JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body))),
    new Response("{}", { status: 200 })
  );
  const telemetry = otel({ url: "http://127.0.0.1:9", fetch });
  const parent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01";
  const asked = [];
  const sendLines = async (lines) => {
    const traced = telemetry.trace(graph, host(asked), { parent });
    const journal = new MemoryJournal({ lines });
    const report = await runDurable(graph, journal, traced.options);
    traced.end(report);
    return { report, lines: journal.lines };
  };
  const whole = await sendLines([]);
  assert.deepEqual([whole.report.outcome.type, whole.report.last], ["completed", "said OSLO"]);
  // Only the lost model call is repeated, with the same name and trace.
  const again = await sendLines(whole.lines.slice(0, -1));
  await telemetry.close();
  assert.deepEqual(again.report.last, whole.report.last);
  assert.deepEqual(
    asked.map(([call]) => call),
    ["fetch:1:1", "say:1:1", "say:1:1"],
  );
  const spans = bodies.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  for (const [, context] of asked)
    assert.ok(
      spans.some(({ traceId, spanId }) => context === `00-${traceId}-${spanId}-01`),
      String(context),
    );
  assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [parent.slice(3, 35)]);
  assert.equal(
    spans.filter(({ parentSpanId }) => parentSpanId === parent.slice(36, 52)).length,
    2,
    "each process tells of the run below the same parent",
  );
});

test("events of a durable run are audited as those of any other", async () => {
  const parts = [];
  const sink = { write: async (part) => void parts.push(part) };
  const audit = audited(graph, host([]), sink, { key: "order-1", cassette: false });
  const report = await audit.end(runDurable(graph, new MemoryJournal(), audit.options));
  assert.equal(report.outcome.type, "completed");
  const events = parts.flatMap((part) => part.events ?? []).map(({ json }) => JSON.parse(json).type);
  assert.deepEqual(
    events,
    report.trace.map(({ type }) => type),
  );
  assert.equal(parts.at(-1).end.outcome.type, "completed");
});
