// Tests plan tests and their results in a review.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, review, runTests, testsOf } from "../../dist/node.js";

const parse = (text) => {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.ok(graph, JSON.stringify(diagnostics));
  return graph;
};

const plan = (tests, more = "") =>
  parse(`
start: get
nodes:
  get: {type: fetch, input: "\${input}"}
  ask: {type: approve, input: "\${last}"}
  end: {type: log, input: {got: "\${output.get}"}}
edges: [{from: get, to: ask}, {from: ask, to: end, condition: last!=rejected}]
${more}
tests: ${JSON.stringify(tests)}
`);

const stubs = { types: { fetch: { return: { a: [1, 2], b: 1 } } } };

test("expectations are compared with results, and every difference has its path", async () => {
  const cases = [
    [
      {
        stubs,
        decisions: { ask: "approved" },
        expect: {
          path: ["get", "ask", "end"],
          last: { got: { b: 1, a: [1, 2] } },
          outputs: { ask: "approved" },
          calls: 1,
        },
      },
      [],
    ],
    [{ stubs, decisions: { "ask:1:1": { value: 5 } }, expect: { outputs: { ask: 5 } } }, []],
    [{ stubs, decisions: { ask: "rejected" }, expect: { path: ["get", "ask"], last: "rejected" } }, []],
    [{ stubs, expect: { outcome: "paused" } }, []],
    [{ stubs, expect: {} }, ["outcome"]],
    [{ stubs, expect: { outcome: "paused", path: ["get"], calls: 7 } }, ["path[1]", "calls"]],
    [
      { stubs, decisions: { ask: "approved" }, expect: { last: { got: { a: [1, 3], c: 1 } } } },
      ["last.got.a[1]", "last.got.c", "last.got.b"],
    ],
    [{ stubs, decisions: { ask: "approved" }, expect: { outputs: { nobody: 1 } } }, ["outputs.nobody"]],
    [{ stubs, decisions: { other: "approved" }, expect: { code: "test/undecided" } }, []],
    [{ stubs: { types: { fetch: { fail: "no", code: "x/y" } } }, expect: { code: "x/y", node: "get" } }, []],
    [
      { stubs: { types: { fetch: { fail: "no", code: "x/y" } } }, expect: { code: "x/z", node: "ask" } },
      ["code", "node"],
    ],
    [{ expect: {} }, ["outcome"]],
  ];
  const graph = plan(cases.map(([one], i) => ({ name: `case ${i}`, ...one })));
  const results = await runTests(graph);
  for (const [i, [, places]] of cases.entries()) {
    assert.deepEqual(
      results[i].differences.map(({ path }) => path),
      places,
      `case ${i}: ${JSON.stringify(results[i].differences)}`,
    );
    assert.equal(results[i].passed, places.length === 0);
  }
  assert.deepEqual(
    (await runTests(graph, { filter: "case 1" })).map(({ name }) => name),
    ["case 1", "case 10", "case 11"],
  );
  assert.equal(testsOf(graph).length, cases.length);
});

test("a change of a test's values by a handler is detected", async () => {
  const graph = parse(`
nodes: {a: {type: keep}, b: {type: change, input: "\${last}"}}
edges: [{from: a, to: b}]
tests: [{name: change, input: {list: [1]}, expect: {}}]
`);
  for (const change of [
    (node) => node.input.list.push(2),
    (node) => {
      node.input.kept.list = 1;
    },
  ]) {
    const keepInput = (node) => ({ list: node.input.list, kept: node.input });
    const [result] = await runTests(graph, { handlers: { keep: keepInput, change } });
    assert.equal(result.report.outcome.code, "handler/failed");
    assert.match(result.report.outcome.message, /read only|not extensible/);
  }
});

test("tests are no part of a plan's hash, and a test of a missing node does not prevent a run", () => {
  const [one, other] = [plan([]), plan([{ name: "a", expect: { path: ["get"] } }])];
  assert.equal(one.hash, other.hash);
  const { graph, diagnostics } = PlanGraph.parse("nodes: {a: {type: log}}\ntests: [{name: a, expect: {path: [b]}}]");
  assert.ok(graph);
  assert.deepEqual(
    diagnostics.map(({ code, severity }) => [code, severity]),
    [["test/unknown-node", "error"]],
  );
  assert.ok(graph.valid);
});

test("a review lists the approvals of a plan, their effects, and the limits", () => {
  const graph = parse(`
start: fan
nodes:
  fan:
    type: parallel
    branches:
      a: {nodes: {r: {type: tool, tool: read, retry: {attempts: 4}}}}
      b: {nodes: {w: {type: tool, tool: write}, d: {type: drop, input: {}}, u: {type: tool, tool: shrug}, x: {type: tool, tool: gone}}, edges: [{from: w, to: d}, {from: d, to: u}, {from: u, to: x}]}
  say: {type: llm, input: hi, with: {model: big}}
  think: {type: llm_call, input: hi}
  own: {type: mine}
  ask: {type: approve, input: go}
edges: [{from: fan, to: say}, {from: say, to: think}, {from: think, to: own}, {from: own, to: ask}]
limits: {calls: 9, timeout_ms: 1000}
`);
  const tool = (name, annotations) => ({ name, input_schema: {}, server: "s", ...(annotations && { annotations }) });
  const tools = [
    tool("read", { readOnlyHint: true, openWorldHint: false }),
    tool("write", { destructiveHint: false, idempotentHint: true }),
    tool("drop", { destructiveHint: true }),
    tool("shrug"),
  ];
  const found = review(graph, { tools });
  assert.deepEqual(
    found.tools.map(({ name, effect, idempotent, openWorld, known }) => [name, effect, idempotent, openWorld, known]),
    [
      ["read", "reads", true, false, true],
      ["write", "writes", true, true, true],
      ["drop", "destroys", false, true, true],
      ["shrug", "unknown", false, true, true],
      ["gone", "unknown", false, true, false],
    ],
  );
  assert.deepEqual(found.tools[0].nodes, ["fan/a/r"]);
  assert.deepEqual(
    found.models.map(({ name }) => name),
    ["big", "default"],
  );
  assert.deepEqual([found.people, found.handlers], [["ask"], [{ type: "mine", nodes: ["own"] }]]);
  assert.deepEqual(found.bounds, {
    visits: 25,
    steps: null,
    calls: 9,
    timeoutMs: 1000,
    tokens: null,
    usd: null,
    outputBytes: null,
    tries: 4,
  });
  assert.equal(found.fingerprint.hash, graph.hash);
  assert.deepEqual(
    review(graph).tools.map(({ name, known }) => [name, known]),
    [
      ["read", null],
      ["write", null],
      ["shrug", null],
      ["gone", null],
    ],
  );
});
