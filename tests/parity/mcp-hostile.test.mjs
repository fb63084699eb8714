// Tests servers that misbehave: every operation ends in time with a code, and no error contains a key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mcp, PlanGraph, run } from "../../dist/node.js";
import { json, modern, serve, withTools } from "../servers/serve.mjs";
import { fails, KEY } from "./assert-failure.mjs";

const stream = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
const event = (message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const result = (id, value = { content: [{ type: "text", text: "done" }] }) => ({ jsonrpc: "2.0", id, result: value });
const megabytes = (count) => Buffer.alloc(count * 1024 * 1024, 32);

function sendEndless(response, part) {
  const writeChunk = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on("drain", writeChunk);
  writeChunk();
}

/** Description, answer, and expected code or `{ value }`. */
const answers = [
  [
    "100 MB of JSON",
    ({ response }) => sendEndless(response.writeHead(200, { "content-type": "application/json" }), megabytes(1)),
    "tool/too-large",
  ],
  [
    "100 MB in one event",
    ({ response }) => (stream(response).write("data: "), sendEndless(response, megabytes(1))),
    "tool/too-large",
  ],
  ["a stream of comments", ({ response }) => sendEndless(stream(response), ": nothing yet\n\n"), "tool/timeout"],
  [
    "a stream of news of others",
    ({ response }) => sendEndless(stream(response), event({ method: "notifications/message", params: {} })),
    "tool/timeout",
  ],
  [
    "progress without end",
    ({ body, response }) =>
      sendEndless(
        stream(response),
        event({
          method: "notifications/progress",
          params: { progressToken: body.params._meta.progressToken, progress: 1 },
        }),
      ),
    "tool/timeout",
  ],
  [
    "drips",
    ({ response }) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.writeHead(200, { "content-type": "application/json" }).on("close", () => clearInterval(timer));
    },
    "tool/timeout",
  ],
  [
    "a stream cut in the middle of an event",
    ({ response }) => stream(response).write('data: {"jsonrpc":', () => response.destroy()),
    "tool/unreachable",
  ],
  [
    "a stream that ends before the answer",
    ({ response }) => stream(response).end(event({ method: "notifications/message" })),
    "mcp/stream-broken",
  ],
  [
    "the answer twice",
    ({ body, response }) => stream(response).end(event(result(body.id)) + event(result(body.id, { content: [] }))),
    { value: "done" },
  ],
  [
    "the answers of others first",
    ({ body, response }) =>
      stream(response).end(event(result(body.id + 7, {})) + event(result("x", {})) + event(result(body.id))),
    { value: "done" },
  ],
  ["an id of another type", ({ body, response }) => json(response, 200, result(String(body.id))), "tool/bad-reply"],
  ["a fraction for an id", ({ body, response }) => json(response, 200, result(body.id + 0.5)), "tool/bad-reply"],
  [
    "a batch",
    ({ body, response }) => json(response, 200, [{ jsonrpc: "2.0", method: "notifications/message" }, result(body.id)]),
    { value: "done" },
  ],
  ["an empty batch", ({ response }) => json(response, 200, []), "tool/bad-reply"],
  [
    "result and error at once",
    ({ body, response }) => json(response, 200, { ...result(body.id), error: { code: -1, message: "both" } }),
    "mcp/protocol",
  ],
  [
    "an error with the key",
    ({ body, response }) =>
      json(response, 400, { jsonrpc: "2.0", id: body.id, error: { code: -32000, message: `no ${KEY}` } }),
    "mcp/protocol",
  ],
  [
    "a failure with the key",
    ({ body, response }) =>
      json(response, 200, result(body.id, { isError: true, content: [{ type: "text", text: `no ${KEY}` }] })),
    { value: "no [secret]" },
  ],
  [
    "a question it may not put",
    ({ body, response }) =>
      json(
        response,
        200,
        result(body.id, {
          resultType: "input_required",
          inputRequests: { a: { method: "elicitation/create", params: { message: "who?" } } },
        }),
      ),
    "mcp/input-required",
  ],
  [
    "a question that is none",
    ({ body, response }) => json(response, 200, result(body.id, { resultType: "input_required", inputRequests: [1] })),
    "tool/bad-reply",
  ],
  [
    "a type of result that nobody knows",
    ({ body, response }) => json(response, 200, result(body.id, { resultType: "poem" })),
    "tool/bad-reply",
  ],
  [
    "a content of a type that nobody knows",
    ({ body, response }) => json(response, 200, result(body.id, { content: [{ type: "smell", data: "x" }] })),
    { value: [{ type: "smell", data: "x" }] },
  ],
  [
    "a redirect to elsewhere",
    ({ response }) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    "mcp/protocol",
  ],
  [
    "a redirect to itself",
    ({ request, response }) => response.writeHead(308, { location: request.url }).end(),
    "mcp/protocol",
  ],
  [
    "an event stream of nothing but marks",
    ({ response }) => stream(response).end("id: 1\ndata:\n\n".repeat(1000)),
    "mcp/stream-broken",
  ],
];

for (const [what, answer, expect] of answers) {
  test(`a call answered with ${what}`, async (context) => {
    const { url, requests, stop } = await modern(answer);
    context.after(stop);
    // A long timeout lets the size limit come first.
    const [timeoutMs, maxTimeoutMs] = expect === "tool/too-large" ? [30_000, 30_000] : [300, 900];
    const client = mcp(url, { key: KEY, timeoutMs, maxTimeoutMs });
    const call = client.call("act", { a: 1 });
    if (typeof expect === "string") await fails(call, expect);
    else assert.deepEqual((await call).value, expect.value);
    assert.equal(
      requests.filter(({ body }) => body?.method === "tools/call").length,
      1,
      "a call that may have been made is not made again",
    );
  });
}

const legacy = (call) =>
  serve(({ request, body, response, ...rest }) => {
    if (request.method === "DELETE") response.writeHead(200).end();
    else if (body?.method === "server/discover") json(response, 400, { error: "what?" });
    else if (body?.method === "initialize")
      json(response, 200, result(body.id, { protocolVersion: "2025-11-25", capabilities: {} }), {
        "mcp-session-id": "s",
      });
    else if (body !== null && body.id === undefined) response.writeHead(202).end();
    else call({ request, body, response, ...rest });
  });

test("a stream resumed repeatedly without messages is abandoned", async (context) => {
  const { url, requests, stop } = await legacy(({ response }) => stream(response).end("id: same\nretry: 1\ndata:\n\n"));
  context.after(stop);
  await fails(mcp(url).call("act", {}), "mcp/stream-broken");
  const resumed = requests.filter(({ method }) => method === "GET");
  assert.deepEqual(
    resumed.map(({ headers }) => headers["last-event-id"]),
    ["same", "same", "same", "same", "same"],
  );
});

test("a server that asks for an hour of pause is abandoned", async (context) => {
  const { url, stop } = await legacy(({ response }) => stream(response).end("id: 1\nretry: 3600000\ndata:\n\n"));
  context.after(stop);
  await fails(mcp(url).call("act", {}), "mcp/stream-broken");
});

test("a server that is polled endlessly is abandoned at the timeout", async (context) => {
  let mark = 0;
  const { url, stop } = await legacy(({ response }) => stream(response).end(`id: ${mark++}\nretry: 1\ndata:\n\n`));
  context.after(stop);
  await fails(mcp(url, { timeoutMs: 500, maxTimeoutMs: 700 }).call("act", {}), "tool/timeout");
  assert.ok(mark < 20, `${mark} times`);
});

test("a call whose session is lost while its stream is broken is not repeated", async (context) => {
  const { url, requests, stop } = await legacy(({ request, response }) => {
    if (request.method === "GET")
      json(response, 404, { jsonrpc: "2.0", id: null, error: { code: -32001, message: "no such session" } });
    else stream(response).end("id: 1\nretry: 1\ndata:\n\n");
  });
  context.after(stop);
  await fails(mcp(url).call("act", {}), "mcp/stream-broken");
  assert.equal(requests.filter(({ body }) => body?.method === "tools/call").length, 1);
});

test("an idempotent call is repeated once after a broken stream", async (context) => {
  const hints = { a: { readOnlyHint: true }, b: { idempotentHint: true }, c: {} };
  const seen = new Set();
  const { url, requests, stop } = await modern(({ body, response }) => {
    const key = `${body.method} ${body.params.name}`;
    const broken = !seen.has(key);
    seen.add(key);
    if (broken) return stream(response).end();
    const tools = Object.entries(hints).map(([name, annotations]) => ({
      name,
      inputSchema: { type: "object" },
      annotations,
    }));
    return json(response, 200, result(body.id, body.method === "tools/list" ? { tools } : undefined));
  });
  context.after(stop);
  const client = mcp(url);
  assert.equal((await client.list()).length, 3);
  for (const name of ["a", "b"]) assert.equal((await client.call(name, {})).value, "done");
  await fails(client.call("c", {}), "mcp/stream-broken");
  const ids = requests.map(({ body }) => body.id);
  assert.equal(new Set(ids).size, ids.length);
});

test("names and schemas of any kind", async (context) => {
  const odd = ["", " ", "a b", "日本語", "a/b", "x\ny", "a\u0000b", "constructor", "__proto__", "x".repeat(5000)];
  const loop = {
    type: "object",
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    properties: { x: { $ref: "#/$defs/a" } },
  };
  const self = { type: "object", properties: { next: { $ref: "#" } } };
  const wide = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: "string" }])),
  };
  const distant = { type: "object", properties: { x: { $ref: "http://127.0.0.1:1/schema.json" } } };
  const schemas = { loop, self, wide, distant, text: "no schema", list: [], nothing: null };
  const { url, requests, stop } = await modern(({ body, response }) => {
    const tools = [
      ...odd.slice(1).map((name) => ({ name, inputSchema: { type: "object" } })),
      ...Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema })),
    ];
    json(
      response,
      200,
      result(
        body.id,
        body.method === "tools/list" ? { tools } : { content: [{ type: "text", text: body.params.name }] },
      ),
    );
  });
  context.after(stop);
  const client = mcp(url, { name: "odd" });
  const tools = await client.list();
  assert.equal(tools.length, odd.length - 1 + Object.keys(schemas).length);
  for (const name of odd.slice(1, -1)) assert.equal((await client.call(name, {})).value, name);
  for (const name of ["self", "wide", "loop", "distant", "text"]) {
    const { graph, diagnostics } = PlanGraph.parse(
      JSON.stringify({ nodes: { a: { type: "tool", tool: name, input: { next: { next: {} } } } } }),
    );
    assert.ok(graph, JSON.stringify(diagnostics));
    const { outcome } = await run(graph, { tools: [client] });
    assert.ok(["completed", "failed"].includes(outcome.type), name);
    if (outcome.type === "failed") assert.match(outcome.code, /^[a-z]+\/[a-z-]+$/);
  }
  assert.ok(requests.every(({ headers }) => /^[ -~]*$/.test(headers["mcp-name"] ?? "")));
});

test("a result that violates the tool's schema fails the node", async (context) => {
  const outputSchema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };
  const results = {
    kept: { structuredContent: { price: 3 }, content: [] },
    broken: { structuredContent: { price: "three" }, content: [] },
    text: { content: [{ type: "text", text: '{"price": 3}' }] },
    words: { content: [{ type: "text", text: "it costs 3" }] },
    other: { content: [{ type: "text", text: '{"price": "three"}' }] },
  };
  const { url, stop } = await modern(({ body, response }) => {
    const tools = Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" }, outputSchema }));
    json(response, 200, result(body.id, body.method === "tools/list" ? { tools } : results[body.params.name]));
  });
  context.after(stop);
  const broken = ["broken", "words", "other"].map((name) => [name, "tool/invalid-result"]);
  // The client parses a text as JSON if the schema does not allow a text.
  for (const [name, code] of [["kept"], ["text"], ...broken]) {
    const plan = PlanGraph.parse(JSON.stringify({ nodes: { a: { type: "tool", tool: name, input: {} } } })).graph;
    const { outcome, last } = await run(plan, { tools: [mcp(url)] });
    assert.deepEqual([outcome.type, outcome.code], code ? ["failed", code] : ["completed", undefined], name);
    if (code === undefined) assert.deepEqual(last, { price: 3 });
  }
});

test("a list with a tool that has no name is no list", async (context) => {
  const { url, stop } = await withTools(["", "a"], () => {});
  context.after(stop);
  await fails(mcp(url).list(), "tool/bad-reply");
});

test("keys are in no message, header apart", async (context) => {
  const { url, requests, stop } = await legacy(({ response }) => response.writeHead(500).end(`Bearer ${KEY} is wrong`));
  context.after(stop);
  const client = mcp(`${url}/mcp?token=${KEY}`, { key: KEY, headers: { "X-Key": KEY } });
  // They run at the same time and fail in any order.
  const works = [client.list(), client.call("a", {}), client.request("ping"), client.watch(() => {})];
  await Promise.all(works.map((work) => fails(work, "mcp/protocol")));
  await client.close();
  assert.ok(requests.every(({ body }) => !JSON.stringify(body).includes(KEY)));
  await fails(mcp("http://127.0.0.1:1/", { key: `${KEY}\n` }).list(), "tool/unreachable");
});

test("a server whose era has changed is found out anew", async (context) => {
  let era = "modern";
  const { url, requests, stop } = await serve(({ request, body, response }) => {
    const list = () => json(response, 200, result(body.id, { tools: [{ name: era, inputSchema: {} }] }));
    if (request.method === "DELETE") return response.writeHead(200).end();
    if (era === "modern") {
      if (body.params?._meta === undefined) return json(response, 400, { error: "no meta" });
      return body.method === "server/discover"
        ? json(response, 200, result(body.id, { supportedVersions: ["2026-07-28"], capabilities: {} }))
        : list();
    }
    if (body.params?._meta !== undefined) return json(response, 404, { error: "not here" });
    if (body.method === "initialize")
      return json(response, 200, result(body.id, { protocolVersion: "2025-06-18", capabilities: {} }));
    return body.id === undefined ? response.writeHead(202).end() : list();
  });
  context.after(stop);
  for (const [now, methods] of [
    ["modern", ["server/discover", "tools/list"]],
    ["modern", ["tools/list"]],
    ["legacy", ["tools/list", "server/discover", "initialize", "notifications/initialized", "tools/list"]],
    ["legacy", ["initialize", "notifications/initialized", "tools/list"]],
    ["modern", ["initialize", "server/discover", "tools/list"]],
  ]) {
    era = now;
    requests.length = 0;
    const client = mcp(url);
    assert.equal((await client.list())[0].name, now);
    assert.deepEqual(
      requests.map(({ body }) => body.method),
      methods,
    );
  }
});

test("the client changes the revision if the server refuses it later", async (context) => {
  let spoken = ["2026-07-28"];
  const { url, requests, stop } = await serve(({ request, body, response }) => {
    if (request.method === "DELETE") return response.writeHead(200).end();
    const version = request.headers["mcp-protocol-version"] ?? body.params?.protocolVersion;
    if (!spoken.includes(version))
      return json(response, 400, {
        jsonrpc: "2.0",
        id: body.id,
        error: { code: -32022, message: "no", data: { supported: spoken, requested: version } },
      });
    if (body.method === "server/discover")
      return json(response, 200, result(body.id, { supportedVersions: spoken, capabilities: {} }));
    if (body.method === "initialize")
      return json(response, 200, result(body.id, { protocolVersion: version, capabilities: {} }));
    return body.id === undefined ? response.writeHead(202).end() : json(response, 200, result(body.id));
  });
  context.after(stop);
  const client = mcp(url);
  assert.equal((await client.call("a", {})).value, "done");
  spoken = ["2025-11-25"];
  assert.equal((await client.call("a", {})).value, "done");
  assert.equal(client.about().version, "2025-11-25");
  assert.equal(requests.filter(({ body }) => body?.method === "initialize").length, 1);
  await fails(mcp(url, { version: "2026-07-28" }).call("a", {}), "mcp/unsupported-version");
});
