// Tests protocol features beyond calls against real servers of both eras.

import assert from "node:assert/strict";
import { createServer, request as httpRequest } from "node:http";
import { test } from "node:test";
import { CallError, mcp, PlanGraph, run } from "../../dist/node.js";
import * as servers from "../servers/servers.mjs";

function group(name, start, tests) {
  test(name, async (context) => {
    const server = await start();
    context.after(() => server.stop());
    await tests(server, (title, check) => context.test(title, check));
  });
}

async function fails(promise, code, message = /./) {
  const error = await promise.then(
    (value) => assert.fail(`no error but ${JSON.stringify(value)}`),
    (error) => error,
  );
  assert.ok(error instanceof CallError, `${error.stack}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
}

function createRecordingClient(context, url, options = {}) {
  const sent = [];
  const client = mcp(url, {
    ...options,
    fetch(url, init) {
      const body = init.body ? JSON.parse(init.body) : {};
      sent.push({ http: init.method, ...body, headers: new Headers(init.headers) });
      return (options.fetch ?? fetch)(url, init);
    },
  });
  context.after(() => client.close());
  return { client, sent, methods: () => sent.map(({ http, method, result }) => method ?? (result ? "answer" : http)) };
}

const userAnswers = {
  elicitation: { form: () => ({ action: "accept", content: { milk: true } }) },
  sampling: () => ({ role: "assistant", content: { type: "text", text: "Ada" }, model: "none" }),
  roots: [{ uri: "file:///shop" }],
};

group("a server of 2026-07-28 made with the official library", servers.modern, async ({ url }, check) => {
  await check(
    "the client answers input requests in rounds and returns the server's state unchanged",
    async (context) => {
      const { client, sent } = createRecordingClient(context, url, userAnswers);
      const { value } = await client.call("order", { item: "tea" });
      assert.equal(value, 'tea for Ada at file:///shop: second {"size":"small","milk":true} after first é \\ state');
      const calls = sent.filter(({ method }) => method === "tools/call");
      assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
      assert.deepEqual(
        calls.map(({ params }) => Object.keys(params.inputResponses ?? {})),
        [[], ["size"], ["name", "roots"]],
      );
      assert.deepEqual(calls[0].params._meta["io.modelcontextprotocol/clientCapabilities"], {
        elicitation: { form: {} },
        sampling: {},
        roots: {},
      });
    },
  );
  await check("the server receives the user's answer to an elicitation", async (context) => {
    const declined = { ...userAnswers, elicitation: { form: async () => ({ action: "decline" }) } };
    assert.equal(
      (await createRecordingClient(context, url, declined).client.call("order", { item: "tea" })).value,
      "nothing ordered",
    );
    const failing = { ...userAnswers, elicitation: { form: () => Promise.reject(new Error("nobody is here")) } };
    await fails(
      createRecordingClient(context, url, failing).client.call("order", {}),
      "mcp/input-required",
      /nobody is here/,
    );
  });
  await check("an input request without a handler fails the call", async (context) => {
    const { client } = createRecordingClient(context, url);
    // The library refuses to ask a client that has not declared the capability.
    await fails(client.call("order", { item: "tea" }), "mcp/missing-capability", /elicitation/);
    const plan = PlanGraph.parse("nodes: {order: {type: tool, tool: order, input: {item: tea}}}").graph;
    const { outcome } = await run(plan, { tools: [client] });
    assert.deepEqual([outcome.type, outcome.code, outcome.node], ["failed", "mcp/missing-capability", "order"]);
  });
  await check("the client abandons endless input requests", async (context) => {
    const { client, sent } = createRecordingClient(context, url, userAnswers);
    await fails(client.call("endless", {}), "mcp/input-required", /again and again/);
    assert.equal(sent.filter(({ method }) => method === "tools/call").length, 11);
  });
  await check("an aborted call cancels its open question", async (context) => {
    const controller = new AbortController();
    const asked = deferred();
    const form = (question, signal) => {
      signal.addEventListener("abort", () => asked.resolve(question.message));
      controller.abort(new Error("enough"));
      return new Promise(() => {});
    };
    const { client } = createRecordingClient(context, url, { ...userAnswers, elicitation: { form } });
    await assert.rejects(client.call("order", { item: "tea" }, { signal: controller.signal }), /enough/);
    assert.equal(await asked.promise, "How large a tea?");
  });
  await check("reports progress", async (context) => {
    const heard = [];
    const { client } = createRecordingClient(context, url);
    const { value } = await client.call("count", { to: 3 }, { onProgress: (progress) => heard.push(progress) });
    assert.equal(value, "counted to 3");
    assert.deepEqual(
      heard,
      [1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })),
    );
  });
  await check("a listener that fails fails the call, with its own error", async (context) => {
    const { client } = createRecordingClient(context, url);
    const onProgress = () => {
      throw new RangeError("too far");
    };
    await assert.rejects(client.call("count", { to: 3 }, { onProgress }), new RangeError("too far"));
    assert.equal((await client.call("count", { to: 1 })).value, "counted to 1");
  });
  await check("the server learns of a cancellation by the end of the stream", async (context) => {
    const { client, methods } = createRecordingClient(context, url);
    const controller = new AbortController();
    const waiting = client.call("wait", { name: "cut" }, { signal: controller.signal });
    while (!methods().includes("tools/call")) await new Promise(setImmediate);
    await client.call("count", { to: 0 });
    controller.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    let cancelled = [];
    while (!cancelled.includes("cut")) cancelled = (await client.call("seen", {})).value.cancelled;
    assert.ok(!methods().includes("notifications/cancelled"));
  });
  await check("the client reads resources and prompts", async (context) => {
    const { client, sent } = createRecordingClient(context, url);
    const { resources } = await client.request("resources/list", {}, { pages: true });
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ["shop://menu"],
    );
    const read = await client.request("resources/read", { uri: "shop://menu" });
    assert.equal(read.contents[0].text, "tea, coffee");
    const prompt = await client.request("prompts/get", { name: "greet", arguments: { name: "Ada" } });
    assert.equal(prompt.messages[0].content.text, "Greet Ada.");
    assert.deepEqual(
      sent.slice(-2).map(({ headers }) => headers.get("mcp-name")),
      ["shop://menu", "greet"],
    );
    await fails(client.request("no/such-method"), "mcp/protocol", /-32601/);
    await fails(client.request("resources/read", { uri: "shop://nothing" }), "tool/invalid-arguments");
  });
  await check("the client caches lists until the server reports a change", async (context) => {
    const { client, methods } = createRecordingClient(context, url);
    const count = (name) => methods().filter((method) => method === name).length;
    const first = await client.list();
    first.pop();
    assert.equal((await client.list()).length, first.length + 1, "what was kept is nobody's to change");
    assert.equal(count("tools/list"), 1);
    for (let i = 0; i < 2; i++) await client.request("resources/read", { uri: "shop://menu" });
    assert.equal(count("resources/read"), 1);
    await client.request("resources/read", { uri: "shop://menu" }, { fresh: true });
    assert.equal(count("resources/read"), 2);
    const heard = new Set();
    const enough = new AbortController();
    const watching = client.watch(({ what, uri }) => heard.add(`${what} ${uri}`), {
      signal: enough.signal,
      resources: ["shop://menu"],
    });
    // Only a notification shows that the stream is open, so announce repeatedly.
    for (let i = 0; !(heard.has("tools undefined") && heard.has("resource shop://menu")); i++)
      await client.call("announce", { name: `more-${i}` });
    assert.ok((await client.list()).some(({ name }) => name === "more-0"));
    assert.equal(count("tools/list"), 2);
    await client.request("resources/read", { uri: "shop://menu" });
    assert.equal(count("resources/read"), 3);
    enough.abort();
    await watching;
    const again = client.watch(() => {});
    await client.close();
    await again;
  });
  await check("the client sends arguments in the headers that the tool declares", async (context) => {
    const { client, sent } = createRecordingClient(context, url);
    // The client has listed no tools. It learns about the header from the refusal.
    assert.equal((await client.call("map", { city: "Zürich" })).value, "Zürich");
    assert.equal(sent.at(-1).headers.get("mcp-param-city"), "=?base64?WsO8cmljaA==?=");
  });
  await check("the client reads the server's name and version", async (context) => {
    const { client } = createRecordingClient(context, url);
    assert.equal(client.about().version, null);
    await client.list();
    const { version, server, instructions, capabilities } = client.about();
    assert.deepEqual(
      [version, server.name, instructions, capabilities.tools.listChanged],
      ["2026-07-28", "modern", "ask kindly", true],
    );
  });
  await check("the client lists tools without a separate discovery", async (context) => {
    const { client, methods } = createRecordingClient(context, url);
    await client.list();
    assert.deepEqual(methods(), ["tools/list"]);
    const pinned = createRecordingClient(context, url, { version: "2025-06-18" });
    await pinned.client.list();
    assert.deepEqual(pinned.methods(), ["initialize", "notifications/initialized", "tools/list"]);
    assert.throws(() => mcp(url, { version: "2020-01-01" }), { code: "api/unknown-version" });
  });
  await check("the client uses the older era if a page may not send the headers of the newer one", async (context) => {
    // A page has a location.
    globalThis.location = new URL("http://127.0.0.1/");
    context.after(() => delete globalThis.location);
    const blocked = (url, init) =>
      new Headers(init.headers).has("mcp-name") ? Promise.reject(new TypeError("Failed to fetch")) : fetch(url, init);
    const { client, methods } = createRecordingClient(context, url, { fetch: blocked });
    await client.list();
    assert.equal((await client.call("map", { city: "Lima" })).value, "Lima");
    assert.equal(client.about().version, "2025-11-25");
    assert.deepEqual(methods().slice(-5), [
      "tools/call",
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/call",
    ]);
  });
});

function deferred() {
  const result = {};
  result.promise = new Promise((resolve) => (result.resolve = resolve));
  return result;
}

group("server-everything (2025-11-25)", servers.everything, async ({ url }, check) => {
  await check("the server elicits an answer from the user during a call", async (context) => {
    const questions = [];
    const form = (question) => (questions.push(question), { action: "accept", content: { name: "Ada" } });
    const { client, methods, sent } = createRecordingClient(context, url, { elicitation: { form } });
    const tools = await client.list();
    assert.ok(tools.some(({ name }) => name === "trigger-elicitation-request"));
    const { value } = await client.call("trigger-elicitation-request", {});
    assert.match(JSON.stringify(value), /Ada/);
    assert.equal(questions.length, 1);
    assert.equal(typeof questions[0].requestedSchema.properties.name, "object");
    assert.ok(methods().includes("answer") && methods().includes("GET"));
    assert.deepEqual(sent.find(({ method }) => method === "initialize").params.capabilities, {
      elicitation: { form: {} },
    });
  });
  await check("the server requests sampling and roots", async (context) => {
    const sampling = ({ messages }) => ({
      role: "assistant",
      content: { type: "text", text: `heard ${messages.length}` },
      model: "none",
    });
    const { client } = createRecordingClient(context, url, {
      sampling,
      roots: async () => [{ uri: "file:///shop", name: "shop" }],
    });
    assert.match(
      JSON.stringify((await client.call("trigger-sampling-request", { prompt: "hi", maxTokens: 5 })).value),
      /heard 1/,
    );
    assert.match(JSON.stringify((await client.call("get-roots-list", {})).value), /file:\/\/\/shop/);
  });
  await check("the server receives an error if there is no answer", async (context) => {
    const { client } = createRecordingClient(context, url, {
      sampling: () => Promise.reject(new Error("no model at hand")),
    });
    await fails(
      client.call("trigger-sampling-request", { prompt: "hi", maxTokens: 5 }).then(({ message }) => {
        throw new CallError("tool/failed", message);
      }),
      "tool/failed",
      /no model at hand/,
    );
  });
  await check("the client advertises no capabilities without callbacks", async (context) => {
    const { client, methods } = createRecordingClient(context, url);
    assert.ok(!(await client.list()).some(({ name }) => name.startsWith("trigger-elicitation")));
    assert.ok(!methods().includes("GET"));
  });
  await check("the server reports progress, and each report extends the timeout", async (context) => {
    const heard = [];
    const { client } = createRecordingClient(context, url, { timeoutMs: 3000 });
    const { value } = await client.call(
      "trigger-long-running-operation",
      { duration: 4.5, steps: 3 },
      { onProgress: (p) => heard.push(p) },
    );
    assert.match(value, /completed/i);
    assert.deepEqual(
      heard.map(({ progress, total }) => [progress, total]),
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
    );
    const bounded = createRecordingClient(context, url, { timeoutMs: 1500, maxTimeoutMs: 2000 });
    await fails(bounded.client.call("trigger-long-running-operation", { duration: 20, steps: 100 }), "tool/timeout");
    assert.ok(
      bounded.methods().includes("notifications/cancelled"),
      "the server is told that the operation was abandoned",
    );
  });
  await check("the client reports a cancellation by a notification", async (context) => {
    const { client, sent } = createRecordingClient(context, url);
    const controller = new AbortController();
    const heard = deferred();
    const call = client.call(
      "trigger-long-running-operation",
      { duration: 30, steps: 300 },
      { signal: controller.signal, onProgress: heard.resolve },
    );
    await heard.promise;
    controller.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    const { id } = sent.find(({ method }) => method === "tools/call");
    const told = sent.find(({ method }) => method === "notifications/cancelled");
    assert.deepEqual(told.params, { requestId: id, reason: "the operation was abandoned" });
    assert.equal((await client.call("echo", { message: "c" })).value, "Echo: c");
  });
  await check("the server reports changes on its own stream", async (context) => {
    const { client, methods } = createRecordingClient(context, url);
    const changes = [];
    const enough = new AbortController();
    const watching = client.watch((change) => changes.push(change), { signal: enough.signal });
    while (!methods().includes("GET")) await new Promise(setImmediate);
    await client.request("resources/subscribe", { uri: "demo://resource/dynamic/text/1" });
    await client.call("toggle-subscriber-updates", {});
    while (!changes.some(({ what }) => what === "resource")) await new Promise(setImmediate);
    enough.abort();
    await watching;
    assert.ok((await client.call("echo", { message: "still" })).value.includes("still"));
  });
  await check("the client ends the session with DELETE", async (context) => {
    const { client, methods, sent } = createRecordingClient(context, url);
    await client.list();
    await client.close();
    assert.deepEqual([methods().at(-1), sent.at(-1).headers.get("mcp-session-id") !== null], ["DELETE", true]);
  });
  await check("the client resumes a broken stream after the last event", async (context) => {
    const cuts = [];
    const proxy = await startCuttingProxy(url, cuts);
    context.after(proxy.stop);
    const { client, methods, sent } = createRecordingClient(context, proxy.url);
    await client.call("echo", { message: "a" });
    cuts.push("tools/call");
    const { value } = await client.call("trigger-long-running-operation", { duration: 0.6, steps: 3 });
    assert.match(value, /completed/i);
    assert.equal(methods().filter((method) => method === "tools/call").length, 2, "the call was not made again");
    const resumed = sent.find(({ http }) => http === "GET");
    assert.ok(resumed.headers.get("last-event-id").length > 0);
  });
});

async function startCuttingProxy(target, cuts) {
  const { origin, pathname } = new URL(target);
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const { host, ...headers } = request.headers;
    const at = cuts.indexOf(body.length > 0 ? JSON.parse(body).method : "");
    if (at >= 0) cuts.splice(at, 1);
    const onward = httpRequest(`${origin}${pathname}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers).flushHeaders();
      answer.on("error", () => response.destroy());
      answer.on("data", (part) => {
        response.write(part);
        if (at >= 0 && part.includes("notifications/progress")) response.end(() => answer.destroy());
      });
      answer.on("end", () => response.end());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    onward.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${server.address().port}${pathname}`, stop };
}

group("supergateway, which passes on what it does not know", servers.supergateway, async ({ url }, check) => {
  await check("the client recognizes a server of the older era", async (context) => {
    const { client, sent } = createRecordingClient(context, url);
    const { value } = await client.call("create_entities", {
      entities: [{ name: "Ada", entityType: "person", observations: ["likes tea"] }],
    });
    assert.equal(value.entities[0].name, "Ada");
    assert.equal(client.about().version, "2025-11-25");
    assert.equal(sent.filter(({ method }) => method === "server/discover").length, 1);
  });
  await check("the client opens a new session after the server dropped the old one", async (context) => {
    const { client, sent } = createRecordingClient(context, url);
    await client.list();
    const session = sent.at(-1).headers.get("mcp-session-id");
    await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } });
    assert.match(JSON.stringify((await client.call("read_graph", {})).value), /entities/);
    assert.notEqual(sent.at(-1).headers.get("mcp-session-id"), session);
  });
});

group("mcp-proxy", servers.proxy, async ({ url }, check) => {
  for (const version of ["2026-07-28", "2025-11-25"]) {
    await check(`the client uses revision ${version}`, async (context) => {
      const { client } = createRecordingClient(context, url, { version });
      await client.call("create_entities", {
        entities: [{ name: `of ${version}`, entityType: "year", observations: [] }],
      });
      const { value } = await client.call("search_nodes", { query: version });
      assert.equal(value.entities[0].name, `of ${version}`);
    });
  }
  await check("the client opens a new session after the server dropped the old one", async (context) => {
    const { client, sent } = createRecordingClient(context, url, { version: "2025-11-25" });
    await client.list();
    const session = sent.at(-1).headers.get("mcp-session-id");
    await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } });
    assert.match(JSON.stringify((await client.call("read_graph", {})).value), /entities/);
    assert.notEqual(sent.at(-1).headers.get("mcp-session-id"), session);
  });
});
