// Tests that no run of a random plan exceeds its cost estimate, and that unknown figures say why.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { estimateCost, examplePrices, PlanGraph, priceModels, run } from "../../dist/node.js";
import { generate } from "./drivers/generate.mjs";
import { Random } from "./drivers/random.mjs";
import { recorded } from "./drivers/run-modes.mjs";

const KEYS = ["toolCalls", "modelTurns", "inputTokens", "outputTokens", "usd"];
/** Every random reply fits in. */
const PRICE = { input: 3, output: 15, cached_input: 1, context: 500, max_output: 500 };
const PRICES = { models: { default: PRICE, small: { ...PRICE, output: 4 } }, tools: { get: 0.001, put: 0.5 } };
const plan = (json) => PlanGraph.load(JSON.stringify(json));
const nodeOf = (estimate, path) => estimate.nodes.find((node) => node.path === path);
const most = (bound) => KEYS.map((key) => bound[key].most ?? bound[key].kind);

/** Declares the input, so that the length of its list is known. */
function withInputs({ plan: given, input }) {
  const declared = { ...given, inputs: { list: { type: "array", maxItems: input.list.length }, name: true, n: true } };
  const { graph } = PlanGraph.parse(JSON.stringify(declared));
  return graph?.valid ? graph : plan(given);
}

/** Ignores the plan. */
function countCalls(lines) {
  const asked = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "asked");
  return ["tool", "model"].map((kind) => asked.filter((line) => line.kind === kind).length);
}

function assertWithin(bound, expected, what) {
  for (const key of KEYS) {
    const { max } = expected[key];
    if (max === null || bound[key].most === null) continue;
    assert.ok(max <= bound[key].most + 1e-9, `${what}: ${key} is ${max}, and the bound is ${bound[key].most}`);
  }
}

test("no run of a random plan exceeds its bound", async () => {
  const count = Math.ceil(250 * Number(process.env.STEPGRAPH_SEARCH ?? 1));
  const seen = { runs: 0, finite: 0, tools: 0, models: 0, reached: 0 };
  for (let seed = 1; seed <= count; seed++) {
    const one = generate(seed);
    const graph = withInputs(one);
    const { lines, report } = await recorded(graph, one);
    if (report.outcome.code === "run/invalid-plan") continue;
    const estimate = estimateCost(graph, {
      prices: PRICES,
      models: { default: "default", small: "small" },
      runs: [lines],
    });
    const [tools, models] = countCalls(lines);
    const { bound, expected } = estimate.total;
    assert.deepEqual([expected.toolCalls.max, expected.modelTurns.max], [tools, models], `seed ${seed}`);
    assertWithin(bound, expected, `seed ${seed}`);
    for (const node of estimate.nodes) assertWithin(node.bound, node.expected, `seed ${seed}, node ${node.path}`);
    seen.runs++;
    seen.finite += bound.toolCalls.most === null ? 0 : 1;
    seen.tools += tools;
    seen.models += models;
    seen.reached += models > 0 && bound.modelTurns.most === models ? 1 : 0;
    graph.free();
  }
  assert.ok(seen.runs > 0.9 * count && seen.finite > count / 3, JSON.stringify(seen));
  assert.ok(seen.tools > count / 2 && seen.models > count / 2 && seen.reached > count / 20, JSON.stringify(seen));
});

function tryAllWalks({ start, next, limits }) {
  const visits = limits.map(() => 0);
  const found = { visits: limits.map(() => 0), steps: 0 };
  const walk = (node, steps) => {
    if (visits[node] === limits[node]) return;
    visits[node]++;
    found.visits[node] = Math.max(found.visits[node], visits[node]);
    found.steps = Math.max(found.steps, steps);
    for (const target of next[node]) walk(target, steps + 1);
    visits[node]--;
  };
  walk(start, 1);
  return found;
}

test("no walk through a graph visits a node more often than the bound", () => {
  let equal = 0;
  for (let seed = 0; seed < 400; seed++) {
    const random = new Random("walks", seed);
    const size = 2 + random.below(4);
    const limits = Array.from({ length: size }, () => 1 + random.below(3));
    const next = limits.map((_, from) =>
      limits.map((_, to) => to).filter((to) => random.chance(to > from ? 0.5 : 0.2)),
    );
    const actual = tryAllWalks({ start: 0, next, limits });
    const id = (node) => `n${node}`;
    const graph = plan({
      start: id(0),
      nodes: Object.fromEntries(limits.map((visits, at) => [id(at), { type: "llm", input: "x", visits }])),
      edges: next.flatMap((targets, from) =>
        targets.map((to) => ({ from: id(from), to: id(to), condition: `last == '${to}'` })),
      ),
    });
    const estimate = estimateCost(graph);
    const bounds = limits.map((_, at) => nodeOf(estimate, id(at)).bound.modelTurns.most);
    for (const [at, bound] of bounds.entries())
      assert.ok(bound >= actual.visits[at], `seed ${seed}: node ${at} ${bound} < ${actual.visits[at]}`);
    assert.ok(estimate.total.bound.modelTurns.most >= actual.steps, `seed ${seed}`);
    if (bounds.every((bound, at) => bound === actual.visits[at])) equal++;
  }
  assert.ok(equal > 250, `only ${equal} of 400 bounds are exact`);
});

test("attempts, turns, branches and elements multiply", () => {
  const retry = { attempts: 3 };
  const ask = { type: "llm", input: "x", retry };
  const graph = plan({
    start: "each",
    nodes: {
      each: { type: "map", input: [1, 2], retry: { attempts: 2 }, do: { nodes: { ask } } },
      fan: {
        type: "parallel",
        with: { join: "any" },
        branches: {
          a: { nodes: { get: { type: "tool", tool: "get" } } },
          b: { nodes: { plan: { type: "plan", input: "x" } } },
        },
      },
      one: { type: "agent", input: "x", with: { max_turns: 1 } },
      two: { type: "agent", input: "x", with: { max_turns: 2, tools: [] } },
      sub: { type: "graph", graph: { nodes: { turn: { type: "react", input: "x", with: { max_turns: 4 } } } } },
      all: { type: "gather", input: { tool_calls: [{ tool_name: "get" }, { tool_name: "put" }] } },
      unreached: { type: "noop" },
    },
    edges: [
      { from: "each", to: "fan" },
      { from: "fan", to: "one", condition: "last == 1" },
      { from: "fan", to: "two" },
      { from: "one", to: "sub" },
      { from: "two", to: "sub" },
      { from: "sub", to: "all" },
      { from: "all", to: "unreached" },
    ],
  });
  const estimate = estimateCost(graph, { prices: PRICES });
  const calls = estimate.nodes.map(({ path, bound }) => [path, bound.toolCalls.most, bound.modelTurns.most]);
  assert.deepEqual(calls, [
    ["each/ask", 0, 12],
    ["fan/a/get", 1, 0],
    ["fan/b/plan", 0, 3],
    ["one", 0, 1],
    ["two", 0, 2],
    ["sub/turn", 0, 4],
    ["all", 2, 0],
  ]);
  assert.deepEqual(most(estimate.total.bound).slice(0, 2), [3, 12 + 3 + 2 + 4]);
});

test("an unknown figure is never 0, and says why", () => {
  const nodes = {
    each: { type: "map", input: "${input.items}", do: { nodes: { get: { type: "tool", tool: "get" } } } },
    help: { type: "agent", input: "x", with: { max_tokens: 10 } },
    plain: { type: "llm", input: "x" },
  };
  const edges = [
    { from: "each", to: "help" },
    { from: "help", to: "plain" },
  ];
  const estimate = estimateCost(plan({ nodes, edges }));
  assert.deepEqual(most(nodeOf(estimate, "each/get").bound), ["unbounded", 0, 0, 0, 0]);
  assert.deepEqual(most(nodeOf(estimate, "help").bound), ["unbounded", 200 / 25, "unknown", 80, "unknown"]);
  assert.deepEqual(most(estimate.total.bound), ["unbounded", 9, "unknown", "unknown", "unknown"]);
  const { toolCalls, outputTokens, usd } = estimate.total.bound;
  assert.match(toolCalls.why.join(), /a reply to `help` may ask for any number of calls/);
  assert.match(toolCalls.why.join(), /the length of `\$\{input\.items\}` is unknown \(`each`\)/);
  assert.deepEqual(outputTokens.why, ["`max_tokens` of `plain` is not set"]);
  assert.deepEqual(usd.why, ["there is no price for the model `default`"]);
  const limited = estimateCost(plan({ nodes, edges, limits: { calls: 7 } }), { prices: PRICES });
  assert.deepEqual(most(limited.total.bound).slice(0, 2), [7, 7]);
  assert.ok(limited.total.bound.usd.most > 0);
});

test("limits in tokens and dollars bound a run, plus the replies that are open at that time", () => {
  const loop = (limits) =>
    plan({
      limits,
      nodes: { ask: { type: "llm", input: "x", with: { max_tokens: 100 } } },
      edges: [{ from: "ask", to: "ask", condition: "last == 'more'" }],
      start: "ask",
    });
  const bound = (limits) => estimateCost(loop(limits), { prices: PRICES }).total.bound;
  assert.deepEqual(most(bound({})).slice(2), [12_500, 2_500, 25 * 0.003]);
  assert.deepEqual(most(bound({ tokens: 1_000 })).slice(2, 4), [1_600, 1_600]);
  assert.equal(bound({ usd: 0.01 }).usd.most, 0.013);
});

test("recorded runs give the mean and the most, and a reply without usage is unknown", async () => {
  const graph = plan({
    nodes: { ask: { type: "llm", input: "x" }, get: { type: "tool", tool: "get" } },
    edges: [{ from: "ask", to: "get" }],
  });
  const record = async (usage) => {
    const lines = [];
    const reply = async () => ({ text: "x", finish: "stop", usage });
    const tools = { get: { input: {}, run: () => 1 } };
    await run(graph, { models: { default: reply }, tools, record: (line) => lines.push(line) });
    return lines;
  };
  const [first, second] = [
    await record({ input: 100, output: 10, cached_input: 50 }),
    await record({ input: 300, output: 30, cached_input: 0 }),
  ];
  const { total, nodes } = estimateCost(graph, { prices: PRICES, runs: [first, second.join("\n")] });
  assert.deepEqual(total.expected.inputTokens, { mean: 200, max: 300 });
  const costs = [0.00035 + 0.001, 0.00135 + 0.001];
  assert.ok(
    Math.abs(total.expected.usd.mean - (costs[0] + costs[1]) / 2) < 1e-12 &&
      Math.abs(total.expected.usd.max - costs[1]) < 1e-12,
  );
  assert.deepEqual(nodes[1].expected.toolCalls, { mean: 1, max: 1 });
  const unknown = estimateCost(graph, { prices: PRICES, runs: [first, await record(null)] }).total.expected;
  assert.deepEqual(unknown.usd, { mean: null, max: null, why: ["a reply has no usage"] });
  assert.deepEqual(unknown.modelTurns, { mean: 1, max: 1 });
  assert.deepEqual(estimateCost(graph, { runs: [first] }).total.expected.usd.why, [
    "there is no price for the model `default`",
  ]);
  for (const broken of [
    { input: "1", output: 1 },
    { input: -1, output: 1 },
    { input: 1, output: 1, micro_usd: "1" },
    [],
    "x",
  ]) {
    const lines = first.map((line) => {
      const { reply, ...rest } = JSON.parse(line);
      return JSON.stringify(reply === undefined ? rest : { ...rest, reply: { ...reply, usage: broken } });
    });
    assert.deepEqual(estimateCost(graph, { runs: [lines] }).total.expected.usd.why, ["a reply has no usage"]);
  }
  const other = plan({ nodes: { other: { type: "llm", input: "x" } } });
  assert.throws(() => estimateCost(other, { runs: [first] }), { code: "cost/unusable-run", message: /`ask:1:1`/ });
  assert.throws(() => estimateCost(graph, { runs: ["nonsense"] }), { code: "cost/unusable-run" });
});

test("prices with a mistake are refused", () => {
  const graph = plan({ nodes: { a: { type: "noop" } } });
  for (const [prices, message] of [
    [{ model: {} }, /`prices\.model` .*did you mean `models`/],
    [{ models: { a: { input: 1 } } }, /`prices\.models\.a` .*it has no `output`/],
    [{ models: { a: { input: 1, output: -1 } } }, /`prices\.models\.a\.output`/],
    [{ models: { a: { input: 1, output: NaN } } }, /`prices\.models\.a\.output`/],
    [{ models: { a: { input: 1, output: 1, cashed_input: 1 } } }, /did you mean `cached_input`/],
    [{ tools: { a: "free" } }, /`prices\.tools\.a`/],
    [{ tools: { a: Infinity } }, /`prices\.tools\.a`/],
  ]) {
    assert.throws(() => estimateCost(graph, { prices }), { code: "api/bad-option", message });
    assert.throws(() => priceModels({}, prices), { code: "api/bad-option", message });
  }
  estimateCost(graph, { prices: examplePrices });
});

test("the guide's program prints what it says", async () => {
  const page = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
  const [, program] = /```js[^\n]*\n([^]*?)```/.exec(page);
  const module = program.replace(
    'from "stepgraph"',
    `from ${JSON.stringify(new URL("../../dist/node.js", import.meta.url).href)}`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", module]);
  const said = [...program.matchAll(/; \/\/ (.*)$/gm)].map(([, text]) => text);
  assert.deepEqual(stdout.trim().split("\n"), said);
});
