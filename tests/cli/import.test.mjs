// Tests the import of other formats: the command, the API, and the suite's workflows.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fromMermaid, fromServerlessWorkflow, importPlan } from "../../dist/editor/node.js";
import { PlanGraph } from "../../dist/node.js";
import { npmPackages } from "../servers/install.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const suite = new URL("../suite/interop/", import.meta.url);
const read = (name) => readFileSync(new URL(name, suite), "utf8");

/** No workflows, or of a version that the validator does not support. */
const UNSUPPORTED_FILES = ["broken.yaml", "old.yaml", "tools.json", "wrong.yaml"];

test("the SDK of Serverless Workflow accepts the workflows of the suite", {
  timeout: 300_000,
}, async () => {
  const installed = await npmPackages("serverlessworkflow-sdk-1.0.1", ["@serverlessworkflow/sdk@1.0.1"]);
  const { Classes, validate } = createRequire(join(installed, "x.js"))("@serverlessworkflow/sdk");
  const names = readdirSync(new URL("serverless/", suite)).filter(
    (name) => !name.endsWith(".expect") && !UNSUPPORTED_FILES.includes(name),
  );
  assert.ok(names.length >= 4);
  for (const name of names)
    assert.doesNotThrow(() => validate("Workflow", Classes.Workflow.deserialize(read(`serverless/${name}`))), name);
});

test("a workflow becomes a plan on standard output and a report on standard error", async () => {
  file("order.yaml", read("serverless/order.yaml"));
  const { code, out, err } = await stepgraph(["import", "order.yaml"]);
  assert.deepEqual([code, PlanGraph.parse(out).diagnostics], [0, []]);
  assert.match(err, /\d+ findings: \d+ exact, 0 approximated, 0 lost/);
});

test("import reports each loss with its position, and a strict import exits with 1", async () => {
  file("calls.yaml", read("serverless/calls.yaml"));
  const { code, out, err } = await stepgraph([
    "import",
    "calls.yaml",
    "--from",
    "serverless",
    "--strict",
    "-o",
    "plan.yaml",
  ]);
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /import\/no-equal[^]*calls\.yaml:\d+:\d+[^]*schedule/);
  const { code: checked } = await stepgraph(["check", join(folder, "plan.yaml")]);
  assert.equal(checked, 0);
});

test("a flowchart is known by its first line; looks are no loss", async () => {
  const { code, out, err } = await stepgraph(["import", "-", "--strict"], {
    input: "graph LR\n  a[Ask] -->|Yes| b\n  a --> c\n  style a fill:#f00\n",
  });
  assert.equal(code, 0);
  assert.match(out, /from: ask, to: b, condition: last == "Yes"/);
  assert.match(err, /import\/label/);
});

test("import --json prints one object, and unreadable text exits with 2", async () => {
  file("flow.mmd", "flowchart TD\n  ü[Üben] --> b\n  b[( --> c\n");
  file("none.yaml", "a: 1\n");
  const [json, none, wrong] = await Promise.all(
    [["flow.mmd", "--json"], ["none.yaml"], ["flow.mmd", "--from", "bpmn"]].map((args) =>
      stepgraph(["import", ...args]),
    ),
  );
  const { from, findings, text } = JSON.parse(json.out);
  assert.deepEqual([json.code, json.err, from], [0, "", "mermaid"]);
  const lost = findings.find(({ code }) => code === "import/syntax");
  assert.deepEqual([lost.line, lost.column, lost.construct, lost.fidelity], [3, 3, "statement", "lost"]);
  assert.match(text, /üben: \{type: noop/);
  assert.equal(none.code, 2);
  assert.match(none.err, /import\/unreadable[^]*document\.dsl/);
  assert.equal(wrong.code, 2);
});

test("the JavaScript function returns the same as the command", () => {
  const places = fromMermaid("graph TD\n  😀 --> b --- c\n").findings.map(({ span, code }) => [code, span]);
  assert.deepEqual(places.find(([code]) => code === "import/approximated")?.[1], { start: 20, end: 25 });
  assert.equal(fromServerlessWorkflow("a: [").text, null);
  assert.equal(importPlan("document: {dsl: 1.0.0, name: x}\ndo: []\n").from, "serverless");
});
