// Tests idempotency keys in `_meta` of tool calls: no two calls share both run id and call name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mcp, PlanGraph, run } from "stepgraph";

const RUNS = 10_000;
const CONCURRENT_CALLS = 100;

const TOOL = { name: "pay", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };

function server() {
  const asked = [];
  const results = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "shop", version: "1" },
    }),
    "tools/list": () => ({ tools: [TOOL] }),
    "tools/call": ({ arguments: args, _meta: meta }) => {
      asked.push({ args, run: meta["stepgraph/run"], call: meta["stepgraph/call"] });
      return { content: [{ type: "text", text: "1" }] };
    },
  };
  const fetch = async (_url, { body }) => {
    const { id, method, params } = JSON.parse(body ?? "{}");
    if (id === undefined) return new Response(null, { status: 202 });
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: results[method](params) });
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
  return { asked, client: mcp("http://127.0.0.1:9/mcp", { version: "2025-11-25", fetch }) };
}

const { graph, diagnostics } = PlanGraph.parse(`
nodes:
  pay: {type: pay, input: {n: 1}}
  each: {type: map, input: [1, 2], do: {nodes: {pay: {type: pay, input: {n: 2}}}}}
edges:
  - {from: pay, to: each}
`);

test(`the names of calls are unique over ${RUNS} runs`, async () => {
  assert.ok(graph, JSON.stringify(diagnostics));
  const { asked, client } = server();
  for (let begun = 0; begun < RUNS; begun += CONCURRENT_CALLS) {
    const reports = await Promise.all(
      Array.from({ length: CONCURRENT_CALLS }, () => run(graph, { tools: [client], trace: false })),
    );
    for (const { outcome } of reports) assert.equal(outcome.type, "completed", JSON.stringify(outcome));
  }
  const keys = asked.map(({ run, call }) => `${run} ${call}`);
  assert.equal(keys.length, 3 * RUNS);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(new Set(asked.map(({ run }) => run)).size, RUNS);
  for (const { run } of asked) assert.match(run, /^[0-9a-f]{32}$/);
  assert.deepEqual([...new Set(asked.map(({ call }) => call))].sort(), [
    "each:1/0/pay:1:1",
    "each:1/1/pay:1:1",
    "pay:1:1",
  ]);
  await client.close();
});
