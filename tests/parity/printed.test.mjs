// Tests that every plan of the examples and the suite survives printing as YAML and parsing.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import { PlanGraph, startSync } from "../../dist/package-internals.js";
import { cases } from "./suite.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const examples = new URL("../../examples/", import.meta.url);

test("printed examples read back unchanged, with and without comments", () => {
  for (const name of readdirSync(examples).filter((file) => file.endsWith(".yaml") && !file.endsWith(".stubs.yaml"))) {
    const { graph } = PlanGraph.parse(readFileSync(new URL(name, examples), "utf8"));
    const plan = graph.toJSON();
    const comments = {
      "": "a plan",
      "/nodes": "all of them",
      ...Object.fromEntries(Object.keys(plan.nodes).map((id) => [`/nodes/${id}`, `about ${id}\nand more`])),
    };
    for (const options of [undefined, { comments }]) {
      const text = PlanGraph.print(plan, options);
      const again = PlanGraph.parse(text);
      assert.deepEqual([again.diagnostics, again.graph?.hash], [[], graph.hash], text);
      assert.deepEqual(again.graph.toJSON(), plan, name);
      assert.equal(PlanGraph.print(again.graph.toJSON(), options), text);
    }
  }
});

test("printed plans of the suite read back unchanged", () => {
  let count = 0;
  for (const { plan } of cases()) {
    const { graph } = plan ? PlanGraph.parse(JSON.stringify(plan), { format: "json" }) : { graph: null };
    if (!graph?.valid) continue;
    count++;
    const text = PlanGraph.print(plan);
    assert.equal(PlanGraph.parse(text).graph?.hash, graph.hash, text);
  }
  assert.ok(count > 200, `${count}`);
});

test("a value that is no plan is printed as data", () => {
  for (const [value, text] of [
    [null, "null\n"],
    [undefined, "null\n"],
    ["yes", '"yes"\n'],
    [[1, { a: [] }], "- 1\n- {a: []}\n"],
    [{}, "{}\n"],
    ["a\nb", '"a\\nb"\n'],
    [1e21, "1.0e+21\n"],
  ])
    assert.equal(PlanGraph.print(value), text);
});

test("a graph keeps whole numbers that JavaScript rounds, and plain data rejects them", () => {
  const { graph } = PlanGraph.parse(
    "id: big\nnodes: {a: {type: log, input: {id: 9007199254740993, low: -9223372036854775807}}}\n",
  );
  const text = PlanGraph.print(graph);
  assert.match(text, /9007199254740993[^]*-9223372036854775807/);
  assert.equal(PlanGraph.parse(text).graph.hash, graph.hash);
  assert.throws(() => PlanGraph.print(graph.toJSON()), { code: "api/unsafe-number" });
  for (const sound of [2 ** 53 - 1, 1e21, 1e300, 0.5]) assert.ok(PlanGraph.print({ sound }));
});
