// Tests the limits of `stepgraph serve` on disk space and sessions.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { Sessions } from "../../wasm/dist/cli/serve/sessions.js";
import { newStoredRun } from "../../wasm/dist/cli/serve/stored-run.js";
import { RunStore } from "../../wasm/dist/cli/serve/store.js";
import { overStdio, textOf } from "./serve/client.mjs";
import { folder, stepgraph } from "./stepgraph.mjs";

let moment = 0;
/** The run is later than all others. Returns its id and the ids of evicted runs. */
function storeRun(store, status, size = 100) {
  const run = newStoredRun("nodes: {}", null, null);
  const gone = store.add(run);
  const waiting = status === "paused" ? ["ask:1:1"] : [];
  const snapshot = status === "paused" || status === "cancelled" ? '{"type":"snapshot"}' : null;
  Object.assign(run, { status, waiting, snapshot, rest: JSON.stringify({ last: "x".repeat(size) }) });
  assert.equal(store.save(run), null);
  moment += 1000;
  for (const name of readdirSync(store.folder).filter((name) => name.startsWith(run.id)))
    utimesSync(join(store.folder, name), moment, moment);
  return { id: run.id, gone };
}
const storedIds = (store) =>
  new Set(readdirSync(store.folder).flatMap((name) => /^(run-\w+)\.run\.json$/.exec(name)?.slice(1) ?? []));
const pathOf = (name) => join(folder, name);

test("a full folder evicts the oldest ended runs first, then cancelled runs, and never paused runs", () => {
  const store = new RunStore(1000, pathOf("counted"), { runs: 6, bytes: Infinity });
  const [paused, cancelled, first, second, third, fourth] = [
    "paused",
    "cancelled",
    "completed",
    "failed",
    "completed",
    "completed",
  ].map((status) => storeRun(store, status).id);
  // Eviction frees a tenth more than necessary.
  const fifth = storeRun(store, "completed");
  assert.deepEqual(fifth.gone, [first, second]);
  assert.deepEqual(storedIds(store), new Set([paused, cancelled, third, fourth, fifth.id]));
  for (let i = 0; i < 4; i++) storeRun(store, "paused");
  assert.equal(storedIds(store).has(cancelled), false);
  assert.equal(storedIds(store).has(paused), true);
  storeRun(store, "paused");
  const before = storedIds(store);
  assert.throws(() => storeRun(store, "completed"), { code: "serve/no-room" });
  assert.deepEqual(storedIds(store), before);
  assert.throws(() => storeRun(new RunStore(1000, pathOf("counted"), { runs: 6, bytes: Infinity }), "completed"), {
    code: "serve/no-room",
  });
});

test("stored runs never exceed the quota, whatever their size", () => {
  const store = new RunStore(1000, pathOf("weighed"), { runs: Infinity, bytes: 100_000 });
  const waits = storeRun(store, "paused", 20_000).id;
  const ids = Array.from({ length: 20 }, () => storeRun(store, "completed", 20_000).id);
  assert.ok(storedIds(store).size >= 4 && storedIds(store).size <= 5, [...storedIds(store)].join());
  assert.deepEqual(
    [storedIds(store).has(waits), storedIds(store).has(ids.at(-1)), storedIds(store).has(ids[0])],
    [true, true, false],
  );
  for (let i = 0; i < 4; i++) storeRun(store, "paused", 20_000);
  assert.throws(() => storeRun(store, "completed"), { code: "serve/no-room", message: /weighed/ });
});

test("the store keeps unreadable files, foreign files and runs of other servers", () => {
  mkdirSync(pathOf("mixed"));
  const unreadable = "run-00000000000a";
  writeFileSync(join(pathOf("mixed"), `${unreadable}.run.json`), "{");
  writeFileSync(join(pathOf("mixed"), "notes.txt"), "mine");
  const other = new RunStore(1000, pathOf("mixed"));
  const running = newStoredRun("nodes: {}", null, null);
  other.add(running);
  other.save(running);
  // The parent is alive and another process.
  writeFileSync(other.file(running.id, "claim"), String(process.ppid));
  const store = new RunStore(1000, pathOf("mixed"), { runs: 3, bytes: Infinity });
  for (let i = 0; i < 5; i++) storeRun(store, "completed");
  assert.ok(storedIds(store).has(unreadable) && storedIds(store).has(running.id));
  assert.ok(readdirSync(pathOf("mixed")).includes("notes.txt"));
});

test("a server whose folder is full of paused runs rejects new runs and resumes the stored ones", async (context) => {
  const args = ["--runs", "full", "--quota", "1", "--caller-decides"];
  const client = await overStdio(args, { era: "2025-11-25" });
  context.after(() => client.close());
  const run = (plan, input) => client.callTool({ name: "run_plan", arguments: { plan, input } });
  const ask =
    'nodes: {ask: {type: approve, input: 1}, say: {type: log, input: "${input}"}}\nedges: [{from: ask, to: say}]';
  const first = await run(ask, "x".repeat(200_000));
  assert.equal(first.structuredContent.status, "paused");
  assert.equal((await run(ask, "x".repeat(200_000))).structuredContent.status, "paused");
  const refused = await run("nodes: {a: {type: log}}");
  assert.match(textOf(refused), /^error\[serve\/no-room\]: .*`full`.*\n {2}help: .*--quota/);
  const decided = await client.callTool({
    name: "resume_run",
    arguments: { run: first.structuredContent.run, decisions: { "ask:1:1": "approved" } },
  });
  assert.equal(decided.structuredContent.status, "completed");
  assert.equal((await run("nodes: {a: {type: log}}")).structuredContent.status, "completed");
});

test("a quota without a folder is refused", async () => {
  const { code, err } = await stepgraph(["serve", "--quota", "5"]);
  assert.equal(code, 2);
  assert.match(err, /add `--runs DIR`/);
});

test("a server without free sessions rejects new clients, and evicts only idle sessions", async (context) => {
  let now = 0;
  const sessions = new Sessions(
    () => new McpServer({ name: "x", version: "1" }),
    () => now,
    3,
  );
  context.after(() => sessions.close());
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const send = async (body, own = {}) => {
    const init = { method: "POST", headers: { ...headers, ...own }, body: JSON.stringify(body) };
    const response = await sessions.answer(new Request("http://localhost/mcp", init), body);
    await response.text();
    return response;
  };
  const startSession = () => send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const ping = (id) => send({ jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": id });
  const idOf = (response) => response.headers.get("mcp-session-id");

  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(idOf(await startSession()));
  now = 5 * 60_000;
  const refused = await startSession();
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "30"]);
  assert.equal((await ping(ids[0])).status, 200, "nobody lost a session by it");
  assert.equal((await ping(ids[2])).status, 200);
  now = 10 * 60_000 - 4000;
  assert.equal((await startSession()).headers.get("retry-after"), "4");
  now = 11 * 60_000;
  const next = idOf(await startSession());
  assert.ok(next, "one was idle");
  assert.equal((await ping(ids[1])).status, 404);
  for (const id of [ids[0], ids[2], next]) assert.equal((await ping(id)).status, 200);

  // A session with an open stream never counts as idle.
  const listening = new Request("http://localhost/mcp", {
    headers: { accept: "text/event-stream", "mcp-session-id": ids[0] },
  });
  const stream = await sessions.answer(listening, undefined);
  now = 40 * 60_000;
  assert.ok(idOf(await startSession()));
  assert.equal((await ping(ids[0])).status, 200);
  await stream.body.cancel();
  const many = await Promise.all(Array.from({ length: 10 }, startSession));
  assert.ok(sessions.size <= 3, "many who come at once don't get past the bound");
  assert.ok(many.some(({ status }) => status === 503));
});
