// Tests hostile questions, notifications and streams during an operation, and invalid answers of the host.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { mcp } from "../../dist/node.js";

const DONE_RESULT = { content: [{ type: "text", text: "done" }] };
const text = (message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

/** `on` returns the result, or answers by itself. */
async function serve(context, on) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const message = body === "" ? { method: request.method } : JSON.parse(body);
    seen.push({ ...message, authorization: request.headers.authorization });
    const json = (value, status = 200, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(value === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id: message.id, ...value }));
    const events = () => response.writeHead(200, { "content-type": "text/event-stream" });
    const result = await on({ message, request, response, json, events, seen });
    if (result !== undefined) json({ result });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, seen };
}

/** Returns whether the message belonged to the older era's handshake. */
function answerHandshake({ message, json }) {
  if (message.method === "initialize")
    json({ result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x" } } }, 200, {
      "mcp-session-id": "s",
    });
  else if (message.method?.startsWith("notifications/")) json(undefined, 202);
  else if (message.method === "GET") json(undefined, 405);
  else return false;
  return true;
}

const legacy = { version: "2025-11-25", timeoutMs: 5000 };
const inputRequired = (id) =>
  text({
    id,
    method: "elicitation/create",
    params: { message: "who?", requestedSchema: { type: "object", properties: {} } },
  });

test("a host's answer that is not JSON returns an error and ends nothing else", async (context) => {
  let finish;
  const { url, seen } = await serve(context, (it) => {
    if (answerHandshake(it)) return undefined;
    if (it.message.method === "tools/call") {
      finish = () => it.response.end(text({ id: it.message.id, result: DONE_RESULT }));
      it.events().write(inputRequired("q"));
      return undefined;
    }
    it.json(undefined, 202);
    finish();
    return undefined;
  });
  const client = mcp(url, { ...legacy, elicitation: { form: () => ({ action: "accept", content: { count: 10n } }) } });
  assert.equal((await client.call("x", {})).value, "done");
  const answer = seen.find(({ id, method }) => id === "q" && method === undefined);
  assert.match(answer.error.message, /no answer.*BigInt/);
});

test("endless requests of a server end at a limit", async (context) => {
  let open = 0;
  let most = 0;
  const { url } = await serve(context, async (it) => {
    if (answerHandshake(it)) return undefined;
    if (it.message.method === "tools/call") {
      it.events().write(Array.from({ length: 5000 }, (_, id) => text({ id: `p${id}`, method: "ping" })).join(""));
      return undefined;
    }
    most = Math.max(most, ++open);
    await new Promise(setImmediate);
    open--;
    it.json(undefined, 202);
    return undefined;
  });
  await assert.rejects(mcp(url, legacy).call("x", {}), {
    code: "tool/bad-reply",
    message: /more than 200 things at once/,
  });
  assert.ok(most <= 8, `${most} at once`);
});

test("a cancelled request of a server is no longer shown", async (context) => {
  let takeBack;
  const { url, seen } = await serve(context, (it) => {
    if (answerHandshake(it)) return undefined;
    it.events().write(inputRequired("q"));
    takeBack = () =>
      it.response.end(
        text({ method: "notifications/cancelled", params: { requestId: "q" } }) +
          text({ id: it.message.id, result: DONE_RESULT }),
      );
    return undefined;
  });
  let aborted = false;
  const form = (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        aborted = true;
        resolve({ action: "accept" });
      });
      takeBack();
    });
  assert.equal((await mcp(url, { ...legacy, elicitation: { form } }).call("x", {})).value, "done");
  assert.ok(aborted);
  assert.ok(!seen.some(({ id, method }) => id === "q" && method === undefined), "no answer is sent");
});

test("an answer is sent again with a new token if the old token expired meanwhile", async (context) => {
  let finish;
  const { url, seen } = await serve(context, (it) => {
    if (answerHandshake(it)) return undefined;
    if (it.message.method === "tools/call") {
      finish = () => it.response.end(text({ id: it.message.id, result: DONE_RESULT }));
      it.events().write(inputRequired("q"));
    } else if (it.request.headers.authorization === "Bearer token-1")
      it.json(undefined, 401, { "www-authenticate": "Bearer" });
    else {
      it.json(undefined, 202);
      finish();
    }
    return undefined;
  });
  let token = "token-1";
  const auth = { token: () => token, challenged: async () => ((token = "token-2"), true) };
  const client = mcp(url, { ...legacy, auth, elicitation: { form: () => ({ action: "decline" }) } });
  assert.equal((await client.call("x", {})).value, "done");
  assert.deepEqual(
    seen.filter(({ id, method }) => id === "q" && method === undefined).map(({ authorization }) => authorization),
    ["Bearer token-1", "Bearer token-2"],
  );
});

test("a list that changed during its transfer is not cached", async (context) => {
  let told;
  const heard = new Promise((resolve) => (told = resolve));
  let begin;
  const listening = new Promise((resolve) => (begin = resolve));
  let lists = 0;
  const { url } = await serve(context, async (it) => {
    const { method } = it.message;
    if (method === "server/discover")
      return { supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } };
    if (method === "subscriptions/listen") {
      it.events().flushHeaders();
      begin(() => it.response.write(text({ method: "notifications/tools/list_changed" })));
      return undefined;
    }
    const name = `v${++lists}`;
    if (lists === 1) {
      (await listening)();
      await heard;
    }
    return { tools: [{ name, inputSchema: { type: "object" } }], ttlMs: 3_600_000 };
  });
  const client = mcp(url, { timeoutMs: 5000 });
  const stop = new AbortController();
  const over = client.watch(() => told(), { signal: stop.signal });
  await listening;
  const names = async () => (await client.list()).map(({ name }) => name);
  assert.deepEqual([await names(), await names(), await names()], [["v1"], ["v2"], ["v2"]]);
  stop.abort();
  await over;
});

test("a private result is not shown to another user, and an action is not cached", async (context) => {
  const { url, seen } = await serve(context, ({ message: { method }, request }) => {
    if (method === "server/discover")
      return {
        supportedVersions: ["2026-07-28"],
        capabilities: {},
        instructions: `for ${request.headers.authorization}`,
      };
    return { ...DONE_RESULT, tools: [], ttlMs: 3_600_000 };
  });
  const [ana, again, bo] = ["ana-token", "ana-token", "bo-token"].map((key) => mcp(url, { key }));
  const said = [];
  for (const client of [ana, again, bo]) {
    await client.list();
    said.push(client.about().instructions);
  }
  assert.deepEqual(said, ["for Bearer ana-token", "for Bearer ana-token", null]);
  for (const params of [{ name: "send" }, { name: "send" }]) await ana.request("tools/call", params);
  assert.equal(seen.filter(({ method }) => method === "tools/call").length, 2);
});

test("the longest that an operation may take may be less than the longest silence", {
  timeout: 30_000,
}, async (context) => {
  const { url } = await serve(context, () => undefined);
  await assert.rejects(mcp(url, { timeoutMs: 60_000, maxTimeoutMs: 50 }).list(), { code: "tool/timeout" });
});
