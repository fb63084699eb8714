// Tests the compressed size of what a bundled page loads, by job. Prints the table of `docs/runtimes.md`.

import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { consumer, output } from "./consumer.mjs";
import { visit } from "./pages.mjs";
import * as kits from "./toolchains.mjs";

const PLAN = `start: ask
nodes:
  ask:
    type: ask
    input: "\${input}"
  rate:
    type: rate
    input: {name: "\${output.ask.items[0].name}", total: "\${output.ask.items.map(i, i.price).size()}"}
  done:
    type: log
    input: "\${last.ok ?? 'nothing'}"
edges:
  - {from: ask, to: rate, condition: "size(last.items) > 1 && last.items.exists(i, i.price > 2)"}
  - {from: ask, to: done, condition: last.kind==none}
  - {from: rate, to: done}
`;
const HANDLERS = `{
  ask: async () => ({ kind: "x", items: [{ name: "tea", price: 3 }, { name: "jam", price: 1 }] }),
  rate: () => ({ ok: true }),
}`;
const CALLS = `nodes:
  look: {type: tool, tool: price, input: {item: "\${input}"}}
  say: {type: llm, input: "Say \${last.price}"}
edges: [{from: look, to: say}]
`;
const example = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
const text = JSON.stringify;

/** Imports, a script that returns a text, and the most that it may load, in kB. */
const JOBS = {
  "a plan with handlers": {
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(PLAN)});
      export const result = String((await run(graph, { input: 1, handlers: ${HANDLERS} })).last);`,
    expected: "true",
    files: ["stepgraph_first.wasm"],
    most: 229,
  },
  "tools and a model": {
    script: `import { init, mcp, openai, PlanGraph, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(CALLS)});
      const tools = [mcp(location.origin + "/mcp")];
      const models = { default: openai({ baseUrl: location.origin + "/v1", model: "m" }) };
      const report = await run(graph, { input: "tea", tools, models });
      export const result = String(report.last ?? JSON.stringify(report.outcome));`,
    expected: "four",
    files: ["stepgraph_first.wasm", "stepgraph_calls.wasm", "stepgraph_wire_bg.wasm"],
    most: 402,
  },
  "a planner with stubs": {
    script: `import { init, PlanGraph, readYaml, run } from "stepgraph";
      await init();
      const graph = PlanGraph.load(${text(example("plan-gather.yaml"))});
      const stubs = readYaml(${text(example("plan-gather.stubs.yaml"))}).value;
      export const result = (await run(graph, { input: "How do my applications stand?", stubs })).outcome.type;`,
    expected: "completed",
    files: undefined,
    most: 465,
  },
  "a plan with a mistake": {
    script: `import { init, PlanGraph } from "stepgraph";
      await init();
      export const result = PlanGraph.parse("nodes: {a: {type: lgo, inptu: 1}}").diagnostics[0].code;`,
    expected: "graph/unknown-key",
    files: undefined,
    most: 286,
  },
  "a plan with a mistake while parts can't be loaded": {
    folder: "/gone/bundle",
    script: `import { init, PlanGraph, run } from "stepgraph";
      await init();
      const parse = () => PlanGraph.parse("nodes: {a: {type: lgo, inptu: 1}}").diagnostics[0].code;
      const attempt = () => {
        try {
          return parse();
        } catch (error) {
          return error.code;
        }
      };
      const [first, second] = [attempt(), attempt()];
      const graph = PlanGraph.load(${text(PLAN)});
      const { last } = await run(graph, { input: 1, handlers: ${HANDLERS} });
      await fetch("/gone/back", { method: "POST" });
      export const result = [first, second, last, attempt()].join();`,
    expected: "api/not-loaded,api/not-loaded,true,graph/unknown-key",
    files: undefined,
    most: 312,
  },
  "an editor: comparing plans": {
    script: `import { comparePlans, init } from "stepgraph/editor";
      await init();
      export const result = String(comparePlans("nodes: {a: {type: log}}", "nodes: {b: {type: log}}").same);`,
    expected: "false",
    files: ["stepgraph_editor_bg.wasm"],
    most: 830,
  },
};

let user;
let visited;
before(async () => {
  const files = Object.values(JOBS).map(({ script }, at) => [
    `job${at}.mjs`,
    `${script}
     const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
     tell(JSON.stringify({ result, files }));`,
  ]);
  user = consumer(Object.fromEntries(files));
  const names = files.map(([name]) => name);
  const flags = ["--bundle", "--splitting", "--format=esm", "--minify", "--outdir=bundle", "--log-level=error"];
  // Otherwise the jobs would share scripts.
  for (const name of names) await output(await kits.esbuild(), [name, ...flags], user.folder);
  // The scripts look for the modules beside their own folder.
  cpSync(join(user.folder, "node_modules/stepgraph/pkg"), join(user.folder, "pkg"), { recursive: true });
  const pages = Object.entries(JOBS).map(([name, { folder = "/bundle" }], at) => [name, `${folder}/job${at}.js`]);
  visited = await visit(user.folder, Object.fromEntries(pages), answer);
});
after(async () => {
  await visited?.close();
  user?.remove();
});

/** Whether only the first part of the engine exists under `/gone`. */
let isGone = true;

async function answer(request, response) {
  if (request.url.startsWith("/gone/")) return serveCopy(request.url.slice("/gone".length), response);
  if (request.method !== "POST") return false;
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  const { id, method } = JSON.parse(body);
  const reply = request.url === "/mcp" ? mcpReply(method) : { choices: [{ message: { content: "four" } }] };
  if (reply === null) return response.writeHead(202).end() && true;
  const json = request.url === "/mcp" ? { jsonrpc: "2.0", id, ...reply } : reply;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
  return true;
}

function serveCopy(path, response) {
  if (path === "/back") isGone = false;
  const isLater = path.endsWith(".wasm") && !path.includes("first");
  if (path === "/back" || (isGone && isLater)) return response.writeHead(path === "/back" ? 204 : 404).end() && true;
  const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  response.writeHead(200, { "content-type": type }).end(readFileSync(join(user.folder, path)));
  return true;
}

function mcpReply(method) {
  const schema = { type: "object", properties: { item: { type: "string" } } };
  const tool = { name: "price", inputSchema: schema, annotations: { readOnlyHint: true } };
  const results = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "shop", version: "1" },
    },
    "tools/list": { tools: [tool] },
    "tools/call": { content: [], structuredContent: { price: 4 } },
  };
  if (method.startsWith("notifications/")) return null;
  const result = results[method];
  return result === undefined ? { error: { code: -32601, message: "unknown method" } } : { result };
}

for (const [name, { expected, files, most }] of Object.entries(JOBS)) {
  test(`a page that runs ${name}`, async (context) => {
    const told = JSON.parse(await visited.told[name]);
    assert.equal(told.result, expected);
    const paths = told.files.map((file) => file.replace("/gone", ""));
    const loaded = [...new Set(paths)].filter((file) => /^\/(bundle|pkg)\//.test(file));
    const modules = loaded.filter((file) => file.endsWith(".wasm")).map((file) => file.replace("/pkg/", ""));
    if (files) assert.deepEqual(modules.sort(), files.sort());
    const zipped = (list) =>
      list.reduce((sum, file) => sum + gzipSync(readFileSync(join(user.folder, file)), { level: 9 }).length, 0) / 1000;
    const scripts = zipped(loaded.filter((file) => file.endsWith(".js")));
    const total = zipped(loaded);
    context.diagnostic(`${name}: ${total.toFixed(0)} kB, ${scripts.toFixed(0)} of them scripts; ${modules.join(", ")}`);
    assert.ok(total < most, `${total.toFixed(1)} kB gzipped`);
  });
}
