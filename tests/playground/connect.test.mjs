// Tests the page's connections: servers by address, models by provider, stored ones, and a plan's requirements.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { PlanGraph, run } from "../../dist/node.js";
import { faults, KEY, startFaultServer } from "../servers/faults.mjs";
import { fastmcp } from "../servers/servers.mjs";
import { load } from "./scripts.mjs";

const { Connections } = await load("connect/connections.ts");
const { requirementsOf } = await load("connect/requirements.ts");

/** A full one refuses writes. */
function fakeStorage({ full = false } = {}) {
  const kept = new Map();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      if (full) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
  };
}

const connect = (setting = {}) => new Connections({ storage: null, lang: () => "en", pace: 0, ...setting });

test("a real server is connected, its tools are listed, and a plan runs on them", async (context) => {
  const server = await fastmcp();
  context.after(server.stop);
  const connections = connect();
  await connections.start();
  const row = await connections.add({ url: server.url, name: "shop" });
  assert.deepEqual([row.state, row.finding, row.name], ["ready", null, "shop"]);
  assert.ok(row.tools.length > 3 && row.about.includes("2026-07-28"), row.about);
  assert.ok(connections.tools().some(({ server: of, name }) => of === "shop" && name === "greet"));
  const { graph } = PlanGraph.parse("nodes: {a: {type: tool, tool: greet, input: {name: Ada}}}");
  const report = await run(graph, await connections.toolsAndModels());
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  await connections.remove("shop");
  assert.ok(!connections.tools().some(({ server: of }) => of === "shop"));
});

for (const name of ["wants a key", "a page of the web", "another path", "broken", "down", "wants a token"]) {
  test(`a server that can't be used shows the reason: ${name}`, async (context) => {
    const server = await startFaultServer(faults[name]);
    context.after(server.stop);
    const row = await connect().add({ url: server.url });
    assert.equal(row.state, "failed");
    assert.equal(row.finding.code, `connect/${faults[name].elsewhere[0]}`);
    assert.ok(row.finding.help.length > 3 && row.finding.evidence.length > 0, row.finding.help);
  });
}

test("a server removed while connecting is not listed when it answers", async (context) => {
  const server = await startFaultServer(faults["never answers"]);
  context.after(server.stop);
  const connections = connect();
  const adding = connections.add({ url: server.url, name: "slow" });
  await connections.remove("slow");
  await server.stop();
  await adding;
  assert.deepEqual(connections.view().servers, []);
});

test("servers keep their own names, which are unique", async () => {
  const connections = connect();
  const closed = "http://127.0.0.1:9/mcp";
  const names = [];
  for (const name of [undefined, undefined, "demo"])
    names.push((await connections.add({ url: closed, ...(name && { name }) })).name);
  assert.deepEqual(names, ["local", "local-2", "demo-2"]);
});

test("keys are saved only on request and shown nowhere", async () => {
  const storage = fakeStorage();
  const connections = connect({ storage: storage });
  await Promise.all([
    connections.add({ url: "http://a:secret-0@127.0.0.1:9/mcp", name: "a", key: "secret-1" }),
    connections.add({ url: "http://127.0.0.1:9/mcp", name: "b", key: "secret-2", keepKey: true }),
  ]);
  connections.setModel({ name: "default", provider: "anthropic", model: "claude", key: "secret-3" });
  connections.setModel({ name: "small", provider: "openai", model: "tiny", key: "secret-4", keepKey: true });
  const text = [...storage.kept.values()].join();
  for (const [key, kept] of [
    ["secret-0", false],
    ["secret-1", false],
    ["secret-2", true],
    ["secret-3", false],
    ["secret-4", true],
  ])
    assert.equal(text.includes(key), kept, key);
  assert.ok(!/secret-[1-4]/.test(JSON.stringify(connections.view())));
  const again = connect({ storage: storage }).view();
  assert.deepEqual(
    again.servers.map(({ name, hasKey }) => [name, hasKey]),
    [
      ["a", false],
      ["b", true],
    ],
  );
  assert.deepEqual(
    again.models.map(({ name, provider, hasKey }) => [name, provider, hasKey]),
    [
      ["default", "anthropic", false],
      ["small", "openai", true],
    ],
  );
});

test("denied, full or foreign storage loses only the saved settings", async () => {
  const full = connect({ storage: fakeStorage({ full: true }) });
  full.setModel({ name: "default", provider: "gemini", model: "flash" });
  assert.equal(full.view().isSaved, false);
  assert.equal(full.view().models[0].provider, "gemini");
  for (const text of ["", "{", "null", "[]", '{"servers": [{"name": 1}, null], "models": 7}']) {
    const odd = fakeStorage();
    odd.kept.set("stepgraph connections", text);
    assert.deepEqual(connect({ storage: odd }).view().servers, [], text);
  }
});

test("a model test asks for one word, and its errors do not contain the key", async (context) => {
  const server = createServer((_, response) =>
    response.writeHead(401, { "content-type": "application/json" }).end('{"error": {"message": "no such key"}}'),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const connections = connect();
  const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
  for (const provider of ["openai", "openai-responses", "anthropic", "gemini"]) {
    connections.setModel({ name: "default", provider, model: "m", baseUrl, key: KEY });
    const problem = await connections.probe("default");
    assert.ok(problem.includes("model/") && !problem.includes(KEY), problem);
    assert.equal(connections.view().models[0].problem, problem);
  }
  connections.removeModel("default");
  assert.equal(await connections.probe("default"), null, "the demonstration answers");
});

test("without the demonstration the page offers only connected tools", async () => {
  const connections = connect();
  await connections.start();
  assert.ok(connections.tools().length > 10);
  connections.useDemo(false);
  assert.deepEqual(
    [connections.tools(), connections.modelNames(), await connections.toolsAndModels()],
    [[], [], { tools: [], models: {} }],
  );
});

test("each change notifies the listeners, and removed listeners receive nothing", async () => {
  const connections = connect();
  let heard = 0;
  const stop = connections.subscribe(() => heard++);
  connections.useDemo(false);
  stop();
  connections.useDemo(true);
  assert.equal(heard, 1);
});

test("the requirements of a plan are listed next to the available tools", async () => {
  const connections = connect();
  await connections.start();
  const plan = `
servers: {shop: {url: "https://shop.example/mcp"}}
nodes:
  a: {type: tool, tool: refund_order, input: {order_id: A-1003}}
  b: {type: tool, tool: paint, input: {}}
  c: {type: llm, input: hi, with: {model: large}}
  d: {type: approve}
  e: {type: juggle}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}, {from: d, to: e}]
`;
  const found = await requirementsOf(plan, connections);
  assert.deepEqual(
    found.tools.map(({ name, server, effect }) => [name, server, effect]),
    [
      ["refund_order", "demo", "destroys"],
      ["paint", null, "unknown"],
    ],
  );
  assert.deepEqual(
    [found.people, found.models, found.servers, found.any],
    [
      ["d"],
      [{ name: "large", isConnected: false, hasStub: false }],
      [{ name: "shop", url: "https://shop.example/mcp", isConnected: false, hasStub: false }],
      false,
    ],
  );
  assert.deepEqual(found.missing, ["paint", "large", "juggle"]);
  assert.equal((await requirementsOf("nodes: {a: {type: gather}}", connections)).any, true);
  assert.equal(await requirementsOf("nodes: [", connections), null);
});

test("a tool that is stubbed everywhere is not missing", async () => {
  const connections = connect();
  await connections.start();
  const plan = `
servers: {shop: {url: "https://shop.example/mcp"}}
nodes:
  a: {type: tool, tool: paint, input: {}}
  b: {type: tool, tool: paint, input: {}, id: second}
  c: {type: llm, input: hi, with: {model: large}}
  e: {type: juggle}
  f: {type: parallel, branches: {one: {nodes: {a2: {type: tool, tool: refund_order, input: {}, id: paid}}}}}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: e}, {from: e, to: f}]
`;
  const namesWithStub = (needed) =>
    [
      ...needed.tools.map(({ name, hasStub }) => [name, hasStub]),
      ...needed.models.map(({ name, hasStub }) => [name, hasStub]),
      ...needed.handlers.map(({ type, hasStub }) => [type, hasStub]),
    ]
      .filter(([, hasStub]) => hasStub)
      .map(([name]) => name);
  for (const [stubs, stood, missing] of [
    ["", [], ["paint", "large", "juggle"]],
    ["tools: {paint: echo}", ["paint"], ["large", "juggle"]],
    ["nodes: {a: {return: 1}} # one of two", [], ["paint", "large", "juggle"]],
    ["nodes: {a: {return: 1}, second: {return: 2}}", ["paint"], ["large", "juggle"]],
    ["nodes: {a: {return: 1}, b: {return: 2}, c: {return: x}}", ["paint", "large"], ["juggle"]],
    ["types: {tool: echo}", ["paint", "refund_order"], ["large", "juggle"]],
    ["types: {juggle: echo, llm: echo}", ["large", "juggle"], ["paint"]],
    ["models: {large: echo}", ["large"], ["paint", "juggle"]],
    ["models: {default: echo}", ["large"], ["paint", "juggle"]],
    ["models: {small: echo}", [], ["paint", "large", "juggle"]],
    ["nodes: {f/one/a2: {return: 1}}", ["refund_order"], ["paint", "large", "juggle"]],
    ["nodes: {paid: {return: 1}}", ["refund_order"], ["paint", "large", "juggle"]],
    ["nodes: [", [], ["paint", "large", "juggle"]],
    ["- a", [], ["paint", "large", "juggle"]],
    ["tools:", [], ["paint", "large", "juggle"]],
  ]) {
    const found = await requirementsOf(plan, connections, stubs);
    assert.deepEqual([namesWithStub(found), found.missing], [stood, missing], stubs);
    assert.equal(found.servers[0].hasStub, stood.includes("paint"), stubs);
  }
  const free = "nodes: {a: {type: gather}}";
  assert.deepEqual(
    [
      (await requirementsOf(free, connections, "nodes: {a: {return: 1}}")).any,
      (await requirementsOf(free, connections, "tools: {x: echo}")).any,
    ],
    [false, true],
  );
});
