// Runs the tests of the example plans that compute values.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { stepgraph } from "./stepgraph.mjs";

const folder = fileURLToPath(new URL("../../examples/expressions", import.meta.url));
const plans = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

test("ten plans compute values without handlers", () => assert.equal(plans.length, 10));

for (const name of plans) {
  test(`${name} passes its tests`, async () => {
    const { code, out, err } = await stepgraph(["test", `${folder}/${name}`]);
    assert.equal(code, 0, out + err);
  });
}
