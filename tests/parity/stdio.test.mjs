// Tests MCP servers that are programs: `stdio` of `stepgraph/node`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { stdio } from "stepgraph/node";
import { PlanGraph, run } from "stepgraph";

const PROGRAM = fileURLToPath(new URL("../servers/stdio.mjs", import.meta.url));
const COMMAND = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

function server(context, { args = [], ...options } = {}) {
  const client = stdio({ command: process.execPath, args: [PROGRAM, ...args], name: "test", ...options });
  context.after(() => client.close());
  return client;
}

const call = async (client, name, args = {}, options) => {
  const { value, isError } = await client.call(name, args, options);
  assert.equal(isError, false, String(value));
  return JSON.parse(value);
};

/** The promise settles at the end of the process that connects to the port. An ended process may keep its id. */
async function watched(context) {
  const listener = createServer().listen(0, "127.0.0.1");
  context.after(() => listener.close());
  await once(listener, "listening");
  const connected = once(listener, "connection");
  const ended = connected.then(([socket]) =>
    once(
      socket.resume().on("error", () => {}),
      "close",
    ),
  );
  return { port: listener.address().port, connected, ended };
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

for (const version of ["2026-07-28", "2025-11-25"]) {
  test(`a server of ${version} lists its tools and answers calls`, async (context) => {
    const client = stdio({ command: process.execPath, args: [COMMAND, "serve"], version });
    context.after(() => client.close());
    assert.ok((await client.list()).some(({ name }) => name === "check_plan"));
    assert.equal(client.about().version, version);
    assert.equal(client.name, "node");
    const { isError } = await client.call("check_plan", { plan: "nodes: {a: {type: log}}" });
    assert.equal(isError, false);
  });
}

test("a plan calls its tools, and the run's end leaves the server to `close`", async (context) => {
  const client = server(context);
  const graph = PlanGraph.load("nodes: {a: {type: tool, tool: pid}}");
  const { outcome, last } = await run(graph, { tools: [client], allow: true });
  assert.equal(outcome.type, "completed");
  assert.ok(isAlive(last));
  await client.close();
  assert.equal(isAlive(last), false);
});

test("lines that are no messages are ignored, and messages arrive in pieces", async (context) => {
  const client = server(context, { args: ["lines"] });
  assert.equal(await call(client, "echo", { value: "añ🎉" }), "añ🎉");
});

test("calls at the same time get their own answers and progress", async (context) => {
  const client = server(context);
  const seen = [];
  const onProgress = ({ progress, total }) => seen.push([progress, total]);
  const values = await Promise.all([
    ...[1, 2, 3].map((value) => call(client, "echo", { value })),
    call(client, "progress", {}, { onProgress }),
  ]);
  assert.deepEqual(values, [1, 2, 3, "done"]);
  assert.deepEqual(seen, [[1, 2]]);
});

test("a server asks the user during a call", async (context) => {
  const form = ({ message }) => ({ action: "accept", content: { name: message.length } });
  const client = server(context, { elicitation: { form } });
  assert.deepEqual(await call(client, "ask"), { action: "accept", content: { name: 10 } });
});

test("a server whose questions nobody answers gets a refusal", async (context) => {
  const client = server(context);
  assert.equal(await call(client, "ask"), null);
});

test("a call that is aborted is cancelled on the server", async (context) => {
  const client = server(context);
  await client.list();
  const abort = new AbortController();
  const pending = client.call("never", {}, { signal: abort.signal });
  await call(client, "echo", { value: 1 });
  abort.abort(new Error("enough"));
  await assert.rejects(pending, /enough/);
  const [id, ...more] = await call(client, "cancelled");
  assert.equal(typeof id, "number");
  assert.deepEqual(more, []);
});

test("a crash fails the call and says why; the next one starts the server again", async (context) => {
  const client = server(context);
  const before = await call(client, "pid");
  await assert.rejects(client.call("crash", {}), {
    code: "tool/unreachable",
    message: "`stdio:test` could not be reached: ended with code 7 after writing: the disk is full",
  });
  assert.notEqual(await call(client, "pid"), before);
});

test("a server that misbehaves holds up neither its client nor its memory", async (context) => {
  const client = server(context);
  assert.equal(await call(client, "twice"), "first");
  assert.equal(await call(client, "flood"), "calm");
  assert.equal((await call(client, "long", { length: 8_000_000 })).length, 8_000_000);
  await assert.rejects(client.call("long", { length: 20_000_000 }), { code: "tool/too-large" });
  await assert.rejects(client.call("endless", {}), {
    code: "tool/unreachable",
    message: /was ended, because it wrote a line of more than 33554432 characters/,
  });
  assert.equal(await call(client, "echo", { value: 1 }), 1);
});

test("a program that does not exist is unreachable", async (context) => {
  const client = stdio({ command: "/nowhere/server.exe" });
  context.after(() => client.close());
  assert.equal(client.name, "server");
  await assert.rejects(client.list(), {
    code: "tool/unreachable",
    message: /can't be started: \/nowhere\/server.exe: .*not found$/,
  });
});

test("a server gets few variables of this process and those of `env`, whose values no result shows", async (context) => {
  process.env.STEPGRAPH_TEST_KEY = "a-key-of-this-process";
  context.after(() => delete process.env.STEPGRAPH_TEST_KEY);
  const client = server(context, { env: { API_KEY: "s3cret-value", PLACE: "here" }, cwd: tmpdir() });
  const found = await call(client, "environment");
  assert.equal(found.STEPGRAPH_TEST_KEY, undefined);
  assert.equal(found.PATH, process.env.PATH);
  assert.equal(found.PLACE, "here");
  assert.equal(found.API_KEY, "[secret]");
  assert.equal(await call(client, "folder"), realpathSync(tmpdir()));
});

test("variables may have any names and values", async (context) => {
  const env = {
    PEM: "-----BEGIN KEY-----\nabcdefgh",
    GREET: "日本語です",
    "Program Files(x86)": "C:\\x",
    "MCP-SESSION-ID": "zz",
  };
  const found = await call(server(context, { env }), "environment");
  assert.deepEqual([found.PEM, found.GREET], ["[secret]\n[secret]", "日本語です"]);
  assert.equal(found["Program Files(x86)"] ?? "C:\\x", "C:\\x");
});

test("the last words of a server show no part of a variable", async (context) => {
  const client = server(context, { env: { API_KEY: "s3cret-value-0123456789" } });
  await assert.rejects(client.call("crash", {}), ({ message }) => {
    assert.match(message, /ended with code 7 after writing: /);
    assert.doesNotMatch(message, /value|0123456789/);
    return true;
  });
});

test("a daemon of a server holds up neither `close` nor the report of a crash", async (context) => {
  const client = server(context);
  const first = await call(client, "daemon");
  context.after(() => process.kill(first));
  await client.close();
  const second = await call(client, "daemon");
  context.after(() => process.kill(second));
  await assert.rejects(client.call("crash", {}), { message: /ended with code 7 after writing: the disk is full/ });
});

test("without free descriptors a call fails, and a later one works", async (context) => {
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { stdio } from "stepgraph/node";
    const client = stdio({ command: process.execPath, args: [${JSON.stringify(PROGRAM)}] });
    // Loads what the first operation needs.
    await client.list();
    await client.close();
    const held = [];
    try { for (;;) held.push(openSync("/dev/null")); } catch {}
    closeSync(held.pop());
    const failure = await client.list().then(() => null, (error) => error);
    for (const one of held) closeSync(one);
    const tools = await client.list();
    await client.close();
    console.log(failure?.code, tools.length > 0);`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["-c", 'ulimit -n 80; exec "$0" --input-type=module --eval "$1"', process.execPath, script];
  const child = spawn("/bin/sh", args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  context.after(() => child.kill());
  const [text] = await once(child.stdout.setEncoding("utf8"), "data");
  assert.equal(text, "tool/unreachable true\n");
});

test("`close` ends a server that ignores the end of its input and SIGTERM", async (context) => {
  const client = server(context, { args: ["stubborn"] });
  const { port, ended } = await watched(context);
  await call(client, "connect", { port });
  await client.close();
  await ended;
});

test("the server ends with the process that started it, also when that is killed", async (context) => {
  const { port, connected, ended } = await watched(context);
  const script = `
    import { stdio } from "stepgraph/node";
    const client = stdio({ command: process.execPath, args: [${JSON.stringify(PROGRAM)}, "stubborn"] });
    await client.call("connect", { port: ${port} });
    await client.call("never", {});`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], { cwd, stdio: "inherit" });
  await connected;
  parent.kill("SIGKILL");
  await ended;
});

test("an idle server does not keep the process alive", async () => {
  const script = `
    import { stdio } from "stepgraph/node";
    const client = stdio({ command: process.execPath, args: [${JSON.stringify(PROGRAM)}] });
    console.log((await client.call("echo", { value: "hi" })).value);`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { cwd });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (part) => (said += part));
  const [code] = await once(child, "close");
  assert.deepEqual([code, said], [0, '"hi"\n']);
});

test("unknown and missing options are refused", () => {
  assert.throws(() => stdio({ command: "x", shell: true }), { code: "api/unknown-option" });
  assert.throws(() => stdio({}), { code: "api/bad-option" });
  assert.throws(() => stdio({ command: "x", args: [1] }), { code: "api/bad-option" });
});

test("a command with its arguments in it says where arguments belong", async (context) => {
  const client = stdio({ command: "node server.mjs", name: "joined" });
  context.after(() => client.close());
  await assert.rejects(
    client.list(),
    /can't be started: .*; `command` is one program, its arguments belong under `args`/,
  );
});

test("a program that is no MCP server is shown by its first line, without its variables", async (context) => {
  const script = 'console.log("listening with key", process.env.KEY, "\\u001b[31m"); setInterval(() => {}, 1000);';
  const env = { KEY: "s3cret-value" };
  const client = stdio({ command: process.execPath, args: ["-e", script], env, name: "web", timeoutMs: 2500 });
  context.after(() => client.close());
  await assert.rejects(client.list(), (error) => {
    assert.equal(error.code, "tool/timeout");
    assert.match(error.message, /its output is not MCP, and begins with "listening with key \[secret\] \\u001b\[31m"$/);
    return true;
  });
});

test("a program that writes and ends is shown by its first line", async (context) => {
  const client = stdio({ command: process.execPath, args: ["-e", 'console.log("usage: x")'], name: "short" });
  context.after(() => client.close());
  await assert.rejects(client.list(), /ended with code 0; its output is not MCP, and begins with "usage: x"$/);
});

const KEY = "s3cret-value";
const environment = `
nodes:
  env: { type: tool, tool: environment }
  ask: { type: approve, input: Go on? }
  again: { type: tool, tool: environment, input: {} }
edges: [{ from: env, to: ask }, { from: ask, to: again }]
`;
const withKey = (context) => server(context, { env: { API_KEY: KEY } });
const keyOf = (output) => JSON.parse(output).API_KEY;

test("a run with a program pauses, resumes, is recorded and replayed, without its variables", async (context) => {
  const graph = PlanGraph.load(environment);
  const lines = [];
  const tools = [withKey(context)];
  const paused = await run(graph, { tools, record: (line) => lines.push(line) });
  assert.equal(paused.outcome.type, "paused", JSON.stringify(paused.outcome));
  assert.doesNotMatch(JSON.stringify([paused, lines]), new RegExp(KEY));
  const snapshot = JSON.parse(JSON.stringify(paused.snapshot));
  const { outcome, last } = await run(graph, { tools, snapshot, decisions: { "ask:1:1": "approved" } });
  assert.deepEqual([outcome.type, keyOf(last)], ["completed", "[secret]"]);
  const replayed = await run(graph, { replay: lines });
  assert.deepEqual(replayed.outcome, paused.outcome);
});

test("a run with a program streams, and an abort ends its call", async (context) => {
  const tools = [withKey(context)];
  const events = [];
  const streamed = run.stream(PlanGraph.load("nodes: {env: {type: tool, tool: environment}}"), { tools });
  for await (const event of streamed) events.push(event);
  assert.equal((await streamed.report).outcome.type, "completed");
  assert.ok(events.length > 0);
  assert.doesNotMatch(JSON.stringify(events), new RegExp(KEY));
  const stop = new AbortController();
  const onEvent = ({ type }) => void (type === "node-started" && setImmediate(() => stop.abort()));
  const hangs = PlanGraph.load("nodes: {hang: {type: tool, tool: never}}");
  const aborted = await run(hangs, { tools, signal: stop.signal, onEvent });
  assert.equal(aborted.outcome.type, "cancelled");
  assert.doesNotMatch(JSON.stringify(aborted), new RegExp(KEY));
});
