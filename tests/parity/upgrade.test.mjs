// Tests each rule of docs/upgrade.md: which changes of a plan a paused run may continue with.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { compareRun, PlanGraph, restartAt, run } from "../../dist/node.js";

const page = readFileSync(new URL("../../docs/upgrade.md", import.meta.url), "utf8");

const ORDER = {
  inputs: { city: { type: "string" } },
  limits: { visits: 9, steps: 50 },
  nodes: {
    fetch: { type: "log", input: "data of ${input.city}" },
    ask: { type: "approve", input: "send ${last}?" },
    send: { type: "log", input: "sent" },
  },
  edges: [
    { from: "fetch", to: "ask", condition: "last.exists" },
    { from: "ask", to: "send", condition: "last == approved" },
  ],
};
const LOOP = {
  nodes: { ask: { type: "approve", input: "again?" }, done: { type: "log", input: "done" } },
  edges: [
    { from: "ask", to: "ask", condition: "last == approved" },
    { from: "ask", to: "done" },
  ],
  start: "ask",
};
const wait = { nodes: { ask: { type: "approve" }, after: { type: "log", input: "after" } } };
const nested = (graph = wait) => ({ ...graph, edges: [{ from: "ask", to: "after" }] });
const ONE = {
  nodes: { sub: { type: "graph", graph: nested() }, end: { type: "log" } },
  edges: [{ from: "sub", to: "end" }],
};
const quick = { nodes: { say: { type: "log", input: "quick" } } };
const FAN = {
  nodes: { fan: { type: "parallel", with: { concurrency: 1 }, branches: { a: quick, b: nested(), c: quick } } },
};
const LATER_FAN = { nodes: { ask: { type: "approve" }, ...FAN.nodes }, edges: [{ from: "ask", to: "fan" }] };
const reverseBranches = (node) => {
  node.branches = Object.fromEntries(Object.entries(node.branches).reverse());
};
const MAP = { nodes: { each: { type: "map", input: [1, 2], with: { concurrency: 1 }, do: nested() } } };
const TOOL = {
  servers: { shop: { url: "https://shop.example/mcp" } },
  nodes: { find: { type: "tool", tool: "find", input: {} }, ask: { type: "approve" } },
  edges: [{ from: "find", to: "ask" }],
};
const ENDED = {
  nodes: { sub: { type: "graph", graph: quick }, ask: { type: "approve" } },
  edges: [{ from: "sub", to: "ask" }],
};

const PAID = {
  nodes: { say: { type: "llm", input: "x" }, ask: { type: "approve" } },
  edges: [{ from: "say", to: "ask" }],
};
const model = (usage) => ({ default: async () => ({ text: "hi", finish: "stop", usage }) });
const models = model({ input: 10, output: 2, cached_input: 0, micro_usd: 42 });
const unpriced = model({ input: 10, output: 2, cached_input: 0 });

const ROWS = {
  "`layout`, `tests`, comments, `id` or the plan's `description`": [
    ORDER,
    (plan) => Object.assign(plan, { id: "x", description: "y", layout: { ask: [1, 2] } }),
  ],
  "a node's `description`, with the old plan": [ORDER, ({ nodes }) => (nodes.ask.description = "asks")],
  "a node's `description`, without the old plan: the hash changes, too": [
    ORDER,
    ({ nodes }) => (nodes.ask.description = "asks"),
    { alone: true },
  ],
  "settings of a node that has not run": [ORDER, ({ nodes }) => (nodes.send.input = "other")],
  "settings of a node that has run": [ORDER, ({ nodes }) => (nodes.fetch.input = "other")],
  "settings of the node that waits": [ORDER, ({ nodes }) => (nodes.ask.input = "other")],
  "a new node after the position": [
    ORDER,
    ({ nodes, edges }) => {
      nodes.thank = { type: "log", input: "thanks" };
      edges.push({ from: "send", to: "thank" });
    },
  ],
  "a node that has not run is gone": [
    ORDER,
    (plan) => {
      delete plan.nodes.send;
      plan.edges.pop();
    },
  ],
  "a node that has run is gone": [
    LOOP,
    (plan) =>
      Object.assign(plan, { nodes: { next: { type: "log" }, done: plan.nodes.done }, edges: [], start: "next" }),
    { also: ["upgrade/start-changed"], decisions: { "ask:1:1": "approved" } },
  ],
  "the node that waits is gone": [
    ORDER,
    (plan) => {
      delete plan.nodes.ask;
      plan.edges = [{ from: "fetch", to: "send" }];
    },
    { also: ["upgrade/edges-changed"] },
  ],
  "the condition of an edge of the node that waits": [ORDER, ({ edges }) => (edges[1].condition = "last.exists")],
  "the condition of an edge that the run took": [ORDER, ({ edges }) => delete edges[0].condition],
  "a new edge from a node that the run has left": [
    ORDER,
    ({ edges }) => edges.unshift({ from: "fetch", to: "send", condition: "last == no" }),
  ],
  "the order of the edges of a node that the run has left": [
    LOOP,
    ({ edges }) => edges.reverse(),
    { decisions: { "ask:1:1": "approved" } },
  ],
  "the edges of a node that waits in a loop, after an earlier visit": [
    LOOP,
    ({ edges }) => (edges[1].condition = "last == rejected"),
    { decisions: { "ask:1:1": "approved" } },
  ],
  "the edges of a node that has not run": [
    ORDER,
    ({ edges }) => edges.push({ from: "send", to: "ask", condition: "last == again" }),
  ],
  "another start": [ORDER, (plan) => (plan.start = "ask")],
  "`inputs`": [ORDER, ({ inputs }) => (inputs.town = { type: "string", default: "Ulm" })],
  "`servers`, and no tool was called": [
    { ...ORDER, servers: { shop: { url: "https://old.example" } } },
    ({ servers }) => (servers.shop.url = "https://new.example"),
  ],
  "`servers`, after a tool was called": [TOOL, ({ servers }) => (servers.shop.url = "https://new.example")],
  "a limit that the run has not reached": [ORDER, (plan) => (plan.limits = { visits: 3, steps: 2 })],
  "a limit that the run has exceeded": [ORDER, ({ limits }) => (limits.steps = 1)],
  "`limits.tokens` or `limits.usd`, above what models used and cost, with the old plan": [
    PAID,
    (plan) => (plan.limits = { tokens: 12, usd: 0.000042 }),
    { models },
  ],
  "`limits.tokens` or `limits.usd`, after models replied, without the old plan: the old limit is unknown": [
    PAID,
    (plan) => (plan.limits = { tokens: 50, usd: 1 }),
    { models, alone: true },
  ],
  "a new `limits.usd`, after a model replied without a known cost": [
    PAID,
    (plan) => (plan.limits = { usd: 1 }),
    { models: unpriced },
  ],
  "a new `limits.output_bytes`: bytes were not counted": [ORDER, ({ limits }) => (limits.output_bytes = 1000)],
  "`limits.timeout_ms`: the time is limited at the start": [ORDER, ({ limits }) => (limits.timeout_ms = 60_000)],
  "`limits.visits`, after graphs inside nodes ran": [ENDED, (plan) => (plan.limits = { visits: 4 })],
  "a node inside a graph in progress that has not run, with the old plan": [
    ONE,
    ({ nodes }) => (nodes.sub.graph.nodes.after.input = "other"),
  ],
  "a node inside a graph in progress that has not run, without the old plan": [
    ONE,
    ({ nodes }) => (nodes.sub.graph.nodes.after.input = "other"),
    { alone: true },
  ],
  "a node inside a graph in progress that waits": [ONE, ({ nodes }) => (nodes.sub.graph.nodes.ask.input = "other")],
  "a new node inside a graph in progress: names may mean other outputs": [
    ONE,
    ({ nodes }) => {
      nodes.sub.graph.nodes.more = { type: "log" };
      nodes.sub.graph.edges.push({ from: "after", to: "more" });
    },
  ],
  "a branch that has not begun": [FAN, ({ nodes }) => (nodes.fan.branches.c.nodes.say.input = "other")],
  "a branch that has ended while another waits": [FAN, ({ nodes }) => (nodes.fan.branches.a.nodes.say.input = "other")],
  "the order of the branches of a node in progress": [FAN, ({ nodes }) => reverseBranches(nodes.fan)],
  "the order of the branches of a node that has not run": [LATER_FAN, ({ nodes }) => reverseBranches(nodes.fan)],
  "the graph of a `map`, before any element has ended, in a node that has not run": [
    MAP,
    ({ nodes }) => (nodes.each.do.nodes.after.input = "other"),
  ],
  "the graph of a `map`, after an element has ended": [
    MAP,
    ({ nodes }) => (nodes.each.do.nodes.after.input = "other"),
    { decisions: { "each:1/0/ask:1:1": "approved" } },
  ],
  "a node inside a graph that has ended": [ENDED, ({ nodes }) => (nodes.sub.graph.nodes.say.input = "other")],
};

const parse = (plan) => PlanGraph.load(JSON.stringify(plan));
const stubs = { tools: { find: { return: 1 } } };

async function paused(plan, { decisions, models } = {}) {
  const graph = parse(plan);
  const input = plan.inputs ? { city: "Ulm" } : null;
  const { snapshot, outcome } = await run(graph, {
    input,
    stubs,
    ...(decisions && { decisions }),
    ...(models && { models }),
  });
  assert.equal(outcome.type, "paused", JSON.stringify(outcome));
  return { graph, snapshot: JSON.parse(JSON.stringify(snapshot)) };
}

const rules = [
  ...page
    .split("## Rules")[1]
    .split("## Codes")[0]
    .matchAll(/^\| (.+) \| (.+) \|$/gm),
]
  .map(([, change, result]) => [change, result])
  .slice(2);

test("each rule of the page has a test", () => {
  assert.deepEqual(
    rules.map(([change]) => change),
    Object.keys(ROWS),
  );
});

for (const [change, result] of rules)
  test(`${change}: ${result}`, async () => {
    const [plan, edit, { alone = false, also = [], ...given } = {}] = ROWS[change];
    const { graph: from, snapshot } = await paused(plan, given);
    // Unlike `structuredClone`, this unshares branches.
    const changed = JSON.parse(JSON.stringify(plan));
    edit(changed);
    const graph = parse(changed);
    const { proved, conflicts } = compareRun(graph, snapshot, alone ? {} : { from });
    const wanted = result === "proved" ? [] : [result.replaceAll("`", ""), ...also];
    assert.deepEqual([...new Set(conflicts.map(({ code }) => code))].sort(), wanted.sort(), JSON.stringify(conflicts));
    assert.equal(proved, result === "proved");
    for (const { message, help } of conflicts) assert.match(`${message} ${help}`, /\S/);
    if (!proved) {
      const { outcome } = await run(graph, {
        snapshot,
        stubs,
        acceptChangedPlan: "proved",
        ...(given.models && { models: given.models, prices: { models: { default: { input: 1, output: 1 } } } }),
      });
      assert.deepEqual([outcome.type, outcome.code], ["failed", "run/plan-changed"]);
    }
  });

test("a limit in dollars below the cost is exceeded", async () => {
  const { graph: from, snapshot } = await paused(PAID, { models });
  const { conflicts } = compareRun(parse({ ...PAID, limits: { usd: 0.00004 } }), snapshot, { from });
  assert.deepEqual(
    conflicts.map(({ code, message }) => [code, message]),
    [["upgrade/limit-exceeded", "`limits.usd` is now 0.00004, and the run has used 0.000042"]],
  );
});

test("a conflict names the node, its place, and what changed", async () => {
  const { graph: from, snapshot } = await paused(ORDER);
  const text = "inputs: {city: {type: string}}\nnodes:\n  fetch: {type: log}\n  ask: {type: approve}\n";
  const graph = PlanGraph.load(`${text}edges: [{from: fetch, to: ask}]`);
  const { conflicts } = compareRun(graph, snapshot, { from });
  assert.deepEqual(
    conflicts.find(({ node }) => node === "ask"),
    {
      code: "upgrade/node-changed",
      node: "ask",
      message: "`ask` waits for an answer, and its `input` has changed since",
      help: "restart the run at `ask`, or finish it with the old plan",
      line: 4,
      column: 3,
    },
  );
});

test("a proved run continues with the new plan", async () => {
  const { snapshot } = await paused(ORDER);
  const changed = structuredClone(ORDER);
  changed.nodes.send.input = "really sent";
  const options = { snapshot, decisions: { "ask:1:1": "approved" } };
  const graph = parse(changed);
  assert.equal((await run(graph, options)).outcome.code, "run/plan-changed");
  const report = await run(graph, { ...options, acceptChangedPlan: "proved" });
  assert.deepEqual([report.outcome.type, report.last], ["completed", "really sent"]);
});

test("a run restarts at a node with the outputs that exist", async () => {
  const { snapshot } = await paused(ORDER);
  const changed = structuredClone(ORDER);
  changed.nodes.ask.input = "really send ${last}, that is ${output.fetch}?";
  delete changed.nodes.send;
  changed.edges.pop();
  changed.nodes.new = { type: "log", input: "new" };
  changed.edges.push({ from: "ask", to: "new" });
  const graph = parse(changed);
  const again = await run(graph, { snapshot: restartAt(graph, snapshot, "ask") });
  assert.equal(again.outcome.approval.input, "really send data of Ulm, that is data of Ulm?");
  assert.equal(again.outcome.approval.call, "ask:2:1");
  assert.deepEqual(again.path, ["fetch", "ask", "ask"]);
  const first = await run(graph, { snapshot: restartAt(graph, snapshot, "fetch") });
  assert.deepEqual(first.path, ["fetch", "ask", "fetch", "ask"]);
  assert.throws(() => restartAt(graph, snapshot, "fetsh"), {
    code: "api/unknown-node",
    message: /did you mean `fetch`/,
  });
});

test("a restart ends the graphs in progress", async () => {
  const { graph, snapshot } = await paused(FAN);
  const again = await run(graph, { snapshot: restartAt(graph, snapshot, "fan") });
  assert.equal(again.outcome.approval.call, "fan:2/b/ask:1:1");
  assert.equal(again.snapshot.state.scope_states.length, 2);
});

test("a restart drops the signature, or signs again with the key", async () => {
  const graph = parse(ORDER);
  const key = "secret";
  const { snapshot } = await run(graph, { input: { city: "Ulm" }, key });
  const signed = await restartAt(graph, snapshot, "ask", { key });
  assert.equal((await run(graph, { snapshot: signed, key })).outcome.approval.call, "ask:2:1");
  await assert.rejects(restartAt(graph, snapshot, "ask", { key: "other" }), { code: "snapshot/unusable" });
  assert.throws(() => restartAt(graph, snapshot, "ask", { kee: "x" }), { code: "api/unknown-option" });
  const again = restartAt(graph, snapshot, "ask");
  assert.equal("mac" in again, false);
  await assert.rejects(run(graph, { snapshot: again, key: "secret" }), { code: "snapshot/unusable" });
});

test("a damaged snapshot is refused, and a wrong old plan too", async () => {
  const { graph, snapshot } = await paused(ORDER);
  const other = parse(LOOP);
  assert.throws(() => compareRun(other, snapshot, { from: other }), { code: "api/bad-option" });
  assert.throws(() => compareRun(other, snapshot, { form: graph }), { code: "api/unknown-option" });
  assert.throws(() => compareRun(other, null), { code: "snapshot/unusable" });
  for (const key of Object.keys(snapshot.state))
    for (const value of [undefined, null, "x", -1, [], {}, [[]], [{}], [99]]) {
      const broken = { ...snapshot, state: { ...snapshot.state, [key]: value } };
      for (const work of [() => compareRun(other, broken), () => restartAt(graph, broken, "ask")])
        try {
          work();
        } catch (error) {
          assert.equal(error.code, "snapshot/unusable", `${key}: ${error.stack}`);
        }
    }
});

test("the page's example prints what it says, and the page has every code", async () => {
  const [, code] = /```js[^\n]*\n([^]*?)```/.exec(page);
  const printed = [];
  const text = code
    .replace(/import .* from "stepgraph";\n/, "")
    .replaceAll("console.log(", "print(")
    .replaceAll(/ \/\/ .*$/gm, "");
  const works = new Function(
    "tools",
    `return (async ({ compareRun, PlanGraph, restartAt, run, print }) => {${text}})(tools);`,
  );
  await works({
    compareRun,
    PlanGraph,
    restartAt,
    run,
    print: (...values) => printed.push(values.map(show).join(" ")),
  });
  assert.deepEqual(
    printed,
    [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, said]) => said),
  );
  const types = readFileSync(new URL("../../dist/run-conflict.d.ts", import.meta.url), "utf8");
  const codes = [...types.matchAll(/"(upgrade\/[a-z-]+)"/g)].map(([, name]) => name);
  const [, table] = page.split("## Codes");
  assert.deepEqual(
    [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name),
    codes,
  );
});

const show = (value) => (typeof value === "object" ? inspect(value) : String(value));
