// Tests that plans that loop forever or exhaust the memory of `stepgraph serve` do not affect other clients.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { limitMemory } from "../../wasm/dist/cli/serve/memory-limit.js";
import { WorkerPool } from "../../wasm/dist/cli/serve/pool.js";
import { jsonPrefix, JsonSizes } from "../../wasm/dist/cli/serve/json-size.js";
import { json, modern } from "../servers/serve.mjs";
import { overHttp, textOf } from "./serve/client.mjs";
import { file, folder } from "./stepgraph.mjs";

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, options);
const HELLO = { plan: 'nodes: {hello: {type: log, input: "hi, ${input}"}}', input: "Ada" };
/** It loops longer than any test. */
const ROUND = `
start: a
nodes: {a: {type: tool, tool: one, input: {}, visits: 1000000000}, b: {type: noop}}
edges: [{from: a, to: a, condition: last==1}, {from: a, to: b}]
`;
const stubs = file("frozen.stubs.yaml", "tools: {one: {return: 1, annotations: {readOnlyHint: true}}}");
const highLimits = ["--stubs", stubs, "--limit", "steps=1000000000", "--limit", "calls=1000000000"];

function chained(length, input) {
  const names = Array.from({ length: length + 1 }, (_, at) => `n${at}`);
  return {
    start: "n0",
    nodes: Object.fromEntries(names.map((name, at) => [name, { type: "log", input: at === 0 ? "0123456789" : input }])),
    edges: names.slice(1).map((to, at) => ({ from: names[at], to })),
  };
}

const served = await overHttp([...highLimits, "--runs", "frozen"]);
after(() => served.stop());

test("a server answers others during an endless plan, and the time limit ends the plan", async (context) => {
  const [evil, other] = [await served.connect(), await served.connect({ era: "2025-11-25" })];
  context.after(() => Promise.all([evil.close(), other.close()]));
  const order = [];
  const stop = new AbortController();
  const inTime = `limits: {timeout_ms: 5000}\n${ROUND}`;
  const never = call(evil, "run_plan", { plan: inTime }, { signal: stop.signal }).then(
    (result) => (order.push("over"), result),
    () => null,
  );
  for (let i = 0; i < 5; i++) {
    assert.equal((await call(other, "run_plan", HELLO)).structuredContent.last, "hi, Ada");
    assert.equal((await call(other, "check_plan", { plan: ROUND })).structuredContent.ok, true);
    order.push("other");
  }
  assert.deepEqual(new Set(order), new Set(["other"]), "they did not wait for it");
  const { runs } = (await call(other, "explain_run")).structuredContent;
  const { run: id } = runs.find(({ status }) => status === "running");
  assert.match(textOf(await call(other, "explain_run", { run: id })), new RegExp(`^run ${id}: running`));
  const result = await never;
  assert.equal(result.isError, true);
  // On a busy machine the report of so many steps may take too long.
  const { code } = result.structuredContent.failure;
  assert.match(code, /^(run\/timeout|serve\/frozen)$/);
  assert.ok(textOf(result).includes(`error[${code}]: `), textOf(result));
  assert.equal((await call(other, "explain_run", { run: id })).structuredContent.failure.code, code);
  assert.match(textOf(await call(other, "resume_run", { run: id })), /^error\[serve\/run-over\]/);
  const kept = JSON.parse(readFileSync(join(folder, "frozen", `${id}.run.json`), "utf8"));
  assert.deepEqual([kept.status, kept.outcome.code, kept.snapshot], ["failed", code, null]);
  assert.equal((await call(evil, "run_plan", HELLO)).structuredContent.last, "hi, Ada");
});

test("an endless plan ends when its caller cancels", async (context) => {
  const [evil, other] = [await served.connect(), await served.connect()];
  context.after(() => Promise.all([evil.close(), other.close()]));
  const stop = new AbortController();
  const never = call(evil, "run_plan", { plan: ROUND }, { signal: stop.signal });
  const first = async () => (await call(other, "explain_run")).structuredContent.runs[0];
  while ((await first()).status !== "running");
  stop.abort();
  await assert.rejects(never);
  while ((await first()).status === "running");
  assert.notEqual((await first()).status, "completed");
});

for (const [what, args] of Object.entries({
  "texts that double": { plan: chained(26, "${last}${last}") },
  "values that stand in each other": { plan: chained(40, { l: "${last}", r: "${last}" }) },
  "a list of large texts": {
    plan: `nodes: {m: {type: map, input: "\${input}", do: {nodes: {x: {type: log, input: "\${index} ${"y".repeat(1 << 20)}"}}}}}`,
    input: Array.from({ length: 2000 }, (_, at) => at),
  },
  "a pattern that takes for ever": {
    plan: "inputs: {s: {pattern: '^(a+)+$'}}\nnodes: {a: {type: log, input: x}}",
    input: { s: `${"a".repeat(60)}!` },
  },
})) {
  test(`${what} end with a code, and the server continues`, async (context) => {
    const [evil, other] = [await served.connect(), await served.connect()];
    context.after(() => Promise.all([evil.close(), other.close()]));
    const bomb = call(evil, "run_plan", args);
    for (let i = 0; i < 5; i++) assert.equal((await call(other, "run_plan", HELLO)).structuredContent.last, "hi, Ada");
    const result = await bomb;
    assert.equal(result.isError, true, textOf(result));
    assert.match(
      result.structuredContent.failure.code,
      /^(serve\/(out-of-memory|frozen)|run\/[a-z-]+|template\/[a-z-]+)$/,
    );
    assert.equal((await call(evil, "run_plan", HELLO)).structuredContent.last, "hi, Ada");
  });
}

test("a slow pattern in a tool server's schema blocks no other client", async (context) => {
  const evilTool = {
    name: "evil",
    inputSchema: { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } },
    annotations: { readOnlyHint: true },
  };
  const tools = await modern(({ response, body }) => {
    const result = {
      resultType: "complete",
      ...(body.method === "tools/list" ? { tools: [evilTool] } : { content: [] }),
    };
    json(response, 200, { jsonrpc: "2.0", id: body.id, result });
  });
  const shop = await overHttp(["--server", `shop=${tools.url}`]);
  context.after(async () => (await shop.stop(), tools.stop()));
  const [evil, other] = [await shop.connect(), await shop.connect()];
  context.after(() => Promise.all([evil.close(), other.close()]));
  const plan = `nodes: {a: {type: tool, tool: evil, input: {s: "${"a".repeat(60)}!"}}}`;
  const ran = call(evil, "run_plan", { plan });
  const checked = call(evil, "check_plan", { plan });
  assert.equal((await call(other, "run_plan", HELLO)).structuredContent.last, "hi, Ada");
  await checked;
  assert.equal((await ran).isError, true);
  assert.equal((await call(other, "run_plan", HELLO)).structuredContent.last, "hi, Ada");
});

const kind = { script: fileURLToPath(new URL("./serve/hanging-worker.mjs", import.meta.url)), frozenMs: 500 };
const setup = { servers: [], stubs: null, context: {}, allow: false, limits: {}, traces: null };

function workers(context, answer = async () => null, frozenMs = 500) {
  const pool = new WorkerPool(setup, { answer, trouble() {} }, 1, 2, { ...kind, frozenMs });
  context.after(() => pool.close());
  return pool;
}

test("the server ends an unresponsive worker with its requests, and replaces it", async (context) => {
  const asked = Promise.withResolvers?.() ?? deferred();
  const answer = (_asked, { signal }) => {
    signal.addEventListener("abort", () => asked.resolve());
    return new Promise(() => {});
  };
  // Long enough for the other tasks on a busy machine.
  const pool = workers(context, answer, 5000);
  const first = await pool.run("process");
  assert.equal(await pool.run("process"), first, "a healthy one is used again");
  const order = [];
  const frozen = pool.run("abandon").then(
    () => assert.fail("it came back"),
    (error) => (order.push("frozen"), error),
  );
  for (const value of [1, 2, 3]) order.push(await pool.run("echo", value));
  const { code } = await frozen;
  assert.deepEqual([order, code], [[1, 2, 3, "frozen"], "serve/frozen"]);
  await asked.promise;
  assert.notEqual(await pool.run("process"), first);
});

test("a worker that runs out of memory or exits fails only its own task", async (context) => {
  const pool = workers(context, undefined, 60_000);
  const codes = await Promise.all(
    ["bomb", "leave", "fail", "echo"].map((task) => pool.run(task, 7).catch(({ code, help }) => [code, help])),
  );
  assert.deepEqual(
    codes.map((found) => (Array.isArray(found) ? found[0] : found)),
    ["serve/out-of-memory", "serve/failed", "serve/unknown-value", 7],
  );
  assert.equal(codes[2][1], "do it otherwise");
});

test("a worker that waits for the server is not ended, and other clients get workers", async (context) => {
  const release = [];
  const pool = workers(context, () => new Promise((resolve) => release.push(resolve)));
  const waiting = Array.from({ length: 5 }, () => pool.run("call"));
  while (release.length < 5) await pool.run("echo", 1);
  const ids = new Set();
  for (let i = 0; i < 20; i++) ids.add(await pool.run("process"));
  // The pool ends only the frozen worker, although the others have waited longer.
  await assert.rejects(pool.run("freeze"), { code: "serve/frozen" });
  release.forEach((resolve, at) => resolve(at));
  assert.deepEqual((await Promise.all(waiting)).sort(), [0, 1, 2, 3, 4]);
});

test("a paused run keeps its worker, unused workers end, and a closed pool rejects requests", async (context) => {
  const pool = workers(context);
  await pool.run("echo", 1);
  await pool.close();
  await assert.rejects(pool.run("echo", 1), { code: "serve/failed" });
});

test("requests to workers that can't start fail", async () => {
  const pool = new WorkerPool(setup, { answer: async () => null, trouble() {} }, 1, 2, {
    ...kind,
    script: "/nowhere.mjs",
  });
  await assert.rejects(pool.run("echo", 1), { code: "serve/failed", message: /no worker could be started/ });
  await pool.close();
});

test("the engine's memory has a bound that its module does not", async () => {
  const file = fileURLToPath(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url));
  const module = readFileSync(file);
  const made = limitMemory(module, 4096);
  assert.equal(WebAssembly.validate(made), true);
  assert.deepEqual(
    WebAssembly.Module.exports(new WebAssembly.Module(made)),
    WebAssembly.Module.exports(new WebAssembly.Module(module)),
  );
  assert.equal(limitMemory(made, 10), made, "one that has a bound keeps it");
  assert.equal(limitMemory(module, 1), module, "less than it begins with is no bound");
  // Its memory has one page.
  const small = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x6d, 2, 0]);
  const { m } = new WebAssembly.Instance(new WebAssembly.Module(limitMemory(small, 200))).exports;
  m.grow(199);
  assert.throws(() => m.grow(1), RangeError);
});

test("the size and the beginning of a value's JSON are known without serialization", () => {
  let value = "x";
  for (let i = 0; i < 200; i++) value = { l: value, r: [value] };
  assert.ok(new JsonSizes().of(value) > 2 ** 200);
  assert.equal(jsonPrefix(value, 12), '{"l":{"l":{"');
  for (const one of [null, true, -1.5, "é", [], {}, [1, [2, { a: [] }]], { a: { b: "c" }, d: [null] }]) {
    assert.equal(jsonPrefix(one, 1000), JSON.stringify(one));
    assert.ok(Math.abs(new JsonSizes().of(one) - JSON.stringify(one).length) <= 6, JSON.stringify(one));
  }
  const self = [];
  self.push(self);
  assert.ok(new JsonSizes().of(self) < 10);
});

test("the environment of a worker contains nothing of the server's", async (context) => {
  if (process.platform !== "linux") return context.skip("it is looked up in /proc");
  const keyed = await overHttp([], { STEPGRAPH_SERVER_KEY: "very-secret", OPENAI_API_KEY: "very-secret" });
  context.after(() => keyed.stop());
  const client = await keyed.connect();
  context.after(() => client.close());
  await call(client, "run_plan", HELLO);
  const children = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1].split(" ")[1]) === keyed.pid;
    } catch {
      return false;
    }
  });
  assert.ok(children.length > 0);
  for (const pid of children) assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, "utf8"), /very-secret/);
});

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
