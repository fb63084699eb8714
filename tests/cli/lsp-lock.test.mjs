// Tests that the language server knows the tools of `stepgraph.lock`.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { PlanGraph, ToolLock } from "../../dist/node.js";
import { editor } from "./lsp/client.mjs";

const editors = [];
after(() => editors.forEach((one) => one.gone()));

const find = {
  server: "shop",
  name: "find_order",
  input_schema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
  output_schema: { type: "object", properties: { state: { enum: ["open", "sent"] } }, required: ["state"] },
};
const graph = PlanGraph.load("nodes: {a: {type: tool, tool: find_order, input: {number: x}}}");
const LOCK = ToolLock.create([graph], [find]).print();

const PLAN = `nodes:
  find: {type: tool, tool: find_order, input: {numbr: "x"}}
  tell: {type: log, input: "\${output.find.stat}"}
  lost: {type: tool, tool: find_ordr, input: {number: "x"}}
edges: [{from: find, to: tell}, {from: tell, to: lost}]
`;

const diagnostics = "textDocument/publishDiagnostics";

async function opened(files) {
  const one = editor({ files });
  editors.push(one);
  await one.initialize();
  await one.open("plan.yaml", PLAN);
  return one;
}

test("tools, arguments and outputs are checked and completed by the lock", async () => {
  const one = await opened({ "stepgraph.lock": LOCK });
  const found = (await one.next(diagnostics)).diagnostics;
  assert.deepEqual(
    found.map(({ code }) => code),
    ["tool/invalid-arguments", "reference/unknown-path", "graph/unknown-tool"],
  );
  assert.match(found[2].message, /`stepgraph\.lock` has no tool `find_ordr`[^]*did you mean `find_order`/);
  const place = (line, text) => ({ line, character: PLAN.split("\n")[line].indexOf(text) + 1 });
  const complete = async (position) => {
    const params = { textDocument: { uri: one.uri("plan.yaml") }, position };
    return (await one.ask("textDocument/completion", params)).items.map(({ label }) => label);
  };
  assert.ok((await complete(place(3, "find_ordr"))).includes("find_order"));
  assert.ok((await complete(place(1, "numbr"))).includes("number"));
  await one.end();
});

test("a new lock, and one that can't be used", async () => {
  const one = await opened({});
  assert.deepEqual((await one.next(diagnostics)).diagnostics, []);
  const changed = async (text) => {
    if (text === null) rmSync(join(one.folder, "stepgraph.lock"));
    else one.write("stepgraph.lock", text);
    await one.tell("workspace/didChangeWatchedFiles", { changes: [] });
    return (await one.next(diagnostics)).diagnostics.length;
  };
  assert.equal(await changed(LOCK), 3);
  assert.equal(await changed(LOCK.replace("sent", "lost")), 0);
  assert.match((await one.next("window/showMessage")).message, /stepgraph\.lock:8: .*does not match its hash/);
  assert.equal(await changed(LOCK), 3);
  assert.equal(await changed(null), 0);
  await one.end();
});

test("a tool list of the user takes precedence", async () => {
  const tools = { tools: [{ ...find, name: "find_ordr" }] };
  const one = await opened({ "stepgraph.lock": LOCK, "stepgraph.tools.json": JSON.stringify(tools) });
  const found = (await one.next(diagnostics)).diagnostics;
  assert.match(found[0].message, /there is no tool `find_order`/);
  await one.end();
});
