// Runs the servers of docs/streaming.md: a pause, a decision, forged decisions, and a snapshot that can't be resumed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const page = readFileSync(new URL("../../docs/streaming.md", import.meta.url), "utf8");
const servers = [...page.matchAll(/```js[^\n]*\n([\s\S]*?)```/g)]
  .map(([, code]) => code)
  .filter((code) => /POST/.test(code));

const PLAN =
  "nodes: {a: {type: tool, tool: look, input: {}}, b: {type: tool, tool: pay, input: {}}}\nedges: [{from: a, to: b}]";

async function serve(example) {
  const called = [];
  const saved = new Map();
  const logged = [];
  const body = example.replace(/^import (\{.*\}) from "(.*)";$/gm, 'const $1 = await import("$2");');
  const { PlanGraph, run } = await import("stepgraph");
  const tool = (name) => ({ annotations: { destructiveHint: true }, run: () => void called.push(name) });
  const tools = { look: tool("look"), pay: tool("pay") };
  const host = {
    ...(!body.includes("PlanGraph") && { run, graph: PlanGraph.load(PLAN) }),
    yaml: PLAN,
    models: {},
    tools,
    options: { tools },
    take: async (id) => {
      const snapshot = saved.get(id);
      saved.delete(id);
      return snapshot;
    },
    save: (id, snapshot) => saved.set(id, JSON.parse(JSON.stringify(snapshot))),
    textOf: ({ parts }) => parts.map(({ text }) => text).join(""),
    lastText: (messages) => messages.at(-1).content,
    console: { error: (error) => logged.push(error.code) },
  };
  const AsyncFunction = (async () => {}).constructor;
  const code = body.replace("export async function POST", "return async function POST");
  const POST = await new AsyncFunction(...Object.keys(host), code)(...Object.values(host));
  const post = async (data) => {
    const response = await POST(new Request("http://host/", { method: "POST", body: JSON.stringify(data) }));
    return { status: response.status, text: await response.text() };
  };
  return { post, called, saved, logged };
}

const ID = "chat";
const [A, B] = ["a:1:1/approval", "b:1:1/approval"];
const uiPart = (id) => ({
  type: "dynamic-tool",
  toolName: "any",
  toolCallId: id.replace("/approval", ""),
  state: "approval-responded",
  input: {},
  approval: { id, approved: true },
});
const ask = { role: "user", parts: [{ type: "text", text: "hi" }] };
const agUi = (resume) => ({
  threadId: ID,
  runId: "r",
  messages: [{ id: "u", role: "user", content: "hi" }],
  ...(resume && { resume }),
});

const CLIENTS = [
  {
    name: "useChat",
    begin: { id: ID, messages: [ask] },
    decide: (...ids) => ({ id: ID, messages: [ask, { id: "m", role: "assistant", parts: ids.map(uiPart) }] }),
  },
  {
    name: "AG-UI",
    begin: agUi(),
    decide: (...ids) =>
      agUi(ids.map((interruptId) => ({ interruptId, status: "resolved", payload: { approved: true } }))),
  },
];

test("the first example streams a run", async () => {
  const { post } = await serve(servers[0]);
  const { status, text } = await post({ messages: [ask] });
  assert.deepEqual([status, text.includes("tool-approval-request")], [200, true]);
});

assert.equal(servers.length, 3);
for (const [at, { name, begin, decide }] of CLIENTS.entries()) {
  const example = servers[at + 1];

  test(`${name}: the user decides each call`, async () => {
    const { post, called, saved, logged } = await serve(example);
    assert.equal((await post(begin)).status, 200);
    assert.ok(saved.has(ID));
    await post(decide(A));
    assert.deepEqual(called, ["look"]);
    await post(decide(B));
    assert.deepEqual([called, logged], [["look", "pay"], []]);
  });

  test(`${name}: a decision on a later call approves nothing`, async () => {
    const { post, called } = await serve(example);
    await post(begin);
    await post(decide(A, B));
    assert.deepEqual(called, ["look"]);
  });

  test(`${name}: decisions for an unknown run get the answer 409`, async () => {
    const { post, called } = await serve(example);
    assert.deepEqual([(await post(decide(A, B))).status, called], [409, []]);
  });

  test(`${name}: a snapshot that can't be resumed is logged, and the user sees the code`, async () => {
    const { post, called, saved, logged } = await serve(example);
    saved.set(ID, { type: "snapshot" });
    const { text } = await post(decide(A)).catch((error) => ({ text: String(error) }));
    assert.match(text, /snapshot\/unusable/);
    assert.deepEqual([logged, called], [["snapshot/unusable"], []]);
  });
}
