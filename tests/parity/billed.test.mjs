// Tests cost bounds for a provider that bills every call, even an abandoned or malformed one, on random runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, estimateCost, PlanGraph, run } from "../../dist/node.js";
import { Random } from "./drivers/random.mjs";
import { Time } from "./drivers/virtual-time.mjs";

const MAX_TOKENS = 100;
const PRICE = { input: 3, output: 15, context: 4_000 };
const PRICES = { models: { default: PRICE } };
const ask = { type: "llm", input: "How are you?", with: { max_tokens: MAX_TOKENS } };
const plan = (json) => PlanGraph.load(JSON.stringify(json));
const usd = ({ input, output }) => (input * PRICE.input + output * PRICE.output) / 1e6;

/** Each call is billed when it begins. */
function billingModel(random, time, ends = ["reply", "fail", "malformed", "schema"]) {
  const bill = { usd: 0, calls: 0, aborted: 0 };
  const chat = ({ messages, max_tokens }, { signal }) => {
    const input = 1 + random.below(Buffer.byteLength(messages.map(({ content }) => content).join("")));
    const usage = { input, output: random.below(max_tokens + 1), cached_input: 0 };
    bill.usd += usd(usage);
    bill.calls++;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => (bill.aborted++, reject(signal.reason)), { once: true });
      time.after(1 + random.below(1_000), () => {
        const end = random.pick(ends);
        if (end === "fail") reject(new CallError("model/unreachable", "the connection broke"));
        else if (end === "malformed") resolve({ text: 5, finish: "stop", usage });
        else resolve({ text: end === "schema" ? "{" : `"${random.pick(["yes", "no"])}"`, finish: "stop", usage });
      });
    });
  };
  return { bill, models: { default: chat } };
}

function node(random) {
  return {
    ...ask,
    ...(random.chance(0.4) && { timeout_ms: 100 + random.below(800) }),
    ...(random.chance(0.6) && { retry: { attempts: 1 + random.below(3), backoff_ms: random.below(50) } }),
    ...(random.chance(0.3) && { with: { ...ask.with, schema: { type: "string" } } }),
  };
}

const chain = (random) => ({
  start: "a",
  nodes: { a: node(random), b: node(random) },
  edges: [
    { from: "a", to: "b", condition: "last == 'yes'" },
    { from: "a", to: "a", condition: "last == 'no'" },
    { from: "a", to: "b", condition: "error.code == 'node/timeout'" },
  ],
});

function randomPlan(random) {
  const names = ["x", "y", "z"].slice(0, 1 + random.below(3));
  const join = random.pick(["all", "any"]);
  const fan = random.chance(0.5)
    ? { type: "parallel", with: { join }, branches: Object.fromEntries(names.map((name) => [name, chain(random)])) }
    : { type: "map", input: names, with: { join, concurrency: 1 + random.below(2) }, do: chain(random) };
  return {
    limits: { visits: 3, ...(random.chance(0.6) && { usd: random.below(20) / 1000 }) },
    start: "fan",
    nodes: { fan: { ...fan, ...(random.chance(0.3) && { timeout_ms: 500 }) }, last: node(random) },
    edges: [
      { from: "fan", to: "last" },
      { from: "fan", to: "last", condition: "error.code != ''" },
    ],
  };
}

test("no provider bills more than the bound, and than what the report has", async () => {
  const count = Math.ceil(300 * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  const seen = { calls: 0, aborted: 0, unreported: 0, limited: 0 };
  for (let seed = 1; seed <= count; seed++) {
    const random = new Random("billed", seed);
    const time = new Time();
    const graph = plan(randomPlan(random));
    const { bill, models } = billingModel(random, time);
    const { bound } = estimateCost(graph, { prices: PRICES }).total;
    const { outcome, counts } = await time.during(run(graph, { models, prices: PRICES, clock: time.clock }));
    const what = `seed ${seed}: ${outcome.code ?? outcome.type}, billed ${bill.usd}, ${JSON.stringify(counts)}`;
    const { unreported = { calls: 0, usd: 0 } } = counts;
    assert.ok(bill.usd <= (counts.usd ?? 0) + unreported.usd + 1e-9, what);
    assert.ok(bound.usd.most !== null && bill.usd <= bound.usd.most + 1e-9, `${what}: the bound is ${bound.usd.most}`);
    seen.calls += bill.calls;
    seen.aborted += bill.aborted;
    seen.unreported += unreported.calls;
    seen.limited += outcome.code === "run/usd-limit" ? 1 : 0;
    graph.free();
  }
  const isCommon = seen.calls > count && seen.aborted > count / 10 && seen.unreported > seen.aborted;
  assert.ok(isCommon && seen.limited > count / 20, JSON.stringify(seen));
});

test("a call without a report counts as its bound, and as unknown without prices", async () => {
  const flaky = (code) => {
    let calls = 0;
    return async () => {
      if (calls++ === 0) throw new CallError(code, "no");
      return { text: "hi", finish: "stop", usage: { input: 10, output: 10, cached_input: 0 } };
    };
  };
  const graph = plan({ nodes: { a: { ...ask, retry: { attempts: 2, backoff_ms: 0 } } } });
  const countsOf = async (code, more) => (await run(graph, { models: { default: flaky(code) }, ...more })).counts;
  const { unreported, ...reported } = await countsOf("model/unreachable", { prices: PRICES });
  assert.deepEqual([reported.usd, unreported.calls], [0.00018, 1]);
  assert.ok(unreported.tokens > MAX_TOKENS + 1_000 && unreported.usd >= usd({ input: 1_000, output: MAX_TOKENS }));
  assert.deepEqual((await countsOf("model/unreachable")).unreported, { calls: 1, tokens: null, usd: null });
  // The provider refused before it answered.
  for (const code of ["model/rate-limited", "model/overloaded", "model/unauthorized", "model/quota"])
    assert.equal((await countsOf(code, { prices: PRICES })).unreported, undefined, code);
});

test("a limit counts calls without a report, and ends the run if they have no bound", async () => {
  const never = async () => Promise.reject(new CallError("model/unreachable", "no"));
  const of = (limits, settings = ask.with) =>
    plan({ limits, nodes: { a: { ...ask, with: settings, retry: { attempts: 9, backoff_ms: 0 } } } });
  const result = async (graph, prices = PRICES) => {
    const { outcome, counts } = await run(graph, { models: { default: never }, prices });
    return [outcome.code, counts.calls];
  };
  // A call may cost about 0.005 dollars, and use about 1,260 tokens.
  assert.deepEqual(await result(of({ usd: 0.009 })), ["run/usd-limit", 2]);
  assert.deepEqual(await result(of({ usd: 1 })), ["model/unreachable", 9]);
  assert.deepEqual(await result(of({ tokens: 3_000 })), ["run/token-limit", 3]);
  assert.deepEqual(await result(of({ usd: 1 }, {})), ["run/usd-limit", 1]);
  assert.deepEqual(await result(of({ tokens: 1e6 }, {})), ["run/token-limit", 1]);
  const bounded = { models: { default: { ...PRICE, max_output: 50 } } };
  assert.deepEqual(await result(of({ usd: 1 }, {}), bounded), ["model/unreachable", 9]);
});

test("a host can lower a plan's limit in US dollars, and not raise it", async () => {
  const usage = { input: 1_000, output: 0, cached_input: 0 };
  const models = { default: async () => ({ text: "hi", finish: "stop", usage }) };
  const codeOf = async (own, usd) => {
    const graph = plan({ limits: own, nodes: { a: ask } });
    return (await run(graph, { models, prices: PRICES, limits: { usd } })).outcome.code;
  };
  assert.equal(await codeOf({ usd: 0.001 }, 1), "run/usd-limit");
  assert.equal(await codeOf({ usd: 1 }, 0.001), "run/usd-limit");
  assert.equal(await codeOf({ usd: 1 }, 1), undefined);
});

const UNKNOWN = [
  null,
  {},
  { input: 5 },
  { input: 5, output: -100 },
  { input: null, output: null },
  { input: 5, output: 1.5, cached_input: 0 },
];

for (const usage of UNKNOWN)
  test(`a reply with the usage ${JSON.stringify(usage)} exceeds each limit of tokens and dollars`, async () => {
    const loop = (limits) =>
      plan({
        start: "a",
        limits: { ...limits, visits: 10 },
        nodes: { a: ask, b: { type: "noop" } },
        edges: [
          { from: "a", to: "b" },
          { from: "b", to: "a", condition: "last != 'z'" },
        ],
      });
    let calls = 0;
    const models = { default: async () => (calls++, { text: "hi", finish: "stop", usage }) };
    for (const [limits, code] of [
      [{ tokens: 250 }, "run/token-limit"],
      [{ usd: 0.25 }, "run/usd-limit"],
    ]) {
      calls = 0;
      const { outcome } = await run(loop(limits), { input: 1, models, prices: PRICES });
      assert.deepEqual([outcome.code, calls], [code, 1]);
    }
    const { outcome } = await run(loop({}), { input: 1, models });
    assert.equal(outcome.code, "run/visit-limit", "without a limit, nobody needs the usage");
  });

test("a negative part of the usage makes no reply cheaper", async () => {
  const usage = { input: 1_000_000, output: 0, cached_input: 0, cache_write_input: -900_000 };
  const models = { default: async () => ({ text: "hi", finish: "stop", usage }) };
  const prices = { models: { default: { input: 1, output: 1, cache_write_input: 2 } } };
  const { counts } = await run(plan({ nodes: { a: ask } }), { input: 1, models, prices });
  assert.equal(counts.usd, 1);
});
