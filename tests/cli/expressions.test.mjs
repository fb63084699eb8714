// Runs the tests of the example plans that compute values.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { file, stepgraph } from "./stepgraph.mjs";

const folder = fileURLToPath(new URL("../../examples/expressions", import.meta.url));
const plans = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

test("ten plans compute values without handlers", () => assert.equal(plans.length, 10));

for (const name of plans) {
  test(`${name} passes its tests`, async () => {
    const { code, out, err } = await stepgraph(["test", `${folder}/${name}`]);
    assert.equal(code, 0, out + err);
  });
}

const ITEMS = `nodes:
  when:
    type: set
    with:
      values:
        count: "\${size(input.items)}"
        prices: "\${input.items.map(i, i.price)}"
inputs:
  items: {type: array, default: [{price: 1}, {}]}
`;

test("a failed value is reported with its place, its key and its element", async () => {
  const { code, err } = await stepgraph(["run", file("items.yaml", ITEMS), "--quiet"]);
  assert.equal(code, 1, err);
  assert.match(
    err,
    /in `with\.values\.prices`: `input\.items\.map\(i, i\.price\)` has no value, since\s+`input\.items\[1\]\.price`/,
  );
  assert.match(err, /--> items\.yaml:7:17: node `when`/);
});

const FAILING = `start: a
nodes: {a: {type: noop}, b: {type: noop}}
edges:
  - {from: a, to: b, condition: "size(input.items) > 5 || 1 > input.n + 1"}
inputs:
  n: {default: x}
  items: {type: array, default: [1, 2]}
`;

test("verbose lines and the trace mark a failed condition", async () => {
  const plan = file("failing.yaml", FAILING);
  const { err } = await stepgraph(["run", plan, "--verbose"]);
  assert.match(err, / {4}failed size\(input\.items\) > 5 .* \(size\(input\.items\) is 2, input\.n is "x"\)/);
  const { out } = await stepgraph(["run", plan, "--json"]);
  const decision = JSON.parse(out).trace.find(({ type }) => type === "edge-decided");
  assert.deepEqual(
    decision.verdicts.map(({ holds, failed }) => ({ holds, failed })),
    [{ holds: false, failed: true }],
  );
});
