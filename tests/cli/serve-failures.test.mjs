// Tests `stepgraph serve` through kills, broken connections, disk and tool failures, and unanswered questions.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { mock, test } from "node:test";
import { MultiRoundTrip, UnansweredError } from "../../wasm/dist/cli/serve/multi-round-trip.js";
import { Sessions } from "../../wasm/dist/cli/serve/sessions.js";
import { McpServer } from "@modelcontextprotocol/server";
import { overHttp, overStdio, textOf } from "./serve/client.mjs";
import { file, folder, program } from "./stepgraph.mjs";

const stubs = file("kept.stubs.yaml", "tools: {slow: {return: done, delay_ms: 600000}, quick: {return: done}}");
const SLOW_PLAN =
  "nodes: {quick: {type: tool, tool: quick, input: {}}, slow: {type: tool, tool: slow, input: {}}}\nedges: [{from: quick, to: slow}]";
const APPROVAL_PLAN = "nodes: {ask: {type: approve, input: 1}}";
const call = (client, name, args = {}) => client.callTool({ name, arguments: args });

/** Uses raw standard streams, and waits until the run is in progress. */
async function startBusyServer(runs) {
  const child = spawn(process.execPath, [program, "serve", "--stubs", stubs, "--runs", runs], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let out = "";
  const started = new Promise((resolve) =>
    child.stdout.on("data", (part) => (out += part).includes("slow started") && resolve()),
  );
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  send({
    id: 2,
    method: "tools/call",
    params: { name: "run_plan", arguments: { plan: SLOW_PLAN }, _meta: { progressToken: 1 } },
  });
  await started;
  const closed = new Promise((resolve) => child.on("close", resolve));
  const storedRuns = () =>
    readdirSync(join(folder, runs))
      .filter((name) => name.endsWith(".run.json"))
      .map((name) => JSON.parse(readFileSync(join(folder, runs, name), "utf8")));
  return { child, closed, send, kept: storedRuns };
}

test("the next server reports a run that was interrupted by a kill", async (context) => {
  const { child, closed, kept } = await startBusyServer("killed");
  child.kill("SIGKILL");
  await closed;
  const [{ id, status }] = kept();
  assert.equal(status, "running");
  const next = await overStdio(["--runs", "killed"]);
  context.after(() => next.close());
  assert.match(textOf(await call(next, "resume_run", { run: id })), /^error\[serve\/interrupted-run\]/);
  assert.deepEqual(
    (await call(next, "explain_run")).structuredContent.runs.map(({ run, status }) => [run, status]),
    [[id, "interrupted"]],
  );
});

for (const [what, leave] of [
  ["is told to end", ({ child }) => child.kill("SIGTERM")],
  ["is not listened to any more", ({ child, send }) => (child.stdout.destroy(), send({ id: 9, method: "ping" }))],
]) {
  test(`a server that ${what} stores its current run`, async () => {
    const served = await startBusyServer(`left ${what}`);
    leave(served);
    await served.closed;
    const [run] = served.kept();
    assert.deepEqual([run.status, run.outputs.quick, run.snapshot?.type], ["cancelled", "done", "snapshot"]);
  });
}

test("the server skips invalid messages and answers the following ones", async () => {
  const child = spawn(process.execPath, [program, "serve", "--stubs", stubs], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  });
  let out = "";
  const until = (words) =>
    new Promise((resolve) => child.stdout.on("data", (part) => (out += part).includes(words) && resolve()));
  const closed = new Promise((resolve) => child.on("close", resolve));
  const listed = until('"id":3');
  const junk = [
    "",
    "garbage",
    "{",
    "[]",
    "null",
    '{"jsonrpc":"1.0","id":7,"method":"ping"}',
    '{"jsonrpc":"2.0"}',
    "\u0000\uffff",
    '{"__proto__": {"id": 1}}',
    `"${"x".repeat(100_000)}"`,
  ];
  child.stdin.write(`${junk.join("\n")}\n`);
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "no/such" });
  child.stdin.write(
    '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "run_plan", "arguments": {"plan": "nodes: {a: {type: log}}", "__proto__": {"input": 1}, "constructor": 2}}}\n',
  );
  await listed;
  child.stdin.end();
  assert.equal(await closed, 0);
  const said = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(said.find(({ id }) => id === 2).error.code, -32601);
  assert.match(said.find(({ id }) => id === 3).result.content[0].text, /^error\[serve\/bad-arguments\]/);
});

test("a run whose folder is gone ends, and the server reports that it was not stored", async (context) => {
  // Clients of the newest revision start the command twice, first to negotiate.
  const client = await overStdio(["--stubs", stubs, "--runs", "vanishing"], { era: "2025-11-25" });
  context.after(() => client.close());
  rmSync(join(folder, "vanishing"), { recursive: true });
  writeFileSync(join(folder, "vanishing"), "no folder");
  const { structuredContent, isError } = await call(client, "run_plan", {
    plan: "nodes: {quick: {type: tool, tool: quick, input: {}}}",
  });
  assert.deepEqual([isError ?? false, structuredContent.status], [false, "completed"]);
  assert.match(
    structuredContent.notes.at(-1),
    /could not be written to `vanishing.*`: a part of its path is not a folder/,
  );
});

test("concurrent requests resume a run only once", async (context) => {
  const served = await overHttp(["--stubs", stubs, "--caller-decides"]);
  context.after(() => served.stop());
  const [one, two] = [await served.connect(), await served.connect({ era: "2025-11-25" })];
  context.after(() => Promise.all([one.close(), two.close()]));
  const plan =
    "nodes: {ask: {type: approve, input: 1}, quick: {type: tool, tool: quick, input: {}}}\nedges: [{from: ask, to: quick}]";
  const { run } = (await call(one, "run_plan", { plan })).structuredContent;
  const both = await Promise.all(
    [one, two].map((client) => call(client, "resume_run", { run, decisions: { "ask:1:1": "approved" } })),
  );
  assert.deepEqual(both.map(({ isError = false }) => isError).sort(), [false, true]);
  assert.match(textOf(both.find(({ isError }) => isError)), /^error\[serve\/(run-under-way|run-over)\]/);
  assert.equal((await call(two, "explain_run", { run })).structuredContent.counts.calls, 1);
});

test("only one of several servers with the same folder resumes a run", async (context) => {
  const args = ["--stubs", stubs, "--runs", "shared", "--caller-decides"];
  const [one, two] = [await overStdio(args, { era: "2025-11-25" }), await overStdio(args, { era: "2025-11-25" })];
  context.after(() => Promise.all([one.close(), two.close()]));
  const plan =
    "nodes: {ask: {type: approve, input: 1}, slow: {type: tool, tool: slow, input: {}}, quick: {type: tool, tool: quick, input: {}}}\nedges: [{from: ask, to: quick, condition: last==rejected}, {from: ask, to: slow}]";
  const { run: first } = (await call(one, "run_plan", { plan })).structuredContent;
  const { run: second } = (await call(one, "run_plan", { plan })).structuredContent;
  // The second server ends the first run. The first server must not use its outdated copy.
  assert.equal(
    (await call(two, "resume_run", { run: first, decisions: { "ask:1:1": "rejected" } })).structuredContent.status,
    "completed",
  );
  assert.match(
    textOf(await call(one, "resume_run", { run: first, decisions: { "ask:1:1": "approved" } })),
    /^error\[serve\/run-over\]/,
  );
  assert.equal((await call(one, "explain_run", { run: first })).structuredContent.status, "completed");
  const stop = new AbortController();
  const under = one.callTool(
    { name: "resume_run", arguments: { run: second, decisions: { "ask:1:1": "approved" } } },
    { signal: stop.signal, onprogress: ({ message }) => message === "slow started" && waiting() },
  );
  let waiting;
  await new Promise((resolve) => (waiting = resolve));
  assert.match(
    textOf(await call(two, "resume_run", { run: second, decisions: { "ask:1:1": "rejected" } })),
    /^error\[serve\/run-under-way\]/,
  );
  stop.abort();
  await assert.rejects(under);
  let status;
  do ({ status } = (await call(one, "explain_run", { run: second })).structuredContent);
  while (status === "running");
  assert.equal(status, "cancelled");
  assert.equal((await call(two, "explain_run", { run: second })).structuredContent.status, "cancelled");
  assert.deepEqual(
    readdirSync(join(folder, "shared")).filter((name) => /claim|part$/.test(name)),
    [],
  );
});

test("the server reports an unresponsive tool server, and the others work", async (context) => {
  const client = await overStdio(["--stubs", stubs, "--server", "moon=http://127.0.0.1:9/mcp", "--retries", "0"]);
  context.after(() => client.close());
  const described = await call(client, "describe_tools");
  assert.deepEqual(
    described.structuredContent.tools.map(({ name }) => name),
    ["slow", "quick"],
  );
  assert.equal(described.structuredContent.silent[0].server, "moon");
  assert.match(
    textOf(described),
    /error\[serve\/no-tools\]: the tool server `moon` at http:\/\/127\.0\.0\.1:9\/mcp did not answer/,
  );
  const checked = await call(client, "check_plan", { plan: "nodes: {land: {type: tool, tool: land, input: {}}}" });
  assert.deepEqual(
    [checked.structuredContent.ok, checked.structuredContent.silent.length],
    [true, 1],
    "the tool may be of the server that is silent",
  );
  const ran = await call(client, "run_plan", { plan: "nodes: {quick: {type: tool, tool: quick, input: {}}}" });
  assert.deepEqual([ran.isError, ran.structuredContent.failure.code], [true, "tool/unreachable"]);
});

test("a run that can't go on because a tool server is down stays resumable", async (context) => {
  const args = ["--stubs", stubs, "--runs", "down"];
  const first = await overStdio(args);
  const { run } = (await call(first, "run_plan", { plan: APPROVAL_PLAN })).structuredContent;
  await first.close();
  const decisions = { "ask:1:1": "approved" };
  const down = await overStdio([
    ...args,
    "--caller-decides",
    "--server",
    "moon=http://127.0.0.1:9/mcp",
    "--retries",
    "0",
  ]);
  context.after(() => down.close());
  for (const _ of [1, 2])
    assert.match(
      textOf(await call(down, "resume_run", { run, decisions })),
      /^error\[serve\/not-resumed\]: tool\/unreachable/,
    );
  assert.equal((await call(down, "explain_run", { run })).structuredContent.status, "paused");
  await down.close();
  const next = await overStdio([...args, "--caller-decides"]);
  context.after(() => next.close());
  const done = await call(next, "resume_run", { run, decisions });
  assert.equal(done.structuredContent.status, "completed", textOf(done));
});

test("the server reads no plans through a link out of its folder", async (context) => {
  const { symlinkSync } = await import("node:fs");
  mkdirSync(join(folder, "linked"));
  file("secret.yaml", APPROVAL_PLAN);
  symlinkSync(join(folder, "secret.yaml"), join(folder, "linked", "plan.yaml"));
  const client = await overStdio(["--plans", "linked"]);
  context.after(() => client.close());
  assert.match(textOf(await call(client, "check_plan", { path: "plan.yaml" })), /^error\[serve\/unknown-plan\]/);
});

test("the server abandons unanswered questions after ten minutes", async (context) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  context.after(() => mock.timers.reset());
  const job = new MultiRoundTrip(
    async (asker) => asker.ask({ method: "elicitation/create", params: {} }).catch((error) => error),
    () => {},
  );
  const turn = await job.nextRound();
  assert.deepEqual([turn.type, Object.keys(turn.questions)], ["asks", ["q1"]]);
  job.answer({ other: { action: "accept" } });
  mock.timers.tick(10 * 60_000 - 1);
  assert.equal(job.signal.aborted, false);
  mock.timers.tick(1);
  assert.ok((await job.done) instanceof UnansweredError);
  assert.equal(job.signal.aborted, true);
});

test("a session that was silent for an hour is ended when another begins", async () => {
  let now = 0;
  const sessions = new Sessions(
    () => new McpServer({ name: "x", version: "1" }),
    () => now,
  );
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const startServer = async () => {
    const response = await sessions.answer(
      new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) }),
      body,
    );
    await response.text();
    return response.headers.get("mcp-session-id");
  };
  await startServer();
  now = 59 * 60_000;
  await startServer();
  assert.equal(sessions.size, 2);
  now = 61 * 60_000;
  await startServer();
  assert.equal(sessions.size, 2, "the first was silent for too long");
  await sessions.close();
  assert.equal(sessions.size, 0);
});

test("stored runs contain secrets only in snapshots, and a paused run resumes", async (context) => {
  const args = ["--stubs", stubs, "--runs", "plain", "--context", "user=marker-4711", "--caller-decides"];
  const plan =
    "nodes: {say: {type: log, input: 'for ${context.user}, ${input.api_token}'}, ask: {type: approve, input: 1}}\n" +
    "edges: [{from: say, to: ask}]";
  const client = await overStdio(args);
  const { structuredContent } = await call(client, "run_plan", { plan, input: { api_token: "hunter2" } });
  await client.close();
  const { run: id } = structuredContent;
  const text = () => readFileSync(join(folder, "plain", `${id}.run.json`), "utf8");
  const { snapshot, ...rest } = JSON.parse(text());
  for (const secret of ["marker-4711", "hunter2"]) {
    assert.ok(!JSON.stringify(rest).includes(secret), `${secret} in ${JSON.stringify(rest)}`);
    assert.ok(JSON.stringify(snapshot).includes(secret), `the snapshot needs ${secret}`);
  }
  for (const name of readdirSync(join(folder, "plain")))
    assert.equal(statSync(join(folder, "plain", name)).mode & 0o777, 0o600, name);
  const next = await overStdio(args);
  context.after(() => next.close());
  const done = await call(next, "resume_run", { run: id, decisions: { "ask:1:1": "approved" } });
  assert.equal(done.structuredContent.status, "completed", textOf(done));
  for (const secret of ["marker-4711", "hunter2"]) assert.ok(!text().includes(secret), secret);
});
