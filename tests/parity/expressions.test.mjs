// Tests that an expression has the same value over JSON and in a run, with the cases of the Rust tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkExpression, evaluate, ExpressionError, PlanGraph, run } from "stepgraph";
import { parse } from "yaml";

const file = new URL("../../core/expression/tests/cases.yaml", import.meta.url);
const { scope, cases } = parse(readFileSync(file, "utf8"));

const codeOf = (code) => `code ${code.replace("expression/", "")}`;

/** Returns the value, `!missing`, or the error's code. */
function evaluated(text) {
  try {
    const value = evaluate(text, scope);
    return value === undefined ? "!missing" : value;
  } catch (error) {
    assert.ok(error instanceof ExpressionError, String(error));
    return codeOf(error.code);
  }
}

/** A `set` node computes it. Null if the check refuses the plan. */
async function computed(text) {
  const plan = {
    start: "step-1",
    nodes: {
      "step-1": { type: "give", input: "step" },
      data: { type: "give", input: "last" },
      result: { type: "set", with: { values: { value: `\${${text}}` } } },
    },
    edges: [
      { from: "step-1", to: "data" },
      { from: "data", to: "result" },
    ],
  };
  const { graph } = PlanGraph.parse(JSON.stringify(plan));
  if (!graph?.valid) return null;
  const give = ({ input }) => structuredClone(input === "step" ? scope.output["step-1"] : scope.last);
  const { outcome, outputs } = await run(graph, { handlers: { give } });
  if (outcome.type === "completed") return outputs.result.value;
  if (outcome.diagnostics) return null;
  return outcome.code === "template/missing" ? "!missing" : codeOf(outcome.code);
}

const needsOtherRoot = (text) => /(?<![.\w"])n(?![\w":])/.test(text);

for (const [group, table] of Object.entries(cases)) {
  test(`${group}: evaluate and a run agree with the table`, async () => {
    let ran = 0;
    for (const [written, expected] of table) {
      const text = String(written);
      assert.deepEqual(evaluated(text), expected, text);
      if (needsOtherRoot(text)) continue;
      const found = await computed(text);
      if (found === null) continue;
      ran++;
      assert.deepEqual(found, expected, `${text}, in a run`);
    }
    assert.ok(ran > 0 || group === "errors", "no case ran");
  });
}

test("checkExpression gives the type and the mistakes", () => {
  const last = { type: "object", properties: { n: { type: "number" } }, additionalProperties: false };
  const { type, schema, diagnostics } = checkExpression("[last.n * 2]", { last });
  assert.deepEqual([type, schema, diagnostics], ["list(double)", { type: "array", items: { type: "number" } }, []]);
  const wrong = checkExpression('last.m > 1 || last.n < "é" + 1', { last });
  assert.deepEqual(
    wrong.diagnostics.map(({ code, span }) => [code, span.start, span.end]),
    [
      ["expression/unknown-field", 5, 6],
      ["expression/type", 23, 30],
    ],
  );
});

test("an invalid schema is refused, and so are names that no type declares", () => {
  assert.throws(() => checkExpression("last", { last: { type: "nubmer" } }), {
    name: "ExpressionError",
    code: "schema/invalid",
    message: /`last`.*\/type/,
  });
  assert.equal(checkExpression("lst", { last: {} }).diagnostics[0].code, "reference/unknown-root");
  assert.throws(() => evaluate("lst", { last: 1 }), { code: "reference/unknown-root" });
  assert.throws(() => evaluate(5, {}), { code: "api/bad-option" });
  assert.throws(() => checkExpression("1", []), { code: "api/bad-option" });
});

test("data without JSON is refused with a code", () => {
  const cyclic = {};
  cyclic.self = cyclic;
  assert.throws(() => evaluate("x.n ?? 1", { x: cyclic }), { code: "api/bad-option" });
  assert.throws(() => checkExpression("x", { x: cyclic }), { code: "api/bad-option" });
  for (const schema of [null, 1, "text", []])
    assert.throws(() => checkExpression("x", { x: schema }), { code: "api/bad-option" });
  const deep = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
  assert.throws(() => evaluate("x == x", { x: deep }), { code: "expression/too-deep" });
});

const compare = (input) =>
  PlanGraph.parse(
    JSON.stringify({
      start: "a",
      nodes: { a: { type: "give" }, b: { type: "log", input } },
      edges: [{ from: "a", to: "b" }],
    }),
  ).graph;

test("values that are too deep are not compared", async () => {
  const deep = () => JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
  const { outcome } = await run(compare("${last.x == last.y}"), {
    handlers: { give: () => ({ x: deep(), y: deep() }) },
  });
  assert.equal(outcome.code, "expression/too-deep");
});

test("a proxy with an odd length is an empty list, and the engine goes on", async () => {
  const odd = [3n, Symbol("s"), { valueOf: () => 2 }, -1, NaN];
  for (const length of odd) {
    const list = new Proxy([1, 2, 3], { get: (of, key) => (key === "length" ? length : Reflect.get(of, key)) });
    for (const input of ["${size(last.a)}", "${last.a.map(x, x)}", "${1 in last.a}"]) {
      const { outcome } = await run(compare(input), { handlers: { give: () => ({ a: list }) } });
      assert.equal(outcome.type, "completed", input);
    }
  }
});

test("work on long texts and large maps is charged", async () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => i);
  const map = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`key${i}`, i]));
  const value = { numbers, map, text: "a".repeat(1_000_000) };
  for (const expression of [
    'last.numbers.exists(x, last.text.contains("b"))',
    "last.numbers.exists(x, size(last.map) == 0)",
  ]) {
    const { outcome } = await run(compare(`\${${expression}}`), { handlers: { give: () => value } });
    assert.equal(outcome.code, "expression/too-costly", expression);
  }
});
