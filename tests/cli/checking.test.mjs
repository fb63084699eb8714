// Tests that docs/checking.md shows the real output of the command.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { file, stepgraph } from "./stepgraph.mjs";

test("the page about checking shows a plan and its diagnostics", async () => {
  const page = readFileSync(new URL("../../docs/checking.md", import.meta.url), "utf8");
  const [, plan] = /```yaml\n([^]*?)```/.exec(page);
  const [, shown] = /```console\n\$ stepgraph check plan.yaml\n([^]*?)```/.exec(page);
  file("plan.yaml", plan);
  const { code, out, err } = await stepgraph(["check", "plan.yaml"]);
  assert.equal(code, 2);
  assert.equal(out + err, shown);
});

test("a plan without nodes is refused by every command that reads plans", async () => {
  for (const text of ["", "null", "# soon"]) {
    file("empty.yaml", text);
    for (const command of ["check", "run", "test", "cost"]) {
      const { code, out, err } = await stepgraph([command, "empty.yaml"]);
      assert.equal(code, 2, `${command} ${JSON.stringify(text)}`);
      assert.match(out + err, /graph\/no-nodes/, `${command} ${JSON.stringify(text)}`);
    }
  }
});
