// Tests tool servers on the command line: several servers, their keys and headers, equal tool names, retries, and
// lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connections, displayUrl, parseServerArgument } from "../../dist/cli/connections.js";
import { findCommand, readArguments } from "../../dist/cli/options.js";
import { parameters, renderTool } from "../../dist/cli/tool-signature.js";
import { variable } from "../../dist/cli/server-keys.js";
import { plain } from "../../dist/terminal/style.js";
import { json, modern, serve, withTools } from "../servers/serve.mjs";
import { file, stepgraph } from "./stepgraph.mjs";

const io = { out: { write() {} }, err: { write() {} }, env: {} };

const resolveServers = (words, flags = [], env = {}, plan = null) =>
  connections(words, readArguments(findCommand("run"), ["p.yaml", ...flags]), { ...io, env }, plan);

test("a server is an address, an address with a name, or a name", () => {
  for (const [word, name, url, program = null] of [
    ["http://127.0.0.1:1/mcp", null, "http://127.0.0.1:1/mcp"],
    ["http://h/mcp?a=b", null, "http://h/mcp?a=b"],
    ["shop=http://h/mcp?a=b", "shop", "http://h/mcp?a=b"],
    ["my-shop.2=https://h", "my-shop.2", "https://h"],
    ["shop", "shop", null],
    ["stdio:npx -y a", "npx", null, { command: "npx", args: ["-y", "a"] }],
    ["m=stdio:/x/y z", "m", null, { command: "/x/y", args: ["z"] }],
    [`m=stdio:'a b' "c \\"d\\\\" e\\ f g"h"'i'`, "m", null, { command: "a b", args: ['c "d\\', "e f", "ghi"] }],
  ])
    assert.deepEqual(parseServerArgument(word), { name, url, program }, word);
  assert.deepEqual(["shop", "my-shop.2", "127.0.0.1:3001"].map(variable), [
    "STEPGRAPH_SERVER_KEY_SHOP",
    "STEPGRAPH_SERVER_KEY_MY_SHOP_2",
    "STEPGRAPH_SERVER_KEY_127_0_0_1_3001",
  ]);
  assert.deepEqual(["http://me:k@h:1/mcp?key=k#k", "https://h/"].map(displayUrl), ["http://h:1/mcp", "https://h"]);
  assert.deepEqual(
    resolveServers(["http://h/a", "b=http://h/b"]).map(({ name }) => name),
    ["h", "b"],
  );
});

test("usage errors name the correction and never repeat a possible key", () => {
  const plan = { toJSON: () => ({ servers: { weather: { url: "http://h/w" }, docs: { url: "http://h/d" } } }) };
  for (const [work, message, help] of [
    [() => resolveServers(["ftp://h"]), /the server: `ftp:\/\/h` is not an address/, /http:/],
    [() => resolveServers(["shop=h"]), /the server `shop`: `h` is not an address/, /http:/],
    [() => resolveServers(["shop"]), /`shop` is not an address/, /http:/],
    [() => resolveServers(["wether"], [], {}, plan), /the plan names no server `wether`/, /did you mean `weather`\?/],
    [
      () => resolveServers(["zzz"], [], {}, plan),
      /the plan names no server `zzz`/,
      /`--server zzz=http.*one of `weather`, `docs`/,
    ],
    [() => resolveServers(["http://h/a", "http://h/b"]), /two servers are called `h`/, /--server one=URL/],
    [
      () => resolveServers(["a-b=http://h/a", "a_b=http://h/b"]),
      /would receive the same key/,
      /STEPGRAPH_SERVER_KEY_A_B/,
    ],
    [
      () => resolveServers(["shop=http://h/a"], ["--header", "shp=X: y"]),
      /for `shp`, and no server has that name/,
      /did you mean `shop`\?/,
    ],
    [
      () => resolveServers(["a=http://h/a", "b=http://h/b"], ["--header", "Authorization: Bearer marker"]),
      /`Authorization` would be sent to all 2 servers/,
      /--header 'a=Authorization: \.\.\.'/,
    ],
    [() => resolveServers(["a=http://h/a"], ["--retries", "many"]), /`--retries many`/, /whole number/],
    [() => resolveServers(["me:marker@h"]), /is not an address/, /http:/],
    [() => resolveServers(["ftp://me:marker@h?k=marker"]), /`ftp:\/\/h\?…` is not an address/, /http:/],
  ]) {
    assert.throws(work, (error) => {
      assert.equal(error.constructor.name, "UsageError", error.stack);
      assert.match(error.message, message);
      assert.match(error.help, help);
      assert.ok(
        message.source.startsWith("is not") || !`${error.message}${error.help}`.includes("marker"),
        error.message,
      );
      return true;
    });
  }
});

/** They share one tool name, have one tool of their own, and name themselves in answers. */
async function two(context) {
  const answer =
    (who) =>
    ({ body, response }) =>
      json(response, 200, {
        jsonrpc: "2.0",
        id: body.id,
        result: { resultType: "complete", content: [{ type: "text", text: `${who}: ${body.params.name}` }] },
      });
  const [shop, docs] = await Promise.all([
    withTools(["search", "pay"], answer("shop")),
    withTools(["search", "read"], answer("docs")),
  ]);
  context.after(() => Promise.all([shop.stop(), docs.stop()]));
  return { shop, docs };
}

const twoServers = file(
  "both.yaml",
  `
nodes:
  a: {type: tool, tool: shop.search, input: {}}
  b: {type: tool, tool: docs.search, input: {}}
  c: {type: tool, tool: pay, input: {}}
  d: {type: log, input: ["\${output.a}", "\${output.b}", "\${output.c}"]}
edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: d}]
`,
);

test("each server gets its own key and headers, and a shared tool name gets its server's prefix", async (context) => {
  const { shop, docs } = await two(context);
  const args = [
    "--server",
    `shop=${shop.url}`,
    "--server",
    `docs=${docs.url}`,
    "--header",
    "X-Team: blue",
    "--header",
    "docs=X-Api-Key: for-docs",
  ];
  const env = { STEPGRAPH_SERVER_KEY_SHOP: "for-shop", STEPGRAPH_SERVER_KEY: "for-nobody" };
  const ran = await stepgraph(["run", twoServers, "--json", ...args], { env });
  assert.equal(ran.code, 0, ran.out);
  assert.deepEqual(JSON.parse(ran.out).last, ["shop: search", "docs: search", "shop: pay"]);
  for (const { headers } of shop.requests)
    assert.deepEqual(
      [headers.authorization, headers["x-api-key"], headers["x-team"]],
      ["Bearer for-shop", undefined, "blue"],
    );
  for (const { headers } of docs.requests)
    assert.deepEqual([headers.authorization, headers["x-api-key"], headers["x-team"]], [undefined, "for-docs", "blue"]);
  const listed = await stepgraph(["tools", `shop=${shop.url}`, `docs=${docs.url}`]);
  assert.match(
    listed.out,
    /^shop {2}http.*: 2 tools\n\nshop\.search\(\)\n\npay\(\)\n\ndocs {2}http.*: 2 tools\n\ndocs\.search\(\)\n\nread\(\)\n/,
  );
  const vague = file("vague.yaml", "nodes: {a: {type: tool, tool: search}}");
  const refused = await stepgraph(["run", vague, ...args], { env });
  assert.equal(refused.code, 2);
  assert.match(refused.err, /`search`[^]*(shop|docs)\.search/);
});

test("tools lists an unavailable tool with the reason, and check reports plans that use it", async (context) => {
  const listed = [
    { name: "slow", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
    { name: "odd", inputSchema: { properties: { city: { type: "string", "x-mcp-header": "a b" } } } },
    { name: "quick", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } },
  ];
  const shop = await modern(({ body, response }) => {
    const content = [{ type: "text", text: `ran ${body.params?.name}` }];
    const result = body.method === "tools/list" ? { tools: listed } : { content };
    json(response, 200, { jsonrpc: "2.0", id: body.id, result: { resultType: "complete", ...result } });
  });
  context.after(() => shop.stop());
  const { out } = await stepgraph(["tools", shop.url]);
  assert.match(out, /slow\(\)\n {4}can't be called \(graph\/unavailable-tool\): it runs only as a task of MCP/);
  assert.match(out, /odd\(city\?: string\)\n {4}can't be called \(graph\/unavailable-tool\): .*x-mcp-header/);
  assert.match(out, /quick\(\)\n\n/);
  const { servers } = JSON.parse((await stepgraph(["tools", shop.url, "--json"])).out);
  assert.deepEqual(
    servers[0].tools.map(({ name, unavailable }) => [name, typeof unavailable]),
    [
      ["slow", "string"],
      ["odd", "string"],
      ["quick", "undefined"],
    ],
  );
  const plan = (tool) => file(`${tool}.yaml`, `nodes: {a: {type: tool, tool: ${tool}, input: {}}}`);
  for (const tool of ["slow", "odd"]) {
    for (const command of ["check", "run"]) {
      const from = shop.requests.length;
      const { code, out, err } = await stepgraph([command, plan(tool), "--server", shop.url]);
      assert.notEqual(code, 0, `${command} ${tool}`);
      assert.match(out + err, new RegExp(`error\\[graph/unavailable-tool\\]: the tool \`${tool}\` can't be called: `));
      assert.doesNotMatch(out + err, /graph\/unknown-tool/);
      assert.ok(shop.requests.slice(from).every(({ body }) => body.method !== "tools/call"));
    }
  }
  const ran = await stepgraph(["run", plan("quick"), "--json", "--server", shop.url, "--allow", "quick"]);
  assert.equal(JSON.parse(ran.out).last, "ran quick", ran.err);
});

test("a single server uses the key without a name, or the user and password of its URL", async (context) => {
  const { shop } = await two(context);
  const sentHeaders = async (word, env) => {
    const from = shop.requests.length;
    const { code, err } = await stepgraph(["tools", word], { env });
    assert.equal(code, 0, err);
    return new Set(shop.requests.slice(from).map(({ headers }) => headers.authorization));
  };
  assert.deepEqual(await sentHeaders(shop.url, { STEPGRAPH_SERVER_KEY: "k1" }), new Set(["Bearer k1"]));
  assert.deepEqual(
    await sentHeaders(`a=${shop.url}`, { STEPGRAPH_SERVER_KEY: "k1", STEPGRAPH_SERVER_KEY_A: "k2" }),
    new Set(["Bearer k2"]),
  );
  assert.deepEqual(
    await sentHeaders(shop.url.replace("//", "//me:p%40ss@"), {}),
    new Set([`Basic ${btoa("me:p@ss")}`]),
  );
});

test("a plan's own servers are connected by name, and only on request", async (context) => {
  const { shop } = await two(context);
  const plan = file("own.yaml", `servers: {shop: {url: "${shop.url}"}}\nnodes: {a: {type: tool, tool: pay}}`);
  const without = await stepgraph(["run", plan]);
  assert.equal(without.code, 2);
  assert.match(without.err, /graph\/unknown-tool[^]*name the plan's server by `--server shop`/);
  assert.equal(shop.requests.length, 0);
  const ran = await stepgraph(["run", plan, "--server", "shop", "--quiet"], {
    env: { STEPGRAPH_SERVER_KEY_SHOP: "k", STEPGRAPH_SERVER_URL_SHOP: new URL(shop.url).origin },
  });
  assert.deepEqual([ran.code, ran.out], [0, "shop: pay\n"]);
  assert.equal((await stepgraph(["check", plan, "--server", "shop"])).code, 0);
});

test("an unreachable server is retried, and each retry is reported", async (context) => {
  const { shop } = await two(context);
  let refusals = 2;
  const moody = await serve(({ request, body, response }) => {
    if (refusals-- > 0) return request.socket.destroy();
    return fetch(shop.url, {
      method: "POST",
      headers: request.headers["mcp-method"]
        ? {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-method": request.headers["mcp-method"],
          }
        : {},
      body: JSON.stringify(body),
    }).then(async (answer) => json(response, answer.status, await answer.json()));
  });
  context.after(() => moody.stop());
  const again = await stepgraph(["tools", moody.url]);
  assert.equal(again.code, 0, again.err);
  assert.match(
    again.err,
    /^`127\.0\.0\.1:\d+` could not be reached: .*; retrying in 300 ms \(1 of 2\)\n(.*; retrying in 600 ms \(2 of 2\)\n)?$/,
  );
  refusals = 1;
  const once = await stepgraph(["tools", moody.url, "--retries", "0"]);
  assert.deepEqual([once.code, once.out], [1, ""]);
  assert.doesNotMatch(once.err, /again/);
});

test("the help for a server that requires a key names the environment variable", async (context) => {
  const closed = await serve(({ response }) => json(response, 401, {}));
  context.after(() => closed.stop());
  const plan = file("closed.yaml", "nodes: {a: {type: tool, tool: pay}}");
  for (const command of [
    ["run", plan, "--server", `my-shop=${closed.url}`],
    ["tools", `my-shop=${closed.url}`],
    ["check", plan, "--server", `my-shop=${closed.url}`],
  ]) {
    const { code, err } = await stepgraph(command);
    assert.equal(code, 1);
    assert.match(err, /help: set STEPGRAPH_SERVER_KEY_MY_SHOP to its key\n/, command[0]);
    // If the server refuses a key, the help must not say that it is missing.
    const refused = "check that it contains a valid key for this server, with the required permissions";
    for (const name of ["STEPGRAPH_SERVER_KEY_MY_SHOP", "STEPGRAPH_SERVER_KEY"]) {
      const wrong = await stepgraph(command, { env: { [name]: "wrong" } });
      assert.ok(wrong.err.includes(`help: the server refused ${name}: ${refused}\n`), wrong.err);
    }
    const header = await stepgraph([...command, "--header", "X-Api-Key: wrong"]);
    assert.ok(header.err.includes(`help: the server refused the header \`X-Api-Key\`: ${refused}\n`), header.err);
  }
});

test("a tool filter without matches is a usage error", async (context) => {
  const { shop } = await two(context);
  const { code, err } = await stepgraph(["tools", shop.url, "--filter", "serch"]);
  assert.equal(code, 2);
  assert.match(err, /no tool name contains `serch`[^]*did you mean `search`\?/);
  assert.match((await stepgraph(["tools", shop.url, "--filter", "pay"])).out, /: 1 tool\n\npay\(\)\n/);
});

const FIND = {
  name: "find",
  description: "Finds\n  things.",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input_schema: {
    type: "object",
    required: ["q"],
    properties: {
      q: { type: "string", minLength: 1, description: "what to\nlook for" },
      unit: { enum: ["c", "f"], default: "c" },
      near: { $ref: "#/$defs/Place" },
      any: {},
      loop: { $ref: "#/$defs/Loop" },
      far: { $ref: "http://h/x" },
      tags: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
      range: { type: ["integer", "null"], minimum: 0 },
    },
    $defs: {
      Place: {
        type: "object",
        required: ["lat"],
        properties: {
          lat: { type: "number" },
          deep: { type: "object", properties: { x: { type: "object", properties: { y: {} } } } },
        },
      },
      Loop: { $ref: "#/$defs/Loop" },
    },
  },
  output_schema: {
    type: "object",
    properties: { found: { type: "array", items: { type: "string" } } },
    required: ["found"],
  },
};

test("tools shows a tool as a call", () => {
  const all =
    'q: string, unit?: "c" | "f" = "c", near?: {lat: number, deep?: object}, any?: any, loop?: any, far?: any, tags?: (string | null)[], range?: integer | null';
  assert.equal(parameters(FIND.input_schema), all);
  const renderOptions = (columns) => ({ style: plain, columns });
  assert.deepEqual(renderTool(FIND, renderOptions(400)), [
    `find(${all}) → {found: string[]}`,
    "    Finds things.",
    "    reads only",
  ]);
  assert.deepEqual(renderTool(FIND, renderOptions(400), "shop.find", true).slice(3), [
    "      q  what to look for, minLength 1",
    "      range  minimum 0",
  ]);
  const narrow = renderTool(FIND, renderOptions(40));
  assert.deepEqual(
    [narrow[0], narrow[1], narrow[3], narrow[9]],
    ["find(", "  q: string,", "  near?: {lat: number, deep?: object},", ") → {found: string[]}"],
  );
  assert.ok(
    narrow.every((line) => line.length <= 40),
    narrow.join("\n"),
  );
  const effects = (annotations) => renderTool({ name: "x", input_schema: {}, annotations }, renderOptions(80)).slice(1);
  assert.deepEqual(effects({ destructiveHint: true }), ["    may destroy"]);
  assert.deepEqual(effects({ destructiveHint: false, idempotentHint: true }), ["    does not destroy, safe to repeat"]);
  assert.deepEqual(effects(undefined), []);
});
