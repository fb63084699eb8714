// Tests `stepgraph serve --http` by raw bytes: access, refused requests, sessions, and broken streams.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { withTools, json } from "../servers/serve.mjs";
import { overHttp, textOf } from "./serve/client.mjs";
import { stepgraph } from "./stepgraph.mjs";

const open = await overHttp(["--allow-origin", "https://app.example.com", "--allow-host", "plans.example.com"]);
const SECRET = "0123456789abcdef-secret";
const guarded = await overHttp([], { STEPGRAPH_SERVE_TOKEN: SECRET });
after(() => Promise.all([open.stop(), guarded.stop()]));

const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

function sendRaw(url, { method = "POST", path = "/mcp", headers = {}, body = "" } = {}) {
  const { hostname, port, host } = new URL(url);
  const all = {
    host,
    connection: "close",
    ...(method === "POST" ? { "content-length": Buffer.byteLength(body) } : {}),
    ...headers,
  };
  const head = Object.entries(all)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`),
    );
    let text = "";
    socket
      .setEncoding("utf8")
      .on("data", (part) => (text += part))
      .on("error", reject)
      .on("close", () => {
        const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
        const at = text.indexOf("\r\n\r\n");
        resolve({ status: Number(status), head: text.slice(0, at).toLowerCase(), body: text.slice(at + 4) });
      });
  });
}

const initialize = (url, headers = {}) =>
  sendRaw(url, { headers: { ...ACCEPT, ...headers }, body: JSON.stringify(INITIALIZE) });

test("the address is on standard error, and nothing on standard output", async () => {
  const served = await overHttp([]);
  assert.match(served.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const { code, out, err } = await served.stop();
  assert.deepEqual([code, out], [0, ""]);
  assert.match(err, /^serving MCP at http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
});

test("the server refuses a page of another site, also after DNS rebinding", async () => {
  const { port } = new URL(open.url);
  assert.equal((await initialize(open.url)).status, 200);
  for (const host of [
    `evil.example.com:${port}`,
    "evil.example.com",
    `127.0.0.1.evil.example.com:${port}`,
    `localhost@evil.example.com:${port}`,
    "",
    "[::1",
    "169.254.169.254",
  ]) {
    const { status, body } = await initialize(open.url, { host });
    assert.ok([400, 403].includes(status), `${host}: ${status} ${body}`);
  }
  assert.equal((await initialize(open.url, { host: null })).status, 400, "HTTP/1.1 without a host");
  for (const origin of [
    "https://evil.example.com",
    "null",
    "http://127.0.0.1.evil.example.com",
    "file://",
    "https://app.example.com.evil.example.com",
    "http://app.example.com",
    "https://app.example.com:8443",
  ]) {
    const { status, head } = await initialize(open.url, { origin });
    assert.equal(status, 403, origin);
    assert.doesNotMatch(head, /access-control/);
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, "plans.example.com"])
    assert.equal((await initialize(open.url, { host })).status, 200, host);
  assert.equal(
    (
      await sendRaw(open.url, {
        path: "http://evil.example.com/mcp",
        headers: ACCEPT,
        body: JSON.stringify(INITIALIZE),
      })
    ).status,
    404,
    "an absolute address is no path of ours",
  );
});

test("a page of an allowed origin may send requests and read answers; a local page may not", async () => {
  const origin = "https://app.example.com";
  const asks = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type, mcp-protocol-version, mcp-param-city",
  };
  const preflight = await sendRaw(open.url, { method: "OPTIONS", headers: asks });
  assert.equal(preflight.status, 204);
  assert.match(preflight.head, /access-control-allow-origin: https:\/\/app\.example\.com/);
  assert.match(preflight.head, /access-control-allow-headers: content-type, mcp-protocol-version, mcp-param-city/);
  const answer = await initialize(open.url, { origin });
  assert.equal(answer.status, 200);
  assert.match(answer.head, /access-control-expose-headers: mcp-session-id/);
  for (const other of ["https://evil.example.com", "http://localhost:5173"]) {
    const refused = await sendRaw(open.url, { method: "OPTIONS", headers: { ...asks, origin: other } });
    assert.notEqual(refused.status, 204, other);
    assert.doesNotMatch(refused.head, /access-control/);
  }
  assert.doesNotMatch((await initialize(open.url, { origin: "http://localhost:5173" })).head, /access-control/);
});

test("a server with a token rejects requests without the token", async (context) => {
  for (const authorization of [
    null,
    "",
    "Bearer",
    "Bearer wrong",
    `Basic ${SECRET}`,
    `Bearer ${SECRET}x`,
    `Bearer ${SECRET.slice(0, -1)}`,
  ]) {
    const { status, head, body } = await initialize(guarded.url, { authorization });
    assert.equal(status, 401, `${authorization}`);
    assert.match(head, /www-authenticate: bearer realm="stepgraph"/);
    assert.ok(!body.includes(SECRET));
  }
  assert.equal(
    (await initialize(guarded.url, { authorization: `Bearer ${SECRET}`, host: "evil.example.com" })).status,
    403,
    "the host counts all the same",
  );
  const client = await guarded.connect({ headers: { authorization: `Bearer ${SECRET}` } });
  context.after(() => client.close());
  assert.equal((await client.listTools()).tools.length, 6);
  await assert.rejects(guarded.connect());
  const listed = await stepgraph(["tools", guarded.url, "--filter", "check_plan"], {
    env: { STEPGRAPH_SERVER_KEY: SECRET },
  });
  assert.match(listed.out, /check_plan\(/);
});

test("the server rejects invalid requests with a matching status", async () => {
  const post = (body, headers = ACCEPT, more = {}) => sendRaw(open.url, { headers, body, ...more });
  const status = async (...args) => (await post(...args)).status;
  assert.equal(await status("{}", ACCEPT, { path: "/" }), 404);
  assert.equal(await status("", ACCEPT, { method: "PUT" }), 405);
  assert.equal(await status("{nonsense"), 400);
  assert.equal(await status("[]"), 400);
  assert.equal(await status("null"), 400);
  assert.equal(
    await status(JSON.stringify(INITIALIZE), { ...ACCEPT, "content-type": "text/plain" }),
    415,
    "what a form of any page could send",
  );
  assert.equal(await status(JSON.stringify(INITIALIZE), { ...ACCEPT, accept: "text/html" }), 406);
  assert.equal(
    await status(JSON.stringify({ ...INITIALIZE, method: "tools/list" })),
    400,
    "no session, and none begun",
  );
  assert.equal(
    await status(JSON.stringify(INITIALIZE), { ...ACCEPT, "mcp-session-id": "00000000-0000-0000-0000-000000000000" }),
    404,
  );
  assert.equal(await status(" ".repeat(5_000_000)), 413);
  assert.equal(await status("", { ...ACCEPT, "content-length": "99999999" }), 413);
  assert.equal((await sendRaw(open.url, { method: "GET", headers: { accept: "text/event-stream" } })).status, 400);
});

test("a session ends on request, and an active session is never evicted", async (context) => {
  const served = await overHttp([]);
  context.after(() => served.stop());
  const idOf = ({ head }) => /mcp-session-id: (\S+)/.exec(head)[1];
  const ping = async (id) =>
    (
      await sendRaw(served.url, {
        headers: { ...ACCEPT, "mcp-session-id": id },
        body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }),
      })
    ).status;
  const first = idOf(await initialize(served.url));
  assert.match(first, /^[0-9a-f-]{36}$/);
  assert.equal(await ping(first), 200);
  assert.equal((await sendRaw(served.url, { method: "DELETE", headers: { "mcp-session-id": first } })).status, 200);
  assert.equal(await ping(first), 404);
  const ids = [];
  for (let i = 0; i < 512; i++) ids.push(idOf(await initialize(served.url)));
  const { status, head } = await initialize(served.url);
  assert.deepEqual([status, /retry-after: (\d+)/i.exec(head)[1]], [503, "30"]);
  assert.equal(await ping(ids[0]), 200);
  assert.equal(await ping(ids.at(-1)), 200);
  assert.equal((await sendRaw(served.url, { method: "DELETE", headers: { "mcp-session-id": ids[0] } })).status, 200);
  assert.match(idOf(await initialize(served.url)), /^[0-9a-f-]{36}$/);
});

test("a client of an older revision resumes a broken stream and gets the answer", async (context) => {
  let release;
  const called = new Promise((resolve) => (release = resolve));
  const server = await withTools(["slow"], ({ body, response }) =>
    release(() =>
      json(response, 200, {
        jsonrpc: "2.0",
        id: body.id,
        result: { resultType: "complete", content: [{ type: "text", text: "done" }] },
      }),
    ),
  );
  const served = await overHttp(["--server", `shop=${server.url}`]);
  context.after(async () => (await served.stop(), server.stop()));
  const begun = await fetch(served.url, { method: "POST", headers: ACCEPT, body: JSON.stringify(INITIALIZE) });
  const headers = {
    ...ACCEPT,
    "mcp-session-id": begun.headers.get("mcp-session-id"),
    "mcp-protocol-version": "2025-11-25",
  };
  await begun.text();
  await fetch(served.url, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  });
  const leave = new AbortController();
  const plan = "nodes: {slow: {type: tool, tool: slow, input: {}}}";
  const asked = await fetch(served.url, {
    method: "POST",
    headers,
    signal: leave.signal,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 5,
      method: "tools/call",
      params: { name: "run_plan", arguments: { plan } },
    }),
  });
  const { value } = await asked.body.getReader().read();
  const [, last] = /^id: (\S+)/m.exec(Buffer.from(value).toString());
  const answer = await called;
  leave.abort();
  answer();
  // The server may notice the broken stream only after the client asks for the rest. Clients retry then.
  let again;
  do again = await fetch(served.url, { headers: { ...headers, "last-event-id": last } });
  while (again.status === 409);
  let text = "";
  for await (const part of again.body) {
    text += Buffer.from(part).toString();
    if (text.includes('"id":5')) break;
  }
  assert.equal(JSON.parse(/^data: (.*"id":5.*)$/m.exec(text)[1]).result.structuredContent.last, "done");
  const client = await served.connect();
  context.after(() => client.close());
  assert.match(textOf(await client.callTool({ name: "explain_run", arguments: {} })), /completed/);
});
