// Checks the plans of docs/plans.md, and runs the README's first plan.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PlanGraph } from "../../dist/node.js";
import { file, stepgraph } from "./stepgraph.mjs";

const plansOf = (page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, code]) => code);
};

test("the plans of the reference are valid", () => {
  const plans = plansOf("docs/plans.md");
  assert.equal(plans.length, 3);
  for (const plan of plans) assert.deepEqual(PlanGraph.parse(plan).diagnostics, []);
});

test("the reference has every key of a plan, a node, an edge and limits", async () => {
  const page = readFileSync(new URL("../../docs/plans.md", import.meta.url), "utf8");
  const { properties, $defs } = JSON.parse((await stepgraph(["schema"])).out);
  const keys = [properties, ...["node", "edge", "retry", "limits"].map((name) => $defs[name].properties)];
  for (const name of keys.flatMap((known) => Object.keys(known)))
    assert.match(page, new RegExp(`[\`{ ]${name}[\`:,} ]`), `docs/plans.md lacks \`${name}\``);
});

test("the plan of the README runs with the stubs of its example", async () => {
  file("plan.yaml", plansOf("README.md")[0]);
  file("stubs.yaml", (await stepgraph(["examples", "weather", "--stubs"])).out);
  const { code, out, err } = await stepgraph(["run", "plan.yaml", "--prompt", "Oslo", "--stubs", "stubs.yaml"]);
  assert.deepEqual([code, out], [0, "Take a warm coat and gloves, it is freezing out there!\n"], err);
});

test("the start page has the commands, the output, the plan and the program of the README", () => {
  const blocksOf = (page) => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
    return ["sh", "json", "yaml", "js"].map((lang) => new RegExp(`^\`\`\`${lang}\n([^]*?)^\`\`\``, "m").exec(text)[1]);
  };
  assert.deepEqual(blocksOf("docs/start.md"), blocksOf("README.md"));
});

test("without them, the command says what may have the tool and the model", async () => {
  file("plan.yaml", plansOf("README.md")[0]);
  const { code, err } = await stepgraph(["run", "plan.yaml", "--prompt", "Oslo"]);
  assert.equal(code, 2);
  assert.match(err, /by `--server URL`, a module by `--handlers FILE`, or stubs by `--stubs FILE`/);
  assert.match(err, /by `--model-url URL`, a module by `--handlers FILE`/);
});
