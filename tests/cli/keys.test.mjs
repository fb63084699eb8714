// Tests that keys reach only their own server.
//
// Servers try to repeat a marker, passed as key in every possible way. All output and files are searched for it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { anthropic, gemini, mcp, openai, openaiResponses, PlanGraph, run } from "../../dist/node.js";
import { json, serve } from "../servers/serve.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const KEY = "mk-9f8e7d6c5b4a";
const FORMS = [KEY, encodeURIComponent(KEY), btoa(`me:${KEY}`), btoa(`:${KEY}`)];

const plan = {
  nodes: { a: { type: "tool", tool: "find", input: { q: "tea" } }, b: { type: "llm", input: "hi" } },
  edges: [{ from: "a", to: "b" }],
};

const echoRequest = (request) => `you sent ${request.url} ${JSON.stringify(request.headers)} ${KEY}`;

/** Lists are correct. Calls and model requests answer as `fault` says. */
async function stage(context, fault) {
  const seen = [];
  const server = await serve(async ({ request, body, response }) => {
    seen.push(`${request.url} ${JSON.stringify(request.headers)}`);
    const result = (value) =>
      json(response, 200, { jsonrpc: "2.0", id: body.id, result: { resultType: "complete", ...value } });
    if (fault.always) return fault.answer({ request, body, response });
    if (body?.method === "server/discover") return result({ supportedVersions: ["2026-07-28"], capabilities: {} });
    if (body?.method === "tools/list") return result({ tools: [{ name: "find", inputSchema: { type: "object" } }] });
    if (fault.at === (body?.messages ? "model" : "tool") && (body?.messages || body?.method === "tools/call"))
      return fault.answer({ request, body, response });
    if (body?.method === "tools/call") return result({ content: [{ type: "text", text: "found" }] });
    if (body?.messages)
      return json(response, 200, {
        choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      });
    response.writeHead(202).end();
  });
  context.after(() => server.stop());
  return { url: server.url, seen };
}

const status =
  (code, headers = {}) =>
  ({ request, response }) =>
    json(response, code, { error: { message: echoRequest(request), code: echoRequest(request) } }, headers);
const FAULTS = {
  "nothing is wrong": { at: "none", answer() {} },
  "a tool is refused with 401": {
    at: "tool",
    answer: status(401, { "www-authenticate": `Bearer error_description="${KEY}"` }),
  },
  "a tool fails with 500": { at: "tool", answer: status(500) },
  "a tool says what it was sent": {
    at: "tool",
    answer: ({ request, body, response }) =>
      json(response, 200, {
        jsonrpc: "2.0",
        id: body.id,
        result: { resultType: "complete", isError: true, content: [{ type: "text", text: echoRequest(request) }] },
      }),
  },
  "the protocol's error says it": {
    at: "tool",
    answer: ({ request, body, response }) =>
      json(response, 200, {
        jsonrpc: "2.0",
        id: body.id,
        error: { code: -32000, message: echoRequest(request), data: echoRequest(request) },
      }),
  },
  "garbage says it": {
    at: "tool",
    answer: ({ request, response }) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<p>${echoRequest(request)}`),
  },
  "a redirect says it": {
    at: "tool",
    answer: ({ request, response }) =>
      response
        .writeHead(307, { location: `http://127.0.0.1:1/?${KEY}&${encodeURIComponent(echoRequest(request))}` })
        .end(),
  },
  "the connection breaks": { at: "tool", answer: ({ request }) => request.socket.destroy() },
  "the server redirects from the start": {
    always: true,
    answer: ({ response }) => response.writeHead(308, { location: `http://127.0.0.1:1/?${KEY}` }).end(),
  },
  "the server refuses from the start": { always: true, answer: status(403) },
  "the server breaks off from the start": { always: true, answer: ({ request }) => request.socket.destroy() },
  "the model refuses the key": { at: "model", answer: status(401) },
  "the model has had enough": {
    at: "model",
    answer: status(429, { "retry-after-ms": "1", "x-should-retry": "false" }),
  },
  "the model fails": { at: "model", answer: status(400) },
  "the model answers with garbage": {
    at: "model",
    answer: ({ request, response }) =>
      response.writeHead(200, { "content-type": "application/json" }).end(`{"choices": "${KEY} ${request.url}`),
  },
};

const PROGRAM = {
  key: (url) => [mcp(url, { key: KEY }), openai({ baseUrl: url, apiKey: KEY })],
  headers: (url) => [
    mcp(url, { headers: { Authorization: `Bearer ${KEY}` } }),
    openai({ baseUrl: url, headers: { "X-Api-Key": KEY } }),
  ],
  address: (url) => [mcp(`${url}/mcp?key=${KEY}`), openai({ baseUrl: `${url}/v1?key=${KEY}` })],
};

const COMMAND = {
  "the only server's variable": (url) => [
    ["--server", url, "--model-url", url],
    { STEPGRAPH_SERVER_KEY: KEY, OPENAI_API_KEY: KEY },
  ],
  "a named server's variable": (url) => [
    ["--server", `shop=${url}`, "--model-url", url],
    { STEPGRAPH_SERVER_KEY_SHOP: KEY, OPENAI_API_KEY: KEY },
  ],
  "a header": (url) => [
    ["--server", `shop=${url}`, "--header", `shop=X-Api-Key: ${KEY}`, "--model-url", url],
    { OPENAI_API_KEY: KEY },
  ],
  "an address": (url) => [["--server", `${url}/mcp?key=${KEY}`, "--model-url", `${url}/v1?key=${KEY}`], {}],
  "an address with a name and a password": (url) => [
    ["--server", `${url.replace("//", `//me:${KEY}@`)}/mcp`, "--model-url", url],
    { OPENAI_API_KEY: KEY },
  ],
};

function clean(texts, where) {
  for (const [name, text] of Object.entries(texts)) {
    for (const form of FORMS) {
      const at = text.indexOf(form);
      assert.equal(at, -1, `${where}: the key is in ${name}: …${text.slice(Math.max(0, at - 120), at + 60)}…`);
    }
  }
}

const all = (value) =>
  inspect(value, { depth: 20, showHidden: true, getters: true, maxArrayLength: null, maxStringLength: null });

for (const [what, fault] of Object.entries(FAULTS)) {
  test(`in a program, and ${what}`, async (context) => {
    for (const [way, clients] of Object.entries(PROGRAM)) {
      const { url, seen } = await stage(context, fault);
      const [tools, model] = clients(url);
      const lines = [];
      const events = [];
      const { graph } = PlanGraph.parse(JSON.stringify(plan));
      const report = await run(graph, {
        tools: [tools],
        models: { default: model },
        record: (line) => lines.push(line),
        onEvent: (event) => events.push(event),
      });
      assert.equal(
        report.outcome.type,
        fault.at === "none" ? "completed" : "failed",
        `${what}: ${JSON.stringify(report.outcome)}`,
      );
      assert.ok(
        seen.every((text) => text.includes(KEY)),
        `${way}: the server was not given the key: ${seen}`,
      );
      const thrown = await Promise.all(
        [
          () => tools.list(),
          () => tools.call("find", {}),
          () =>
            model.chat({ model: null, messages: [{ role: "user", content: "hi" }], schema: null, max_tokens: null }),
        ].map((work) => work().catch((error) => error)),
      );
      clean(
        {
          report: JSON.stringify(report) + all(report),
          trace: all(events),
          cassette: lines.join("\n"),
          errors: all(thrown),
          clients: all([tools, model]) + JSON.stringify([tools, model]),
        },
        `${way}, ${what}`,
      );
      await tools.close().catch(() => {});
    }
  });
}

const PROVIDERS = {
  openai: [openai, "OPENAI_API_KEY"],
  "openai-responses": [openaiResponses, "OPENAI_API_KEY"],
  anthropic: [anthropic, "ANTHROPIC_API_KEY"],
  gemini: [gemini, "GEMINI_API_KEY"],
};
const MODEL_FAULTS = Object.entries(FAULTS).filter(([, { at, always }]) => at === "model" || always);

test("no provider's key leaks after any fault, whole or in pieces", async (context) => {
  // In parallel, because some wait before they retry.
  const asked = Object.entries(PROVIDERS).flatMap(([name, [provider]]) =>
    MODEL_FAULTS.map(async ([what, { answer }]) => {
      const { url, seen } = await stage(context, { always: true, answer });
      const ways = [{ apiKey: KEY }, { headers: { "X-Api-Key": KEY } }];
      await Promise.all(
        ways.map(async (way) => {
          const client = provider({ baseUrl: `${url}/v1`, model: "m", ...way });
          const deltas = [];
          const ask = (options) =>
            client
              .chat({ model: null, messages: [{ role: "user", content: "hi" }], schema: null, max_tokens: 5 }, options)
              .catch((error) => error);
          const thrown = await Promise.all([ask({}), ask({ onDelta: (delta) => deltas.push(delta) })]);
          assert.ok(
            thrown.every((error) => error instanceof Error && /^model\//.test(error.code)),
            `${name}, ${what}: ${all(thrown)}`,
          );
          clean(
            { errors: all(thrown), deltas: all(deltas), client: all(client) + JSON.stringify(client) },
            `${name}, ${what}`,
          );
        }),
      );
      assert.ok(
        seen.length > 0 && seen.every((text) => text.includes(KEY)),
        `${name}: the server was not given the key`,
      );
    }),
  );
  await Promise.all(asked);
});

test("no provider's environment variable leaks from the command line", async (context) => {
  const { url, seen } = await stage(context, { always: true, answer: FAULTS["the model refuses the key"].answer });
  const ask = file("ask.json", JSON.stringify({ nodes: { a: { type: "llm", input: "hi" } } }));
  await Promise.all(
    Object.entries(PROVIDERS).map(async ([name, [, variable]]) => {
      const { code, out, err } = await stepgraph(
        ["run", ask, "--model", `${name}:m`, "--model-url", `${url}/v1`, "--verbose"],
        { env: { [variable]: KEY, STEPGRAPH_DEBUG: "1" } },
      );
      assert.equal(code, 1, err);
      assert.match(err, /model\/unauthorized/);
      clean({ out, err }, name);
    }),
  );
  assert.ok(seen.length >= 4 && seen.every((text) => text.includes(KEY)), `${seen}`);
});

const planFile = file("keys.json", JSON.stringify(plan));

/** The command is slow to start, so faults that differ only on the wire are tested through the library. */
const CLI_FAULTS = Object.entries(FAULTS).filter(
  ([what]) => !/ 500$|has had enough|the model fails|connection breaks/.test(what),
);

for (const [what, fault] of CLI_FAULTS) {
  test(`on the command line, and ${what}`, async (context) => {
    await Promise.all(
      Object.entries(COMMAND).map(async ([way, given]) => {
        const { url, seen } = await stage(context, fault);
        const [args, variables] = given(url);
        const env = { ...variables, STEPGRAPH_DEBUG: "1" };
        const name = `${what} ${way}`.replace(/\W+/g, "-");
        const kept = [
          "--audit",
          `${name}.audit`,
          "--record",
          `${name}.tape`,
          "--snapshot",
          `${name}.snapshot`,
          "--retries",
          "1",
          "--verbose",
        ];
        const ran = await stepgraph(["run", planFile, ...args, ...kept], { env });
        assert.equal(ran.code, fault.at === "none" ? 0 : 1, `${what}, ${way}: ${ran.err}`);
        assert.ok(
          seen.some((text) => FORMS.some((form) => text.includes(form))),
          `${way}: nobody was given the key`,
        );
        const server = args[args.indexOf("--server") + 1];
        const header = args.includes("--header")
          ? args.slice(args.indexOf("--header"), args.indexOf("--header") + 2)
          : [];
        const commands =
          fault.always || fault.at === "none"
            ? [
                ["run", planFile, ...args, "--json"],
                ["tools", server, "--verbose"],
                ["tools", server, "--json"],
                ["check", planFile, "--server", server],
              ]
            : [];
        const others = await Promise.all(
          commands.map((command) =>
            stepgraph([...command, ...(command[0] === "run" ? [] : header), "--retries", "0"], { env }),
          ),
        );
        const files = readdirSync(folder)
          .filter((other) => other.startsWith(`${name}.`))
          .map((other) => [other, readFileSync(join(folder, other), "utf8")]);
        assert.ok(fault.always || files.length >= 2, `${files.length} files`);
        const printed = [ran, ...others].flatMap(({ out, err }, index) => [
          [`output ${index}`, out],
          [`standard error ${index}`, err],
        ]);
        clean(Object.fromEntries([...printed, ...files]), `${way}, ${what}`);
      }),
    );
  });
}

test("usage errors never repeat a possible key", async () => {
  const wrong = [
    ["run", planFile, "--server", `me:${KEY}@nowhere`],
    ["run", planFile, "--server", `ftp://me:${KEY}@h/?k=${KEY}`],
    ["run", planFile, "--header", `X-Api-Key ${KEY}`],
    ["run", planFile, "--server", `http://h/mcp?key=${KEY}`, "--server", `http://h/other?key=${KEY}`],
    ["run", planFile, "--header", `shop=X-Api-Key: ${KEY}`],
    ["tools", `http://me:${KEY}@`],
    ["run", planFile, "--model-url", `ftp://me:${KEY}@h?k=${KEY}`],
    ["run", planFile, "--model-url", `me:${KEY}@h`],
  ];
  for (const args of wrong) {
    const { code, out, err } = await stepgraph(args, { env: { STEPGRAPH_DEBUG: "1" } });
    assert.equal(code, 2, `${args}: ${err}`);
    clean({ out, err }, args.slice(0, 4).join(" "));
  }
});
