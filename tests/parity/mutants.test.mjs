// Tests mutants of plans: what changes, and whether tests notice it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { PlanGraph, testMutants } from "../../dist/node.js";
import { editPlan, mutants } from "../../dist/editor/node.js";

const apply = (text, { edits }) => editPlan(text, edits);
const collect = async (results) => {
  const all = [];
  for await (const result of results) all.push(result);
  return all;
};
/** Kind, position and the changed conditions or targets. */
const lines = (text) => mutants(text).map(({ kind, line, column, message }) => `${line}:${column} ${kind}: ${message}`);

const PLAN = `start: ask
limits: {visits: 4, tokens: 9}
nodes:
  ask: {type: approve, input: ok?}
  pay: {type: tool, tool: pay, retry: {attempts: 2, backoff_ms: 1}, visits: 3}
  more: {type: log}
  rest: {type: log}
edges:
  - {from: ask, to: pay, condition: last == approved}
  - {from: ask, to: rest}
  - {from: pay, to: more, condition: last.n >= 10 && (last.tag == "a && b" || !last.x.exists)}
  - {from: pay, to: rest, condition: last.n < 3}
`;

test("changes conditions, edges, retries, approvals and limits, in the order of the text", () => {
  assert.deepEqual(lines(PLAN), [
    "2:18 change-number: `visits: 4` replaced by `visits: 5`",
    "4:3 skip-approval: `ask` approves without asking",
    "5:3 remove-retry: `retry` of `pay` removed",
    "5:3 change-number: `attempts: 2` replaced by `attempts: 3`",
    "5:3 change-number: `visits: 3` replaced by `visits: 4`",
    "9:12 remove-edge: edge `ask` → `pay` removed",
    "9:12 swap-targets: targets `pay` and `rest` swapped",
    "9:37 always-true: condition always true",
    "9:37 swap-comparison: `==` replaced by `!=`",
    "10:12 remove-edge: edge `ask` → `rest` removed",
    "11:12 remove-edge: edge `pay` → `more` removed",
    "11:12 swap-targets: targets `more` and `rest` swapped",
    "11:12 swap-order: edges to `more` and `rest` in the other order",
    "11:38 negate-condition: condition negated",
    "11:38 always-true: condition always true",
    "11:38 swap-comparison: `>=` replaced by `>`",
    "11:38 change-number: `10` replaced by `11`",
    "11:38 swap-comparison: `==` replaced by `!=`",
    '11:38 drop-operand: operand `last.tag == "a && b"` of `||` dropped',
    "11:38 drop-operand: operand `!last.x.exists` of `||` dropped",
    "11:38 drop-operand: operand `last.n >= 10` of `&&` dropped",
    '11:38 drop-operand: operand `(last.tag == "a && b" || !last.x.exists)` of `&&` dropped',
    "12:12 remove-edge: edge `pay` → `rest` removed",
    "12:38 negate-condition: condition negated",
    "12:38 always-true: condition always true",
    "12:38 swap-comparison: `<` replaced by `<=`",
    "12:38 change-number: `3` replaced by `4`",
  ]);
});

test("the edits of a mutant make the change and nothing else", () => {
  const changed = (kind, at = 0) => apply(PLAN, mutants(PLAN).filter((one) => one.kind === kind)[at]).text;
  const line = (text, number) => text.split("\n")[number - 1];
  assert.equal(line(changed("swap-targets"), 9), "  - {from: ask, to: rest, condition: last == approved}");
  assert.equal(line(changed("swap-targets"), 10), "  - {from: ask, to: pay}");
  assert.equal(line(changed("skip-approval"), 4), "  ask: {type: log, input: approved}");
  assert.equal(line(changed("remove-retry"), 5), "  pay: {type: tool, tool: pay, visits: 3}");
  assert.equal(line(changed("swap-order"), 11), "  - {from: pay, to: rest, condition: last.n < 3}");
  assert.equal(line(changed("remove-edge", 1), 10).includes("from: pay"), true);
  for (const one of mutants(PLAN)) {
    const { text, undo, refused } = apply(PLAN, one);
    assert.equal(refused, null);
    const back = undo.reduceRight(
      (whole, { span, text }) => whole.slice(0, span.start) + text + whole.slice(span.end),
      text,
    );
    assert.equal(back, PLAN, one.message);
  }
});

test("makes no mutants that mean the same", () => {
  // Fallbacks come last anyway, exclusive conditions hold in any order, and failures are handled apart.
  const none = `start: a
nodes: {a: {type: tool, tool: t}, b: {type: log}, c: {type: log}, d: {type: log}}
edges:
  - {from: a, to: b, condition: last.k == x}
  - {from: a, to: c, condition: 'last.k == "y"'}
  - {from: a, to: d, condition: error.exists}
  - {from: a, to: b, condition: default}
  - {from: b, to: c, condition: "!(last == 1)"}
`;
  assert.deepEqual(
    lines(none).filter((one) => one.includes("swap-order")),
    [],
  );
  // The second condition holds whenever the first does not.
  const complete = none
    .replace("error.exists", '"!(last.k == x)"')
    .replace("to: b, condition: last.k", "to: d, condition: last.k");
  const constant = lines(complete).filter((one) => one.includes("always-true"));
  assert.ok(!constant.some((one) => one.startsWith("6:")), constant.join("\n"));
  const texts = mutants(none).map((one) => apply(none, one).text);
  assert.ok(texts.some((text) => text.includes(`to: c, condition: "last == 1"}`)));
  assert.ok(!texts.some((text) => text.includes("!(!")));
});

test("unreachable parts, other files and repeated anchors have no mutants", () => {
  const dead = `start: a
nodes: {a: {type: log}, b: {type: log, retry: {attempts: 2}}, c: {type: graph, graph: ./c.yaml}}
edges:
  - {from: a, to: c, condition: default}
  - {from: a, to: b}
  - {from: b, to: c, condition: last == 1}
`;
  assert.deepEqual(lines(dead), ["4:12 remove-edge: edge `a` → `c` removed"]);
  const anchored = `start: a
nodes: {a: {type: log}, b: {type: log}, c: {type: log}}
edges:
  - {from: a, to: b, condition: &same last.n == 1}
  - {from: b, to: c, condition: *same}
`;
  for (const one of mutants(anchored)) assert.equal(apply(anchored, one).refused, null, one.message);
});

test("nested graphs and JSON have mutants", () => {
  const plan = {
    start: "f",
    nodes: {
      f: {
        type: "parallel",
        branches: {
          a: {
            nodes: { x: { type: "log" }, y: { type: "log" } },
            edges: [{ from: "x", to: "y", condition: "last > 1" }],
          },
        },
      },
    },
  };
  const text = JSON.stringify(plan);
  const all = mutants(text, { format: "json" });
  assert.deepEqual([...new Set(all.map(({ scope, node, edge }) => `${scope} ${node} ${edge}`))], ["f/a x 0"]);
  const swapped = all.find(({ kind }) => kind === "swap-comparison");
  const { edges } = JSON.parse(editPlan(text, swapped.edits, { format: "json" }).text).nodes.f.branches.a;
  assert.deepEqual(edges, [{ from: "x", to: "y", condition: "last >= 1" }]);
});

test("every mutant of every example is a real change", () => {
  const folder = new URL("../../examples/", import.meta.url);
  const names = readdirSync(folder).filter((name) => /(?<!\.stubs)\.yaml$/.test(name));
  let number = 0;
  for (const name of names) {
    const text = readFileSync(new URL(name, folder), "utf8");
    const { hash } = PlanGraph.load(text);
    const all = mutants(text);
    assert.deepEqual(all, mutants(text));
    const texts = new Set();
    for (const one of all) {
      const changed = apply(text, one).text;
      assert.ok(!texts.has(changed), `${name}: ${one.message} appears twice`);
      texts.add(changed);
      const { graph } = PlanGraph.parse(changed);
      if (graph?.valid) assert.notEqual(graph.hash, hash, `${name}: ${one.message}`);
      number++;
    }
  }
  assert.ok(number > 100, `${number}`);
});

const TESTED = `start: a
nodes: {a: {type: log, input: "\${input}"}, b: {type: log}, c: {type: log}}
edges:
  - {from: a, to: b, condition: last.n > 1}
  - {from: a, to: c}
tests:
  - {name: large, input: {n: 5}, expect: {path: [a, b]}}
  - {name: small, input: {n: 1}, expect: {path: [a, c]}}
`;

test("tests kill mutants, miss others, and the checker rejects some", async () => {
  const graph = PlanGraph.load(TESTED);
  const texts = [
    TESTED.replace("> 1", ">= 1"),
    TESTED.replace("> 1", "> 4"),
    TESTED.replace("> 1", "> 7"),
    `# only a comment\n${TESTED}`,
    TESTED.replace("to: c}", "to: b}"),
    TESTED.replace("to: c}", "to: nowhere}"),
    "no: [plan",
  ];
  const results = await collect(testMutants(graph, texts));
  assert.deepEqual(
    results.map(({ index, status, test: killer, diagnostics }) => [index, status, killer ?? diagnostics?.[0]?.code]),
    [
      [0, "killed", "small"],
      [1, "survived", undefined],
      [2, "killed", "large"],
      [3, "equivalent", undefined],
      [4, "rejected", "test/never-passes"],
      [5, "rejected", "graph/unknown-node"],
      [6, "rejected", results[6].diagnostics[0].code],
    ],
  );
  const filtered = await collect(testMutants(graph, texts.slice(0, 1), { filter: "large" }));
  assert.deepEqual(filtered, [{ index: 0, status: "survived" }]);
});

test("a mutant that loops is ended by its limits", async () => {
  const plan = (back, visits) => `start: a
limits: {visits: ${visits}}
nodes:
  a: {type: set, with: {values: {n: "\${(memory.n ?? 0) + 1}"}}}
  b: {type: log}
edges:
  - {from: a, to: b, condition: last.n < 5}
  - {from: b, to: a, condition: "${back}"}
tests: [{name: ends, expect: {path: [a, b]}}]
`;
  const graph = PlanGraph.load(plan("last.n > 1", 1_000_000));
  const [result] = await collect(testMutants(graph, [plan("last.n > 0", 1_000_000)]));
  assert.deepEqual(result, { index: 0, status: "killed", test: "ends" });
});

test("a handler that never answers is abandoned", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const plan = (condition) => `start: a
nodes: {a: {type: log, input: 1}, b: {type: wait_for_ever}}
edges: [{from: a, to: b, condition: "${condition}"}]
tests: [{name: ends, expect: {path: [a]}}]
`;
  let called;
  const isCalled = new Promise((resolve) => {
    called = resolve;
  });
  const handlers = { wait_for_ever: () => (called(), new Promise(() => {})) };
  const results = collect(testMutants(PlanGraph.load(plan("last > 1")), [plan("last > 0")], { handlers }));
  await isCalled;
  t.mock.timers.tick(10_000);
  assert.deepEqual(await results, [{ index: 0, status: "killed", test: "ends" }]);
});

test("misuse is refused", async () => {
  const graph = PlanGraph.load(TESTED);
  const failing = PlanGraph.load(TESTED.replace("path: [a, c]", "path: [a, b]"));
  await assert.rejects(collect(testMutants(failing, [])), { code: "api/failing-test", message: /`small` fails/ });
  assert.throws(() => testMutants(null, []), { code: "api/invalid-plan" });
  for (const texts of [null, 3, "text"])
    assert.throws(() => testMutants(graph, texts), { code: "api/bad-option" }, JSON.stringify(texts));
  for (const texts of [[3], [null]])
    await assert.rejects(collect(testMutants(graph, texts)), { code: "api/bad-text" }, JSON.stringify(texts));
  assert.throws(
    () => mutants("nodes: {a: {}}"),
    (error) => error.code === "plan/invalid" && error.diagnostics.length > 0,
  );
  assert.throws(() => mutants("3"), { code: "plan/invalid" });
  assert.throws(() => mutants(null), { code: "api/bad-text" });
});
