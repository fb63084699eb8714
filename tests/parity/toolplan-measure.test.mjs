// Tests the validity measure without a model (`tests/bench/toolplans.mjs`) on our plans, and its input formats.
//
// `UPDATE=1` writes the table into `docs/planning.md`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startSync } from "../../dist/package-internals.js";
import { isGood, measureFiles, ownFiles } from "../bench/toolplans.mjs";
import { CLASSES, entry } from "../bench/toolplans/shapes.mjs";
import { table } from "../bench/toolplans/table.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const script = fileURLToPath(new URL("../bench/toolplans.mjs", import.meta.url));
const docs = new URL("../../docs/planning.md", import.meta.url);

function planEntry(context, text) {
  const folder = mkdtempSync(join(tmpdir(), "stepgraph-measure-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "plans.jsonl");
  writeFileSync(file, text);
  return file;
}

const tools = [
  {
    name: "f",
    input_schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    output_schema: { properties: { x: {} } },
  },
];
const calls = (...parameters) => ({
  tool_calls: parameters.map((each) => ({ tool_name: "f", parameters: each, reasoning: "" })),
});
const line = (id, plan, fault) => JSON.stringify({ id, tools, plan, fault });

test("our own plans: every planted error is found, without false alarms", async () => {
  const found = await measureFiles(ownFiles());
  assert.ok(found.plans >= 100 && found.sound >= 25, `${found.plans} plans`);
  assert.deepEqual([found.alarms, found.misses, found.skipped, found.unknown], [[], [], [], []]);
  assert.ok(isGood(found));
  const planted = Object.fromEntries(found.classes.map((row) => [row.name, row.planted]));
  for (const { name } of CLASSES.slice(0, 8)) assert.ok(planted[name] >= 8, `${name}: ${planted[name]}`);
  const text = readFileSync(docs, "utf8");
  const held = /(?<=<!-- measured -->\n\n)[^]*?(?=\n\n<!-- -->)/;
  if (process.env.UPDATE)
    writeFileSync(
      docs,
      text.replace(held, () => table(found)),
    );
  else assert.equal(held.exec(text)?.[0], table(found), "UPDATE=1 writes the table");
});

test("the measurement reads any file: marks, line ends, empty and long lines, and invalid plans", async (context) => {
  const odd = [
    `\uFEFF${line("good", calls({ a: "b\u2028c" }))}`,
    "",
    "   ",
    line("long", calls({ a: "x".repeat(3_000_000) })),
    '{"id": ',
    "[1]",
    "null",
    "{}",
    JSON.stringify({ id: 1, tools: {} }),
    JSON.stringify({ id: 2, tools: [{}], plan: calls() }),
    JSON.stringify({ id: 3, tools }),
    JSON.stringify({ tools, plan: calls({}), fault: "missing required" }),
    line("missed", calls({ a: "b" }), "out of enum"),
    line("alarm", calls({ a: 3 })),
    line("unheard", calls({ a: 3 }), ["strange fault", "wrong type"]),
    line("answer", "no plan at all", "malformed plan"),
    `{"id": "deep", "tools": [], "plan": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  ];
  const found = await measureFiles([planEntry(context, odd.join("\r\n"))]);
  assert.deepEqual(
    found.skipped.map(({ line: place }) => place.split(":")[1]),
    ["5", "6", "7", "8", "9", "10", "11", "17"],
  );
  assert.ok(found.skipped.every(({ why }) => why.length > 0));
  assert.deepEqual([found.plans, found.sound, found.faulty], [7, 3, 4]);
  assert.deepEqual(
    found.misses.map(({ id, faults }) => [id, faults]),
    [["missed", ["out of enum"]]],
  );
  assert.deepEqual(
    found.alarms.map(({ id, said }) => [id, said.map(({ code, call }) => [code, call])]),
    [["alarm", [["plan/invalid-type", 0]]]],
  );
  assert.deepEqual(found.unknown, [{ name: "strange fault", plans: 1 }]);
  assert.equal(found.overall.recall, 3 / 4);
  const byName = Object.fromEntries(found.classes.map((row) => [row.name, row]));
  assert.deepEqual(
    [byName["wrong type"].recall, byName["wrong type"].precision, byName["out of enum"].recall],
    [1, 1 / 2, 0],
  );
});

test("other forms of tools, plans and faults", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const readTool = (json) => entry({ tools: [json], plan: [] }, "x:1").tools[0];
  for (const form of [
    { name: "f", input_schema: schema },
    { name: "f", inputSchema: schema },
    { name: "f", parameters: schema },
    { type: "function", name: "f", parameters: schema },
    { type: "function", function: { name: "f", parameters: schema } },
    { function: { name: "f", parameters: JSON.stringify(schema) } },
    { name: "f", parameters: { a: { type: "string" } } },
    { name: "f", input_parameters: [{ name: "a", type: "string" }] },
  ])
    assert.deepEqual(readTool(form), { name: "f", input_schema: schema }, JSON.stringify(form));
  for (const kept of [{}, { type: "object" }, { type: "array" }, { $ref: "#/$defs/a" }, { title: "a" }])
    assert.deepEqual(readTool({ name: "f", parameters: kept }).input_schema, kept);
  assert.equal(readTool({ name: "f" }).input_schema, undefined);
  assert.deepEqual(readTool({ name: "f", parameters: { type: { type: "string" } } }).input_schema.properties, {
    type: { type: "string" },
  });
  assert.deepEqual(readTool({ name: "f", outputSchema: schema }).output_schema, schema);

  const planned = (plan) => entry({ tools: [], plan }, "x:1").plan;
  const call = { tool_name: "f", parameters: { a: 1 } };
  for (const form of [
    [call],
    { tool_calls: [call] },
    { tool_calls: [{ name: "f", arguments: { a: 1 } }] },
    [{ function: { name: "f", arguments: '{"a": 1}' } }],
    { calls: [{ name: "f", args: { a: 1 } }] },
  ]) {
    assert.deepEqual(planned(form).tool_calls, [call], JSON.stringify(form));
  }
  assert.equal(planned("as written"), "as written");
  const faultNames = (fault) => entry({ tools: [], plan: [], fault }, "x:1").faults;
  for (const [fault, ...names] of [
    ["unknown_tool", "unknown tool"],
    ["Missing-Required", "missing required"],
    ["plan/invalid-type", "wrong type"],
    [["enum", "extra argument"], "out of enum", "unknown argument"],
    [{ class: "forward reference" }, "forward reference"],
    ["reference to an absent output field", "absent output field"],
    ["dangling_ref", "dangling reference"],
    [null],
    ["none"],
    [[]],
    [undefined],
  ])
    assert.deepEqual(faultNames(fault), names, String(fault));
});

test("the command", (context) => {
  const file = planEntry(
    context,
    [
      line("good", calls({ a: "b" })),
      line("bad", calls({ a: "${call[0].x}" }, { a: "${call[0].y}" }), "absent field"),
    ].join("\n"),
  );
  const runMeasure = (...args) =>
    execFileSync(process.execPath, [script, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const { overall, classes } = JSON.parse(runMeasure("--json", "--gate", file));
  assert.deepEqual(
    [overall.recall, overall.precision, classes.map(({ name }) => name)],
    [1, 1, ["absent output field"]],
  );
  assert.match(runMeasure(file), /2 plans, 1 sound and 1 with planted faults/);
  const ends = (args) => {
    try {
      runMeasure(...args);
      return 0;
    } catch ({ status }) {
      return status;
    }
  };
  const alarm = planEntry(context, line("bad", calls({ a: 3 })));
  assert.deepEqual([ends(["--gate", alarm]), ends([alarm]), ends([`${alarm}.gone`])], [1, 0, 2]);
});
