// Tests that `limits.usd` and `prices` count models' costs, stop runs, and survive pauses, replays and journals.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryJournal, runDurable } from "../../dist/integrations/durable/node.js";
import { fork, openai, PlanGraph, priceModels, run } from "../../dist/node.js";

const usage = { input: 1_000, output: 100, cached_input: 0 };
/** A reply costs 0.0035 dollars. */
const PRICES = { models: { default: { input: 3, output: 5, cached_input: 0.3, cache_write_input: 4 } } };
const model = async () => ({ text: "hi", finish: "stop", usage });
const models = { default: model };
const priced = { models, prices: PRICES };
const load = (json) => PlanGraph.load(JSON.stringify(json));
const ask = { type: "llm", input: "x" };
const twice = (limits) =>
  load({
    limits,
    start: "a",
    nodes: { a: ask, ok: { type: "approve" }, b: ask },
    edges: [
      { from: "a", to: "ok" },
      { from: "ok", to: "b" },
    ],
  });
const approve = { onApproval: () => "approved" };

test("the report has what the models cost, if every reply had a price", async () => {
  const graph = twice();
  assert.equal((await run(graph, { ...priced, ...approve })).counts.usd, 0.007);
  assert.equal((await run(graph, { models, ...approve })).counts.usd, undefined);
  let replies = 0;
  const uncounted = async () => (replies++ === 0 ? model() : "hi");
  assert.equal(
    (await run(graph, { models: { default: uncounted }, prices: PRICES, ...approve })).counts.usd,
    undefined,
  );
  const cached = async () => ({
    text: "hi",
    finish: "stop",
    usage: { ...usage, cached_input: 400, cache_write_input: 100 },
  });
  const { counts } = await run(load({ nodes: { a: ask } }), { models: { default: cached }, prices: PRICES });
  assert.equal(counts.usd, (500 * 3 + 400 * 0.3 + 100 * 4 + 100 * 5) / 1e6);
  const own = async () => ({ text: "hi", finish: "stop", usage: { ...usage, micro_usd: 42 } });
  assert.equal((await run(load({ nodes: { a: ask } }), { models: { default: own } })).counts.usd, 0.000042);
});

test("a run that costs more than its limit fails, and keeps the answer", async () => {
  for (const [plan, options] of [
    [twice({ usd: 0.005 }), {}],
    [twice({ usd: 9 }), { limits: { usd: 0.005 } }],
  ]) {
    const { outcome, outputs, counts } = await run(plan, { ...priced, ...approve, ...options });
    assert.deepEqual([outcome.code, outcome.node, outputs.b, counts.usd], ["run/usd-limit", "b", "hi", 0.007]);
  }
  const { outcome } = await run(twice({ usd: 0.007 }), { ...priced, ...approve });
  assert.equal(outcome.type, "completed");
  const free = { models, prices: { models: { default: { input: 0, output: 0 } } }, ...approve };
  assert.equal((await run(twice({ usd: 0 }), free)).outcome.type, "completed");
});

test("a model without a price does not run under a limit", async () => {
  const named = (name) =>
    load({ limits: { usd: 1 }, nodes: { a: { ...ask, ...(name && { with: { model: name } }) } } });
  const code = async (graph, options) => (await run(graph, options)).outcome.code;
  assert.equal(await code(named(), { models }), "run/unknown-price");
  assert.equal(await code(named(), { models, prices: { models: {} } }), "run/unknown-price");
  assert.equal(
    await code(named("other"), { models: { ...models, other: model }, prices: PRICES }),
    "run/unknown-price",
  );
  assert.equal(
    await code(named("${input}"), { models: { ...models, other: model }, prices: PRICES }),
    "run/unknown-price",
  );
  // A model that the plan can't call needs no price.
  assert.equal(await code(named(), { models: { ...models, other: model }, prices: PRICES }), undefined);
  assert.equal(
    await code(named(), { models, limits: { usd: 1 }, stubs: { models: { default: { return: "hi" } } } }),
    undefined,
  );
  assert.equal(await code(load({ limits: { usd: 1 }, nodes: { a: { type: "log" } } }), { models }), undefined);
  const report = await run(named(), { models });
  assert.match(
    report.outcome.message,
    /the run has the limit 1 USD, and the model `default` \(a function\) has no price/,
  );
  assert.equal(report.counts.calls, 0);
  const client = { provider: "openai", name: "small", chat: model };
  const other = await run(named("careful"), { models: { default: client }, prices: PRICES });
  assert.match(other.outcome.message, /and the model `openai:careful` has no price/);
});

test("a name of the plan goes to the default model, with the price of that name", async () => {
  const seen = [];
  const fetch = async (_url, { body }) => {
    seen.push(JSON.parse(new TextDecoder().decode(await new Response(body).arrayBuffer())).model);
    const reply = {
      choices: [{ message: { content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_000, completion_tokens: 100 },
    };
    return new Response(JSON.stringify(reply), { headers: { "content-type": "application/json" } });
  };
  const graph = load({ limits: { usd: 1 }, nodes: { a: { ...ask, with: { model: "big-2025" } } } });
  const host = { models: { default: openai({ model: "small", apiKey: "secret-key", fetch }) } };
  const small = { "openai:small": { input: 1, output: 1 } };
  assert.equal((await run(graph, { ...host, prices: { models: small } })).outcome.code, "run/unknown-price");
  const prices = {
    models: { ...small, "openai:big*": { input: 10, output: 10 }, "openai:*": { input: 1, output: 1 } },
  };
  const lines = [];
  const report = await run(graph, { ...host, prices, record: (line) => lines.push(line) });
  assert.deepEqual(
    [report.outcome.type, report.counts.usd, seen],
    ["completed", 0.011, ["big-2025"]],
    report.outcome.message,
  );
});

test("a stub without a cost is free", async () => {
  const agent = load({ limits: { usd: 0 }, nodes: { a: { type: "agent", input: "x" } } });
  const { outcome } = await run(agent, { stubs: { models: { default: { return: "hi" } } } });
  assert.equal(outcome.type, "completed");
});

test("a reply without usage ends a run with a limit", async () => {
  const { outcome } = await run(twice({ usd: 1 }), { models: { default: () => "hi" }, prices: PRICES });
  assert.deepEqual(
    [outcome.code, outcome.message],
    ["run/usd-limit", "a model replied without a known cost, and 1 USD are allowed"],
  );
});

test("open calls are abandoned, and no retry goes beyond the limit", async () => {
  const branches = Object.fromEntries(["a", "b", "c"].map((name) => [name, { nodes: { [`${name}1`]: ask } }]));
  const aborted = [];
  const slow = (_request, { call, signal }) =>
    call.includes("a1")
      ? model()
      : new Promise((_, reject) => signal.addEventListener("abort", () => (aborted.push(call), reject(signal.reason))));
  const fan = load({ limits: { usd: 0.003 }, nodes: { fan: { type: "parallel", branches } } });
  const { outcome } = await run(fan, { models: { default: slow }, prices: PRICES });
  assert.deepEqual([outcome.code, aborted.length], ["run/usd-limit", 2]);
  const picky = { ...ask, with: { schema: { type: "object" } }, retry: { attempts: 9 } };
  const retried = await run(load({ limits: { usd: 0.01 }, nodes: { a: picky } }), priced);
  assert.deepEqual([retried.outcome.code, retried.counts.calls], ["run/usd-limit", 3]);
});

test("the sum survives a pause, a replay, a fork and a journal", async () => {
  const graph = twice({ usd: 0.005 });
  const lines = [];
  const paused = await run(graph, { ...priced, record: (line) => lines.push(line) });
  assert.deepEqual([paused.outcome.type, paused.counts.usd], ["paused", 0.0035]);
  const snapshot = JSON.parse(JSON.stringify(paused.snapshot));
  const resumed = await run(graph, { ...priced, snapshot, decisions: { "ok:1:1": "approved" } });
  assert.deepEqual([resumed.outcome.code, resumed.counts.usd], ["run/usd-limit", 0.007]);
  assert.equal((await run(graph, { replay: lines })).counts.usd, 0.0035);
  const forked = await fork(graph, { cassette: lines, ...priced, ...approve });
  assert.deepEqual([forked.outcome.code, forked.counts.usd], ["run/usd-limit", 0.007]);
  assert.equal((await fork(graph, { cassette: lines, models })).outcome.code, "run/unknown-price");
  const durable = { models: priceModels(models, PRICES) };
  const journal = new MemoryJournal(approve);
  const report = await runDurable(graph, journal, durable);
  assert.deepEqual([report.outcome.code, report.counts.usd], ["run/usd-limit", 0.007]);
  assert.equal((await runDurable(graph, new MemoryJournal(), { models })).outcome.code, "run/unknown-price");
  const wrong = async () => runDurable(graph, new MemoryJournal(), { models, prices: PRICES });
  await assert.rejects(wrong, { message: /priceModels/ });
});
