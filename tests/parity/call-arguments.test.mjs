// Tests that a tool call's arguments are serialized twice and parsed once between the engine and the socket. One
// serialization and the parse are in the module that writes the message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mcp, PlanGraph, run } from "stepgraph";

const MARK = "the argument";
const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const RESULTS = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [{ name: "pay", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "1" }] },
};

/** Counts texts with the argument, except those of the server. */
function countJson(t) {
  const bodies = [];
  const { parse, stringify } = JSON;
  const counts = { parsed: 0, serialized: 0 };
  const fetch = async (_url, { body }) => {
    bodies.push(body ?? "{}");
    const { id, method } = parse(body ?? "{}");
    if (id === undefined) return new Response(null, { status: 202 });
    const text = stringify({ jsonrpc: "2.0", id, result: RESULTS[method] });
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
  t.mock.method(JSON, "parse", (text, ...rest) => {
    if (String(text).includes(MARK)) counts.parsed++;
    return parse(text, ...rest);
  });
  t.mock.method(JSON, "stringify", (value, ...rest) => {
    const text = stringify(value, ...rest);
    if (text?.includes(MARK)) counts.serialized++;
    return text;
  });
  const client = mcp("http://127.0.0.1:9/mcp", { version: "2025-11-25", fetch });
  return { client, counts, sent: () => parse(bodies.at(-1)).params };
}

test("the package serializes the arguments of a call once and parses none", async (t) => {
  const { client, counts, sent } = countJson(t);
  const trace = { traceparent: TRACEPARENT, tracestate: "" };
  const { value } = await client.call("pay", { of: `${MARK} "quoted"` }, { run: "r", call: "c", trace });
  assert.equal(value, "1");
  assert.deepEqual(counts, { parsed: 0, serialized: 1 });
  const { arguments: args, _meta: meta } = sent();
  assert.deepEqual(args, { of: `${MARK} "quoted"` });
  assert.deepEqual([meta.traceparent, meta["stepgraph/run"], "tracestate" in meta], [TRACEPARENT, "r", false]);
});

test("a run serializes them once more, to validate them before the call", async (t) => {
  const { client, counts, sent } = countJson(t);
  const plan = { nodes: { pay: { type: "tool", tool: "pay", input: { of: "${input.of}" } } } };
  const report = await run(PlanGraph.load(JSON.stringify(plan)), { input: { of: MARK }, tools: [client] });
  assert.equal(report.outcome.type, "completed");
  assert.deepEqual(sent().arguments, { of: MARK });
  assert.deepEqual(counts, { parsed: 0, serialized: 2 });
});
