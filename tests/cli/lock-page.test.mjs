// Runs docs/lock.md, into which `UPDATE=1` writes the output.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { mcp, PlanGraph, run, ToolLock } from "../../dist/node.js";
import { json, modern } from "../servers/serve.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const path = fileURLToPath(new URL("../../docs/lock.md", import.meta.url));
const ADDRESS = "http://127.0.0.1:3001/mcp";
let page = readFileSync(path, "utf8");

const object = (properties, required) => ({ type: "object", properties, required });
const BEFORE = [
  {
    name: "search",
    description: "Finds offers.",
    inputSchema: object({ q: { type: "string" }, mode: { enum: ["fast", "full"] }, max: { type: "integer" } }, ["q"]),
    outputSchema: object({ total: { type: "integer" } }, ["total"]),
  },
  { name: "refund", inputSchema: { type: "object" } },
];
const query = { query: { type: "string" }, mode: { enum: ["faster", "full"] }, max: { type: "integer", maximum: 50 } };
const AFTER = [
  {
    name: "search",
    description: "Finds offers of all shops.",
    inputSchema: object({ ...query, language: { type: "string", default: "en" } }, ["query", "language"]),
    outputSchema: object({ total: { type: "integer" } }, ["total"]),
  },
];

const tools = [...BEFORE];
let server;
before(async () => {
  const called = { resultType: "complete", content: [], structuredContent: { total: 3 } };
  server = await modern(({ body, response }) => {
    const result = body.method === "tools/list" ? { resultType: "complete", tools } : called;
    json(response, 200, { jsonrpc: "2.0", id: body.id, result });
  });
});
after(async () => {
  await server.stop();
  if (process.env.UPDATE) writeFileSync(path, page);
});

const yaml = [...page.matchAll(/```yaml\n([^]*?)```/g)].map((match) => match[1]);

function assertBlock(language, old, actual) {
  const block = (text) => `\`\`\`${language}\n${text}\`\`\``;
  if (process.env.UPDATE) page = page.replace(block(old), () => block(actual));
  else assert.equal(actual, old, "run this test with UPDATE=1 and look at what changes");
}

const commands = [...page.matchAll(/```console\n(\$ (stepgraph .*)\n[^]*?)```/g)];
async function assertNext(code) {
  const [, block, command] = commands.shift();
  const words = command.split(" ").slice(1);
  const ran = await stepgraph(words.map((word) => word.replace(ADDRESS, server.url)));
  assertBlock("console", block, `$ ${command}\n${ran.out}${ran.err}`);
  assert.equal(ran.code, code);
}

test("the commands of the page print what the page shows", async () => {
  file("plan.yaml", yaml[0]);
  await assertNext(0);
  assertBlock("yaml", yaml[1], readFileSync(join(folder, "stepgraph.lock"), "utf8"));
  await assertNext(0);
  tools.splice(0, tools.length, ...AFTER);
  await assertNext(1);
  await assertNext(0);
  assertBlock("yaml", yaml[2], readFileSync(join(folder, "plan.yaml"), "utf8"));
  file("plan.yaml", yaml[0]);
  await assertNext(2);
  assert.deepEqual(commands, []);
});

test("the program of the page holds a run to a lock", async () => {
  tools.splice(0, tools.length, ...BEFORE);
  const [, code] = /```js[^\n]*\nimport .* from "stepgraph";\n([^]*?)```/.exec(page);
  const AsyncFunction = (async () => {}).constructor;
  const names = ["mcp", "PlanGraph", "run", "ToolLock", "plan"];
  const lines = `${code.replace(ADDRESS, server.url)}\nawait client.close();`;
  const program = new AsyncFunction(...names, `${lines}\nreturn { text, changes, plans, breaks, report };`);
  const { text, report, ...drift } = await program(mcp, PlanGraph, run, ToolLock, yaml[0]);
  assert.deepEqual(drift, { changes: [], plans: [[]], breaks: false });
  assert.equal(text, readFileSync(join(folder, "stepgraph.lock"), "utf8"));
  assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  assert.equal(report.last, "3 offers");
});
