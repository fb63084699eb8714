// Tests that keys and headers which servers and models repeat appear in no stored data of a run. The report keeps them,
// because it belongs to the host.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { audited } from "../../dist/integrations/audit/node.js";
import { otel } from "../../dist/integrations/otel.js";
import { fork, mcp, openai, run } from "../../dist/node.js";
import { parsed } from "./attack-world.mjs";

const echoHeaders = (headers) => {
  const authorization = headers.authorization ?? "";
  const bare = authorization.replace(/^\S+ /, "");
  const coded = (encoding) => Buffer.from(`${bare}`).toString(encoding);
  return `${authorization} ${headers["x-own"] ?? ""} (${coded("base64")}, ${coded("base64url")}) by ${headers["x-version"]}`;
};

function answer({ id, method }, headers) {
  if (method === undefined)
    return { choices: [{ message: { role: "assistant", content: echoHeaders(headers) }, finish_reason: "stop" }] };
  const results = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } },
    "tools/list": { tools: [{ name: "leak", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
    "tools/call": { content: [{ type: "text", text: echoHeaders(headers) }] },
  };
  const result = results[method];
  return { jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no such method" } }) };
}

const fetch = async (_url, { body, headers }) => {
  if (body === undefined) return new Response(null, { status: 405 });
  const message = JSON.parse(body);
  if (message.method?.startsWith("notifications/")) return new Response(null, { status: 202 });
  const text = JSON.stringify(answer(message, Object.fromEntries(new Headers(headers))));
  return new Response(text, { headers: { "content-type": "application/json" } });
};

const PLAN = {
  start: "m",
  nodes: {
    m: { type: "llm", input: "hi" },
    t: { type: "tool", tool: "leak", input: {} },
    a: { type: "approve", input: { seen: "${output.m} ${output.t}" } },
  },
  edges: [
    { from: "m", to: "t" },
    { from: "t", to: "a" },
  ],
};
const graph = parsed(PLAN);
const MODEL_KEY = "sk-model?>~key";
const SERVER_KEY = "server-key-0815";
const OWN_SECRETS = ["ORGSECRET1", "HDRSECRET-445566"];
const inBase64 = [MODEL_KEY, SERVER_KEY].flatMap((key) =>
  ["base64", "base64url"].map((encoding) => Buffer.from(key).toString(encoding).replace(/=+$/, "")),
);
const SECRETS = [MODEL_KEY, SERVER_KEY, ...OWN_SECRETS, ...inBase64];
// Short values and protocol headers occur everywhere, so they are not redacted.
const headers = (own) => ({ "x-own": own, "x-short": "by", "x-version": "2026-01-01", accept: "application/json" });

const host = () => ({
  models: { default: openai({ baseUrl: "http://x/v1", apiKey: MODEL_KEY, headers: headers(OWN_SECRETS[0]), fetch }) },
  tools: [mcp("http://127.0.0.1:9/mcp", { name: "shop", key: SERVER_KEY, headers: headers(OWN_SECRETS[1]), fetch })],
});

function assertNone(text, where) {
  for (const secret of SECRETS) assert.ok(!text.includes(secret), `${secret} in ${where}: ${text}`);
  assert.match(text, /by 2026-01-01/, where);
}

const STARTS = {
  run: (options) => run(graph, options),
  "otel().run": (options) =>
    otel({ url: "http://127.0.0.1:9", fetch: () => Promise.reject(new Error("no")), retryMs: 0, onError() {} }).run(
      graph,
      options,
    ),
};

test("otel(): no span contains keys, headers or the context, even with values and messages", async () => {
  const bodies = [];
  const receiver = async (_, { body }) => (
    bodies.push(typeof body === "string" ? body : new TextDecoder().decode(body)), new Response("{}", { status: 200 })
  );
  const telemetry = otel({ url: "http://127.0.0.1:9", fetch: receiver, content: true, messages: true });
  const given = { ...host(), context: { tenant: "acme-confidential" } };
  const handlers = {
    echo: (_, { context }) => `for ${context.tenant}`,
    fail: (_, { context }) => {
      throw new Error(`not for ${context.tenant}`);
    },
  };
  const repeating = parsed({
    start: "e",
    nodes: { e: { type: "echo" }, f: { type: "fail" } },
    edges: [{ from: "e", to: "f" }],
  });
  await telemetry.run(graph, given);
  await telemetry.run(repeating, { ...given, handlers });
  await telemetry.close();
  const told = bodies.join("\n");
  assert.ok(told.includes("[redacted]") && told.includes("not for") && told.includes("gen_ai.tool.call.result"));
  assertNone(told, "the spans");
  assert.ok(!told.includes("acme-confidential"));
});

for (const [way, start] of Object.entries(STARTS))
  test(`${way}: no cassette, audit or snapshot contains keys and headers`, async () => {
    const lines = [];
    const parts = [];
    const trail = audited(
      graph,
      { ...host(), record: (line) => lines.push(line) },
      { write: (part) => void parts.push(part) },
    );
    const report = await trail.end(start(trail.options));
    assert.equal(report.outcome.type, "paused", JSON.stringify(report.outcome));
    assert.ok(report.outputs.m.includes(MODEL_KEY) && report.outputs.t.includes(OWN_SECRETS[1]));
    assertNone(lines.join("\n"), "the cassette");
    assertNone(JSON.stringify(parts), "the audit");
    assertNone(JSON.stringify(report.snapshot), "the snapshot");
    const decisions = { "a:1:1": "approved" };
    const again = await run(graph, { ...host(), snapshot: report.snapshot, decisions });
    assert.equal(again.outcome.type, "completed");
    const forked = await fork(graph, { ...host(), cassette: lines });
    assert.equal(forked.outcome.type, "paused", JSON.stringify(forked.outcome));
    const replayed = await run(graph, { replay: lines });
    assert.equal(replayed.outcome.type, "paused", JSON.stringify(replayed.outcome));
  });

test("neither the snapshot of a cancelled run nor the messages of an agent contain secrets", async () => {
  const agent = parsed({ nodes: { a: { type: "agent", input: "go" } } });
  const controller = new AbortController();
  let turn = 0;
  const model = () => {
    if (turn++ > 0) return controller.abort(), new Promise(() => {});
    const tool_calls = [{ id: "c", name: "leak", arguments: {} }];
    return { text: "", finish: "tool_calls", usage: null, tool_calls };
  };
  const { snapshot } = await run(agent, { ...host(), models: { default: model }, signal: controller.signal });
  const text = JSON.stringify(snapshot);
  for (const secret of [SERVER_KEY, OWN_SECRETS[1]]) assert.ok(!text.includes(secret), text);
  assert.match(text, /by 2026-01-01/);
  const models = { default: () => "done" };
  assert.equal((await run(agent, { ...host(), models, snapshot })).outcome.type, "completed");
});

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", async () => {
    const given = request.method === "POST" ? { body, headers: request.headers } : {};
    const { status, headers } = await fetch("", given);
    response.writeHead(status, Object.fromEntries(headers));
    const asked = request.method === "POST" ? JSON.parse(body) : {};
    response.end(status === 200 ? JSON.stringify(answer(asked, request.headers)) : "");
  });
});
const folder = mkdtempSync(join(tmpdir(), "hostile-"));
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const command = new URL("../../dist/cli/main.js", import.meta.url).pathname;
const env = { ...process.env, STEPGRAPH_SERVER_KEY_SHOP: SERVER_KEY, OPENAI_API_KEY: MODEL_KEY };

async function flags() {
  if (!server.listening) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return [
    ...["--server", `shop=${url}/mcp`, "--header", `X-Own: ${OWN_SECRETS[1]}`, "--header", "X-Version: 2026-01-01"],
    ...["--model", "openai:any", "--model-url", `${url}/v1`],
  ];
}

test("the command stores no secret of the environment or of `--header`", async () => {
  writeFileSync(join(folder, "plan.json"), JSON.stringify(PLAN));
  const files = { "--record": "r.ndjson", "--audit": "a.ndjson", "--snapshot": "s.json" };
  const args = [command, "run", "plan.json", ...(await flags()), ...Object.entries(files).flat()];
  const ended = promisify(execFile)(process.execPath, args, { cwd: folder, env });
  const { code, stderr } = await ended.catch((error) => error);
  assert.equal(code, 4, stderr);
  for (const name of Object.values(files)) assertNone(readFileSync(join(folder, name), "utf8"), name);
});

test("nor does `stepgraph serve --runs`", async () => {
  const child = spawn(process.execPath, [command, "serve", ...(await flags()), "--runs", "runs"], { cwd: folder, env });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  const params = { name: "run_plan", arguments: { plan: JSON.stringify(PLAN) } };
  send({ id: 2, method: "tools/call", params });
  let out = "";
  for await (const piece of child.stdout) if ((out += piece).includes('"id":2')) break;
  child.kill();
  const kept = readdirSync(join(folder, "runs")).map((name) => readFileSync(join(folder, "runs", name), "utf8"));
  assert.ok(kept.length > 0, out);
  assertNone(kept.join("\n"), "the kept runs");
});
