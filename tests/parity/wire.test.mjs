// Tests the clients of tools and models against real servers and small ones that misbehave.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { mcp, openai, startSync } from "../../dist/package-internals.js";
import { json, modern, startRefusingServer, serve } from "../servers/serve.mjs";
import * as servers from "../servers/servers.mjs";
import { fails, KEY } from "./assert-failure.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

function group(name, start, tests) {
  test(name, async (context) => {
    const server = await start();
    context.after(() => server.stop());
    await tests(server, (title, run) => context.test(title, run));
  });
}

group("server-everything (2025-11-25, sessions)", servers.everything, async ({ url }, check) => {
  const client = mcp(url, { name: "everything" });
  await check("lists its tools", async () => {
    const tools = await client.list();
    const echo = tools.find((tool) => tool.name === "echo");
    assert.equal(echo.server, "everything");
    assert.equal(echo.input_schema.type, "object");
    assert.equal(echo.input_schema.properties.message.type, "string");
    assert.ok(tools.some((tool) => tool.output_schema !== undefined));
  });
  await check("the client returns text", async () => {
    assert.deepEqual(await client.call("echo", { message: "hi, Zürich" }), {
      value: "Echo: hi, Zürich",
      isError: false,
    });
  });
  await check("the client returns structured content", async () => {
    const { value, isError } = await client.call("get-structured-content", { location: "Chicago" });
    assert.deepEqual([isError, typeof value.temperature, typeof value.conditions], [false, "number", "string"]);
  });
  await check("the client returns mixed content as a list", async () => {
    const { value } = await client.call("get-tiny-image", {});
    assert.ok(value.some((part) => part.type === "image") && value.some((part) => part.type === "text"));
  });
  await check("reports wrong arguments and unknown tools as failures of the tool", async () => {
    for (const [name, args] of [
      ["echo", {}],
      ["no-such-tool", {}],
    ]) {
      const result = await client.call(name, args);
      assert.equal(result.isError, true);
      assert.match(result.message, name === "echo" ? /invalid/i : /no-such-tool/);
    }
  });
  await check("waits for a long call through its progress", async () => {
    const { value } = await client.call("trigger-long-running-operation", { duration: 1, steps: 2 });
    assert.match(value, /completed/i);
  });
  await check("runs calls at the same time", async () => {
    const fresh = mcp(url);
    const results = await Promise.all([1, 2, 3, 4].map((n) => fresh.call("get-sum", { a: n, b: 1 })));
    assert.deepEqual(
      results.map(({ value }) => /(\d+)\.$/.exec(value)[1]),
      ["2", "3", "4", "5"],
    );
    await fresh.close();
  });
  await check("the client opens a new session after the server dropped the old one", async () => {
    // A restart ends the session without the client's knowledge.
    let session;
    const spied = mcp(url, {
      fetch(url, init) {
        session = new Headers(init.headers).get("mcp-session-id") ?? session;
        return fetch(url, init);
      },
    });
    await spied.call("echo", { message: "a" });
    const lost = session;
    const headers = { "mcp-session-id": lost, "mcp-protocol-version": "2025-11-25" };
    assert.ok((await fetch(url, { method: "DELETE", headers })).ok);
    assert.equal((await spied.call("echo", { message: "b" })).value, "Echo: b");
    assert.notEqual(session, lost);
    await spied.close();
  });
  await check("the signal cancels a call, and the next call works", async () => {
    const controller = new AbortController();
    const call = client.call(
      "trigger-long-running-operation",
      { duration: 60, steps: 2 },
      { signal: controller.signal },
    );
    controller.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    assert.equal((await client.call("echo", { message: "c" })).value, "Echo: c");
  });
  await check("the client closes, and the next call opens it again", async () => {
    await client.close();
    await client.close();
    assert.equal((await client.call("echo", { message: "d" })).value, "Echo: d");
    await client.close();
  });
});

group("FastMCP (2026-07-28)", servers.fastmcp, async ({ url }, check) => {
  const methods = [];
  const client = mcp(url, {
    name: "shop",
    fetch(url, init) {
      methods.push(new Headers(init.headers).get("mcp-method"));
      return fetch(url, init);
    },
  });
  await check("lists its tools", async () => {
    const names = (await client.list()).map((tool) => tool.name);
    assert.deepEqual(names, ["price", "greet", "add", "menu", "json_text", "weather"]);
  });
  for (const [name, args, value] of [
    ["price", { item: "tea" }, { item: "tea", price: 3.5, currency: "EUR" }],
    ["greet", { name: "Zoë" }, "Hello, Zoë!"],
    ["add", { a: 1, b: 2.5 }, { result: 3.5 }],
    ["menu", {}, { result: ["tea", "coffee", "water"] }],
    ["json_text", {}, '{"looks": "like JSON"}'],
  ]) {
    await check(`${name} returns its value`, async () =>
      assert.deepEqual((await client.call(name, args)).value, value),
    );
  }
  await check("a failing tool returns its reason", async () => {
    const message = "there is no gold on the menu";
    assert.deepEqual(await client.call("price", { item: "gold" }), { value: message, isError: true, message });
  });
  await check("wrong arguments and unknown tools are failures of the tool", async () => {
    assert.match((await client.call("add", { a: "x" })).message, /valid number/);
    assert.match((await client.call("nothing", {})).message, /nothing/);
  });
  await check("the client sends one probe and no handshake", () => {
    assert.equal(methods.filter((method) => method === "server/discover").length, 1);
    assert.ok(methods.every((method) => ["server/discover", "tools/list", "tools/call"].includes(method)));
  });
  await check("a server that hides from the probe uses the legacy era, including lost sessions", async () => {
    // A browser blocks the probe if the server does not allow its headers.
    let session;
    const hidden = mcp(url, {
      fetch(url, init) {
        const headers = new Headers(init.headers);
        session = headers.get("mcp-session-id") ?? session;
        return headers.has("mcp-method") ? Promise.reject(new TypeError("Failed to fetch")) : fetch(url, init);
      },
    });
    assert.equal((await hidden.call("greet", { name: "you" })).value, "Hello, you!");
    const lost = session;
    const headers = { "mcp-session-id": lost, "mcp-protocol-version": "2025-11-25" };
    assert.ok((await fetch(url, { method: "DELETE", headers })).ok);
    assert.equal((await hidden.call("greet", { name: "me" })).value, "Hello, me!");
    assert.notEqual(session, lost);
    await hidden.close();
  });
});

group("FastMCP with pages of two", servers.pages, async ({ url }, check) => {
  await check("lists all of its tools", async () => {
    const requests = [];
    const client = mcp(url, { fetch: (url, init) => (requests.push(JSON.parse(init.body)), fetch(url, init)) });
    assert.equal((await client.list()).length, 6);
    assert.equal(requests.filter(({ method }) => method === "tools/list").length, 3);
  });
});

test("a server that is down", async (context) => {
  const { url, stop } = await startRefusingServer();
  context.after(stop);
  await fails(
    mcp(url, { key: KEY }).call("echo", {}),
    "tool/unreachable",
    /^`127\.0\.0\.1:\d+` could not be reached: .+/,
  );
  await fails(
    openai({ baseUrl: url, model: "m", apiKey: KEY }).chat({ messages: [] }),
    "model/unreachable",
    /ECONNREFUSED/,
  );
  await fails(mcp("no address", { key: KEY }).list(), "tool/unreachable");
  await fails(mcp(`http://user:${KEY}@127.0.0.1/?key=${KEY}`).list(), "tool/unreachable");
});

const invalidReplies = [
  [
    "HTML",
    (r) => r.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>"),
    "tool/bad-reply",
    "model/bad-reply",
  ],
  ["nothing", (r) => r.writeHead(200).end(), "tool/bad-reply", "model/bad-reply"],
  [
    "half of a JSON text",
    (r) => r.writeHead(200, { "content-type": "application/json" }).end('{"id":'),
    "tool/bad-reply",
    "model/bad-reply",
  ],
  [
    "another's answer",
    (r) => json(r, 200, { jsonrpc: "2.0", id: 12345, result: {} }),
    "tool/bad-reply",
    "model/bad-reply",
  ],
  [
    "no UTF-8",
    (r) => r.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0x22, 0xff, 0x22])),
    "tool/bad-reply",
    "model/bad-reply",
  ],
  [
    "a deep list",
    (r) => r.writeHead(200, { "content-type": "application/json" }).end("[".repeat(1e6)),
    "tool/bad-reply",
    "model/bad-reply",
  ],
  [
    "an event of garbage",
    (r) => r.writeHead(200, { "content-type": "text/event-stream" }).end("data: <h1>\n\n"),
    "tool/bad-reply",
    "model/bad-reply",
  ],
  [
    "a stream without events",
    (r) => r.writeHead(200, { "content-type": "text/event-stream" }).end(": hi\n\n"),
    "mcp/stream-broken",
    "model/unreachable",
  ],
  ["too much", (r) => r.writeHead(200).end(Buffer.alloc(17 * 1024 * 1024, 32)), "tool/too-large", "model/too-large"],
  [
    "an endless line",
    (r) => r.writeHead(200, { "content-type": "text/event-stream" }).end(Buffer.alloc(17 * 1024 * 1024, 97)),
    "tool/too-large",
    "model/too-large",
  ],
  ["not found", (r) => r.writeHead(404).end("not here"), "mcp/protocol", "model/not-found"],
  [
    "unauthorised",
    (r) => json(r, 401, { error: { message: `wrong key ${KEY}` } }),
    "tool/unauthorized",
    "model/unauthorized",
  ],
  ["elsewhere", (r) => r.writeHead(307, { location: "http://127.0.0.1:1/" }).end(), "mcp/protocol", "model/bad-reply"],
  [
    "an error that quotes the key",
    (r) => json(r, 400, { id: null, error: { code: -1, message: `I saw ${KEY}` } }),
    "mcp/protocol",
    "model/refused",
  ],
];

for (const [what, answer, toolCode, modelCode] of invalidReplies) {
  test(`a server that answers ${what}`, async (context) => {
    const { url, stop } = await serve(({ response }) => answer(response));
    context.after(stop);
    await fails(mcp(`${url}/mcp`, { key: KEY }).list(), toolCode);
    await fails(openai({ baseUrl: url, model: "m", apiKey: KEY }).chat({ messages: [] }), modelCode);
  });
}

test("a server that never answers", async (context) => {
  const { url, stop } = await serve(() => {});
  context.after(stop);
  await fails(mcp(url, { timeoutMs: 50 }).list(), "tool/timeout");
  await fails(openai({ baseUrl: url, model: "m", timeoutMs: 50 }).chat({ messages: [] }), "model/timeout");
});

test("a server that begins to answer and then waits", async (context) => {
  const { url, stop } = await serve(({ response }) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {"),
  );
  context.after(stop);
  await fails(mcp(url, { timeoutMs: 200 }).list(), "tool/timeout");
  await fails(openai({ baseUrl: url, model: "m", timeoutMs: 200 }).chat({ messages: [] }), "model/timeout");
});

test("a server that hangs up in the middle", async (context) => {
  const { url, stop } = await modern(({ response }) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":', () => response.destroy());
  });
  context.after(stop);
  await fails(mcp(url).call("echo", {}), "tool/unreachable");
});

test("a stream that stays open after the answer", async (context) => {
  const closed = deferred();
  const { url, stop } = await modern(({ body, response }) => {
    const result = { content: [{ type: "text", text: "ä€😀" }] };
    const bytes = Buffer.from(`id: 1\ndata:\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: body.id, result })}\n\n`);
    response.on("close", closed.resolve).writeHead(200, { "content-type": "text/event-stream" });
    for (const byte of bytes) response.write(Buffer.of(byte));
  });
  context.after(stop);
  assert.equal((await mcp(url).call("echo", {})).value, "ä€😀");
  await closed.promise;
});

function deferred() {
  const result = {};
  result.promise = new Promise((resolve) => (result.resolve = resolve));
  return result;
}

test("a server that pings while it answers", async (context) => {
  const ponged = deferred();
  const { url, stop } = await serve(async ({ body, response }) => {
    const result = (value, headers) => json(response, 200, { jsonrpc: "2.0", id: body.id, result: value }, headers);
    if (body.method === "server/discover") return json(response, 400, { error: "what?" });
    if (body.method === "initialize") return result({ protocolVersion: "2025-06-18" }, { "mcp-session-id": "s" });
    if (body.method === undefined) ponged.resolve(body);
    if (body.method !== "tools/call") return response.writeHead(202).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n');
    // The server answers only after the pong. A client that first read to the end would hang.
    await ponged.promise;
    response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: body.id, result: { content: [] } })}\n\n`);
  });
  context.after(stop);
  assert.equal((await mcp(url).call("echo", {})).value, null);
  assert.deepEqual(await ponged.promise, { jsonrpc: "2.0", id: "p", result: {} });
});

test("operations that begin together open the connection once", async (context) => {
  const { url, requests, stop } = await modern(({ body, response }) =>
    json(response, 200, { jsonrpc: "2.0", id: body.id, result: { content: [], tools: [] } }),
  );
  context.after(stop);
  const client = mcp(url, { key: KEY, headers: { "X-Own": "1" } });
  const controller = new AbortController();
  const first = client.list(controller.signal);
  const others = [client.call("a", {}), client.call("b", {}), client.list()];
  // The operation that opens the connection is cancelled. Another one must take over.
  controller.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal((await Promise.all(others)).length, 3);
  const probes = requests.filter(({ body }) => body.method === "server/discover").length;
  assert.ok(probes === 1 || probes === 2, `${probes} probes`);
  assert.ok(requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}` && headers["x-own"] === "1"));
});

test("an operation that waits for another is cancelled", async (context) => {
  const { url, stop } = await serve(() => {});
  context.after(stop);
  const client = mcp(url, { timeoutMs: 500 });
  const controller = new AbortController();
  const first = fails(client.list(), "tool/timeout");
  const second = assert.rejects(client.list(controller.signal), /enough/);
  setImmediate(() => controller.abort(new Error("enough")));
  await Promise.all([first, second]);
});

const reply = { choices: [{ message: { role: "assistant", content: "yes" }, finish_reason: "stop" }] };

for (const [what, first, tries] of [
  ["is overloaded", (r) => json(r, 503, { error: { message: "busy" } }, { "retry-after-ms": "1" }), 2],
  ["counts requests", (r) => json(r, 429, { error: { message: "slow" } }, { "retry-after": "0.001" }), 2],
  ["hangs up", (r) => r.destroy(), 2],
]) {
  test(`a model that ${what} at first is called again`, async (context) => {
    const { url, requests, stop } = await serve(({ response, count }) =>
      count < tries ? first(response) : json(response, 200, reply),
    );
    context.after(stop);
    assert.equal((await openai({ baseUrl: url, model: "m" }).chat({ messages: [] })).text, "yes");
    assert.equal(requests.length, tries);
  });
}

for (const [what, headers, tries, code] of [
  ["stays overloaded", { "retry-after-ms": "1" }, 3, "model/overloaded"],
  ["says that it is no use", { "x-should-retry": "false" }, 1, "model/overloaded"],
  ["wants to be left alone for an hour", { "retry-after": "3600" }, 1, "model/overloaded"],
]) {
  test(`a model that ${what} is abandoned`, async (context) => {
    const { url, requests, stop } = await serve(({ response }) =>
      json(response, 503, { error: { message: "busy" } }, headers),
    );
    context.after(stop);
    await fails(openai({ baseUrl: url, model: "m", apiKey: KEY }).chat({ messages: [] }), code, /busy/);
    assert.equal(requests.length, tries);
  });
}

test("a request to a model contains only necessary fields", async (context) => {
  const { url, requests, stop } = await serve(({ response }) => json(response, 200, reply));
  context.after(stop);
  const schema = { type: "object" };
  const request = { model: "other", messages: [{ role: "user", content: "hi" }], schema, max_tokens: 5 };
  await openai({ baseUrl: `${url}/v1/`, model: "m", apiKey: KEY, headers: { "X-Own": "1" } }).chat(request);
  const [{ headers, body }] = requests;
  assert.deepEqual(
    [headers.authorization, headers["x-own"], headers["content-type"]],
    [`Bearer ${KEY}`, "1", "application/json"],
  );
  assert.deepEqual(Object.keys(body), ["model", "messages", "response_format", "max_tokens"]);
  assert.equal(body.model, "other");
});

test("a model is not waited for once the signal is aborted", async (context) => {
  const { url, requests, stop } = await serve(({ response }) => json(response, 503, {}, { "retry-after": "50" }));
  context.after(stop);
  const controller = new AbortController();
  const chat = openai({ baseUrl: url, model: "m" }).chat({ messages: [] }, { signal: controller.signal });
  while (requests.length === 0) await new Promise(setImmediate);
  controller.abort(new Error("enough"));
  await assert.rejects(chat, /enough/);
  const aborted = AbortSignal.abort(new Error("before"));
  await assert.rejects(openai({ baseUrl: url, model: "m" }).chat({ messages: [] }, { signal: aborted }), /before/);
  await assert.rejects(mcp(url).list(aborted), /before/);
  assert.equal(requests.length, 1);
});
