// Tests agents on the command line: approvals, `--allow`, and the display of model and tool output.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { plain } from "../../dist/terminal/style.js";
import { RunLines } from "../../dist/cli/run-lines.js";
import { json, modern, serve } from "../servers/serve.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

async function stage(context) {
  const tools = await modern(({ body, response }) => {
    const tool = { name: "drop", inputSchema: { type: "object" }, annotations: { destructiveHint: true } };
    const listed = { resultType: "complete", tools: [tool] };
    const called = { resultType: "complete", content: [{ type: "text", text: "dropped" }] };
    json(response, 200, { jsonrpc: "2.0", id: body.id, result: body.method === "tools/list" ? listed : called });
  });
  const model = await serve(({ body, response }) => {
    const told = body.messages.findLast(({ role }) => role === "tool");
    const call = { id: "c", type: "function", function: { name: "drop", arguments: '{"table":"t"}' } };
    const message = told
      ? { role: "assistant", content: `it said: ${told.content}` }
      : { role: "assistant", content: null, tool_calls: [call] };
    json(response, 200, {
      choices: [{ message, finish_reason: told ? "stop" : "tool_calls" }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    });
  });
  context.after(() => Promise.all([tools.stop(), model.stop()]));
  const calls = () => tools.requests.filter(({ body }) => body.method === "tools/call").length;
  return { calls, reach: ["--server", tools.url, "--model-url", `${model.url}/v1`] };
}

const help = () => file("help.yaml", "nodes: {help: {type: agent, input: go, with: {tools: [drop]}}}\n");

test("a run pauses before a destructive tool and continues after the approval", async (context) => {
  const { calls, reach } = await stage(context);
  const paused = await stepgraph(["run", help(), ...reach, "--snapshot", "agent.json"]);
  assert.equal(paused.code, 4, paused.err);
  assert.match(paused.err, /\? help:1:1\/1\/0\/approval {2}\{"tool": "drop", "arguments": \{"table": "t"\}\}/);
  assert.ok(existsSync(join(folder, "agent.json")));
  assert.equal(calls(), 0);
  const resumed = (flag) =>
    stepgraph(["run", "help.yaml", ...reach, "--resume", "agent.json", flag, "help:1:1/1/0/approval"]);
  const refused = await resumed("--reject");
  assert.deepEqual([refused.code, calls()], [0, 0], refused.err);
  assert.match(refused.out, /^it said: tool\/refused: a person refused/);
  const agreed = await resumed("--approve");
  assert.deepEqual([agreed.code, agreed.out, calls()], [0, "it said: dropped\n", 1], agreed.err);
});

test("an allowed tool runs without approval", async (context) => {
  const { calls, reach } = await stage(context);
  for (const name of ["drop", "*"]) {
    const { code, out, err } = await stepgraph(["run", help(), ...reach, "--allow", name]);
    assert.deepEqual([code, out], [0, "it said: dropped\n"], err);
    assert.match(err, / {2}· drop {2}"dropped"/);
  }
  assert.equal(calls(), 2);
  const node = file("node.yaml", "nodes: {a: {type: tool, tool: drop, input: {}}}\n");
  const { code, err } = await stepgraph(["run", node, ...reach.slice(0, 2)]);
  assert.equal(code, 4, err);
  assert.match(err, /a:1:1\/approval/);
  const reviewed = await stepgraph(["check", "help.yaml", ...reach.slice(0, 2)]);
  assert.match(reviewed.out, /destroys +drop/);
});

test("a recorded agent replays without a server", async (context) => {
  const { reach } = await stage(context);
  const recorded = await stepgraph(["run", help(), ...reach, "--allow", "drop", "--record", "agent.ndjson", "--json"]);
  assert.equal(recorded.code, 0, recorded.err);
  assert.match(readFileSync(join(folder, "agent.ndjson"), "utf8"), /"allowed":\["drop"\]/);
  const replayed = await stepgraph(["run", "help.yaml", "--replay", "agent.ndjson"]);
  assert.deepEqual([replayed.code, replayed.out], [0, "it said: dropped\n"], replayed.err);
});

const watched = () => new RunLines({ style: plain, columns: () => 60, verbose: false, names: 4 });
const started = { type: "node-started", atMs: 0, node: "help", visit: 1, input: null };
const delta = (text, call = "help:1:1/1") => ({
  type: "model-delta",
  node: "help",
  call,
  delta: { type: "text", text },
});

test("a running node shows the end of its model's text and the progress of its tools", () => {
  const view = watched();
  view.update(delta("too early"));
  view.take(started, 0);
  assert.deepEqual(view.running(1000, 0), ["⠋ help     1.0 s"]);
  view.update(delta("Hello,\n "));
  view.update(delta("Ana"));
  assert.deepEqual(view.running(1000, 0), ["⠋ help     1.0 s  Hello, Ana"]);
  view.update(delta(" and the rest of a long answer that no line holds", "help:1:1/1"));
  const [line] = view.running(1000, 0);
  assert.ok(line.length < 60 && line.endsWith("that no line holds") && line.includes("…"), line);
  view.update(delta("Next", "help:1:1/2"));
  assert.deepEqual(view.running(1000, 0), ["⠋ help     1.0 s  Next"]);
  view.update({
    type: "tool-progress",
    node: "help",
    call: "help:1:1/2/0",
    tool: "search",
    progress: 1,
    total: 4,
    message: "a \x1b[31mpage",
  });
  assert.deepEqual(view.running(1000, 0), ["⠋ help     1.0 s  search 25 % a ␛[31mpage"]);
  view.update({ type: "tool-progress", node: "help", call: "help:1:1/2/0", tool: "search", progress: 7 });
  assert.deepEqual(view.running(1000, 0), ["⠋ help     1.0 s  search 7"]);
});

test("each result of an agent's tool has its own line, longer with --verbose", () => {
  const events = [
    started,
    { type: "model-asked", atMs: 1, node: "help", call: "help:1:1/1", messages: [] },
    {
      type: "model-replied",
      atMs: 2,
      node: "help",
      call: "help:1:1/1",
      reply: { text: "let me see", finish: "tool_calls", usage: null },
    },
    {
      type: "tool-asked",
      atMs: 2,
      node: "help",
      call: "help:1:1/1/0",
      tool: "drop",
      arguments: { table: "t" },
      approval: true,
    },
    { type: "tool-answered", atMs: 3, node: "help", call: "help:1:1/1/0", tool: "drop", output: "done" },
    {
      type: "tool-answered",
      atMs: 3,
      node: "help",
      call: "help:1:1/1/1",
      tool: "serch",
      error: { code: "tool/unknown", message: "no\nsuch" },
    },
  ];
  const renderEvents = (view) => events.flatMap((event) => view.take(event, 0));
  assert.deepEqual(renderEvents(watched()), [
    '  · drop requires approval  {"table": "t"}',
    '  · drop  "done"',
    "  · serch  tool/unknown: no␊such",
  ]);
  const verbose = new RunLines({ style: plain, columns: () => 80, verbose: true, names: 4 });
  assert.ok(renderEvents(verbose).some((line) => line.endsWith('· help:1:1/1  "let me see"')));
});
