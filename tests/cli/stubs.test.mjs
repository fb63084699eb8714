// Tests diagnostics for stubs files, which several plans may share: all errors at once, in every format.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const read = (name) => readFileSync(join(folder, name), "utf8");

const order = file(
  "order.yaml",
  `inputs: {id: {type: string, default: "7"}}
nodes:
  get: {type: tool, tool: get_order, input: {id: "\${input.id}"}}
`,
);
const payPlan = file("pay.yaml", "nodes:\n  pay: {type: tool, tool: pay, input: {}}\n");
const sharedStubs = file(
  "shared.stubs.yaml",
  `tools:
  get_order: {return: {id: 1}, annotations: {destructiveHint: true}}
  pay: {return: 1, annotations: {readOnlyHint: true}}
nodes: {pay: {return: 1}}
`,
);
const invalidStubs = file(
  "bad.stubs.yaml",
  `toolz: {}
tools:
  get_order:
    return: {id: 7}
    output_schema: {type: object, properties: {id: {type: string}}}
  pay: {return: 1, fail: no, annotations: {readOnlyHit: true}}
`,
);
const STUB_ERRORS = [
  ["stub/unknown-key", 1, 1, "did you mean `tools`?"],
  ["stub/wrong-result", 4, 18, "return a value that matches the tool's output schema, or write `fail`"],
  ["stub/contradiction", 6, 20, "keep `return` or `fail`"],
  ["stub/unknown-key", 6, 44, "did you mean `readOnlyHint`?"],
];
const facts = (diagnostics) => diagnostics.map(({ code, line, column, help }) => [code, line, column, help]);

test("an empty stub file replaces nothing, for check and run", async () => {
  const plan = file("empty-stubs.yaml", "nodes: {a: {type: log, input: x}}\n");
  const empty = file("empty.stubs.yaml", "# nothing yet\n");
  const codes = await Promise.all(
    ["check", "run", "test"].map(async (name) => (await stepgraph([name, plan, "--stubs", empty])).code),
  );
  assert.deepEqual(codes, [0, 0, 0]);
});

test("several plans may share a stub file: a stub is unused only if no plan uses it", async () => {
  const strict = ["check", "--deny", "warnings", "--stubs", sharedStubs];
  const both = await stepgraph([...strict, order, payPlan]);
  assert.equal(both.code, 0, both.out);
  assert.match(both.out, /\n2 plans checked: no problems\n$/);
  const one = await stepgraph([...strict, order]);
  assert.equal(one.code, 2);
  assert.match(one.out, /hint\[test\/unused-stub\]: no node has the tool `pay`.*\n --> shared\.stubs\.yaml:3:3/);
  assert.match(one.out, /error\[run\/unknown-handler\]: no node has the id `pay`/);
  const lost = file("lost.stubs.yaml", "tools:\n  get_oder: {return: 1}\n  pay: echo\n  get_ordr: {return: 1}\n");
  const report = JSON.parse((await stepgraph(["check", "--json", "--stubs", lost, order, payPlan])).out);
  assert.deepEqual(
    report.files.map((one) => one.file),
    ["order.yaml", "pay.yaml", "lost.stubs.yaml"],
  );
  assert.match(report.files[0].diagnostics[0].help, /did you mean `get_oder`/);
  assert.deepEqual(
    facts(report.files[2].diagnostics),
    [["test/unused-stub", 4, 3, "did you mean `get_order`?"]],
    "one mistake is told once",
  );
  const named = await stepgraph([...strict, order, payPlan, sharedStubs]);
  assert.match(named.out, /\n3 files checked: no problems\n$/);
});

test("a misspelt stub refuses the run and the test, which would make a real call", async () => {
  const tools = file("real.mjs", 'export const tools = { pay: { input: {}, run: () => console.log("REAL") } };\n');
  const lost = file("pai.stubs.yaml", "tools: {pai: {return: 1}}\n");
  const real = ["--handlers", tools];
  const run = await stepgraph(["run", payPlan, ...real, "--stubs", lost]);
  assert.deepEqual([run.code, run.out], [2, ""], run.err);
  assert.match(
    run.err,
    /unused-stub\]: no node has the tool `pai`.*\n --> pai\.stubs\.yaml\n {2}= help: did you mean `pay`/,
  );
  const tested = file(
    "tested.yaml",
    `${read("pay.yaml")}tests: [{name: t, stubs: {tools: {pai: {return: 1}}}, expect: {last: 1}}]\n`,
  );
  const test = await stepgraph(["test", tested, ...real]);
  assert.equal(test.code, 2, test.out);
  assert.doesNotMatch(test.out, /REAL/);
  const known = file("both.stubs.yaml", "tools: {pai: {return: 1}, pay: {return: 2}}\n");
  assert.equal((await stepgraph(["run", payPlan, ...real, "--stubs", known])).out, "2\n");
  assert.equal((await stepgraph(["run", tested, ...real, "--stubs", known])).out, "2\n", "a run ignores tests");
});

test("the review of a plan uses the tool hints of its stubs", async () => {
  const { out } = await stepgraph(["check", "--stubs", sharedStubs, order, payPlan]);
  assert.match(out, / {2}destroys {2}get_order\n[^]* {2}reads {5}pay\n/);
});

test("check reports all errors of a stub file at once, with positions, in every format", async () => {
  const json = await stepgraph(["check", "--json", "--stubs", invalidStubs, order, payPlan]);
  assert.equal(json.code, 2);
  const [plan, , stubs] = JSON.parse(json.out).files;
  assert.deepEqual([plan.diagnostics, stubs.file], [[], "bad.stubs.yaml"]);
  assert.deepEqual(facts(stubs.diagnostics), STUB_ERRORS);
  const sarif = await stepgraph(["check", "--output", "sarif", "--stubs", invalidStubs, order, payPlan]);
  const places = JSON.parse(sarif.out).runs[0].results.map(({ ruleId, locations: [{ physicalLocation }] }) => [
    ruleId,
    physicalLocation.artifactLocation.uri,
    physicalLocation.region.startLine,
  ]);
  assert.deepEqual(
    places,
    STUB_ERRORS.map(([code, line]) => [code, "bad.stubs.yaml", line]),
  );
  const github = await stepgraph(["check", "--output", "github", "--stubs", invalidStubs, order, payPlan]);
  assert.equal(github.out.match(/^::error file=bad\.stubs\.yaml,line=/gm).length, STUB_ERRORS.length);
  const text = await stepgraph(["check", "--stubs", invalidStubs, order]);
  assert.deepEqual([text.code, text.out.match(/^error\[stub\//gm).length], [2, STUB_ERRORS.length]);
});

test("run, test, plan and serve refuse such stubs with exit code 2, and say why", async () => {
  const ran = await stepgraph(["run", order, "--stubs", invalidStubs]);
  assert.deepEqual([ran.code, ran.out, ran.err.match(/^error\[stub\//gm).length], [2, "", STUB_ERRORS.length]);
  const report = await stepgraph(["run", order, "--stubs", invalidStubs, "--json"]);
  const { outcome } = JSON.parse(report.out);
  assert.deepEqual([report.code, outcome.code, facts(outcome.diagnostics)], [2, "run/invalid-stubs", STUB_ERRORS]);
  const tested = await stepgraph(["test", order, "--stubs", invalidStubs, "--output", "json"]);
  const [one] = JSON.parse(tested.out).files;
  assert.deepEqual([tested.code, one.bad, facts(one.diagnostics)], [2, true, STUB_ERRORS]);
  const junit = await stepgraph(["test", order, "--stubs", invalidStubs, "--output", "junit"]);
  assert.match(junit.out, /readOnlyHint/);
  const served = await stepgraph(["serve", "--stubs", invalidStubs], { input: "" });
  assert.deepEqual([served.code, served.err.match(/^error\[stub\//gm).length], [2, STUB_ERRORS.length]);
});

test("a stub file that is not YAML is reported in the same way", async () => {
  const broken = file("broken.stubs.yaml", "tools: {a: [}\n");
  const { code, out } = await stepgraph(["run", order, "--stubs", broken, "--json"]);
  assert.equal(code, 2);
  assert.equal(JSON.parse(out).outcome.diagnostics[0].code, "source/syntax");
});

test("an input that the plan does not declare, and leave for no tool, are refused before anything runs", async () => {
  const input = await stepgraph(["run", order, "--stubs", sharedStubs, "--input", "idd=8"]);
  assert.equal(input.code, 2);
  assert.match(input.err, /run\/invalid-input.*declares no input `idd` \(did you mean `id`\?\)/);
  assert.match(input.err, /help.*: set the plan's inputs: `--input id=/);
  const allow = await stepgraph(["run", order, "--stubs", sharedStubs, "--allow", "get_ordr"]);
  assert.deepEqual([allow.code, allow.out], [2, ""]);
  assert.match(allow.err, /error\[run\/unknown-allowed\].*`get_ordr`[^]*did you mean `get_order`\?/);
  const json = JSON.parse((await stepgraph(["run", order, "--stubs", sharedStubs, "--allow", "other", "--json"])).out);
  assert.equal(json.outcome.diagnostics[0].code, "run/unknown-allowed");
  for (const name of ["get_order", "*"])
    assert.equal((await stepgraph(["run", order, "--stubs", sharedStubs, "--allow", name])).code, 0, name);
});

test("check and test reject a test of a missing node, and the plan still runs", async () => {
  const stale = file(
    "stale.yaml",
    "nodes:\n  a: {type: log, input: hi}\ntests:\n  - {name: t, expect: {path: [aa, b]}}\n",
  );
  const checked = await stepgraph(["check", stale]);
  assert.deepEqual([checked.code, checked.out.match(/error\[test\/unknown-node\]/g).length], [2, 2], checked.out);
  assert.equal((await stepgraph(["test", stale])).code, 2);
  assert.deepEqual(await stepgraph(["run", stale, "-q"]), { code: 0, out: "hi\n", err: "" });
});

test("errors of stubs hide no error of the plan", async () => {
  const wrong = file("wrong.yaml", "nodes: {a: {type: tool, tool: get_ordr, input: {}}, b: {type: tool, tool: pay}}\n");
  const halves = file("halves.stubs.yaml", "tools:\n  get_order: {retrun: 1}\n  pay: 5\n");
  const report = JSON.parse((await stepgraph(["check", "--json", "--stubs", halves, wrong])).out);
  const codes = report.files.map(({ file, diagnostics }) => [file, diagnostics.map(({ code }) => code)]);
  assert.deepEqual(codes, [
    ["wrong.yaml", ["graph/ambiguous-start", "graph/unknown-tool"]],
    ["halves.stubs.yaml", ["stub/unknown-key", "stub/wrong-shape"]],
  ]);
});

test("run and test tell of a plan's mistakes beside those of stubs, and check of stubs without use", async () => {
  const wrong = file("both.yaml", "nodes: {a: {type: tool, tool: get_ordr, input: {}}}\n");
  const halves = file("both.stubs.yaml", "tools:\n  get_order: {retrun: 1}\n  pay: echo\n");
  const found = ["stub/unknown-key", "graph/unknown-tool"];
  const ran = JSON.parse((await stepgraph(["run", wrong, "--stubs", halves, "--json"])).out).outcome;
  assert.deepEqual([ran.code, ran.diagnostics.map(({ code }) => code)], ["run/invalid-stubs", found]);
  const text = await stepgraph(["run", wrong, "--stubs", halves]);
  assert.match(text.err, /both\.stubs\.yaml:2:15[^]*both\.yaml:1:/);
  const served = await stepgraph(["run", wrong, "--stubs", halves, "--server", "http://127.0.0.1:9/", "--json"]);
  assert.deepEqual(
    JSON.parse(served.out).outcome.diagnostics.map(({ code }) => code),
    ["stub/unknown-key"],
    "a server may have the tool",
  );
  const broken = file("broken.yaml", "nodes: {a: {type: log}, b: {}}\n");
  const tested = await stepgraph(["test", broken, "--stubs", halves]);
  assert.equal(tested.code, 2);
  assert.match(tested.out, /stub\/unknown-key[^]*nothing tested[^]*graph\/missing-type/);
  const files = JSON.parse((await stepgraph(["test", broken, "--stubs", halves, "--json"])).out).files;
  assert.deepEqual(
    files.map(({ file, bad }) => [file, bad]),
    [
      ["both.stubs.yaml", true],
      ["broken.yaml", true],
    ],
  );
  const checked = JSON.parse((await stepgraph(["check", wrong, "--stubs", halves, "--json"])).out).files[1];
  assert.deepEqual(
    checked.diagnostics.map(({ code, line }) => [code, line]),
    [
      ["stub/unknown-key", 2],
      ["test/unused-stub", 3],
    ],
  );
});

test("a stub may write an output before its node runs", async () => {
  const early = file(
    "early.yaml",
    `start: a
nodes: {a: {type: own}, b: {type: noop}, c: {type: tool, tool: look, input: {}}}
edges: [{from: a, to: b, condition: output.c.exists}, {from: a, to: c}]
`,
  );
  const writes = file("early.stubs.yaml", "types: {own: {return: 1, writes: {c: 1}}}\ntools: {look: echo}\n");
  const strict = await stepgraph(["check", early, "--stubs", writes, "--deny", "warnings"]);
  assert.equal(strict.code, 0, strict.out);
  const ran = await stepgraph(["run", early, "--stubs", writes]);
  assert.deepEqual([ran.code, /never-there/.test(ran.err)], [0, false], ran.err);
  assert.match((await stepgraph(["check", early])).out, /never-there/);
});

test("replies of a model stub are validated against the model's declaration", async () => {
  const rate = file(
    "rate.yaml",
    "nodes: {a: {type: llm, input: x, with: {model: smal, schema: {type: object, required: [score]}}}}\n",
  );
  const says = file("rate.stubs.yaml", "models:\n  small: echo\n  default: {return: {scoer: 1}}\n");
  const { files } = JSON.parse((await stepgraph(["check", rate, "--stubs", says, "--json"])).out);
  assert.deepEqual(
    files.map(({ diagnostics }) => diagnostics.map(({ code, line }) => [code, line])),
    [[["graph/unknown-model", 1]], [["stub/wrong-result", 3]]],
  );
  const only = file("only.stubs.yaml", "models: {small: echo}\n");
  const ran = await stepgraph(["run", rate, "--stubs", only]);
  assert.match(ran.err, /graph\/unknown-model[^]*did you mean `small`\?/);
});

test("test reports errors of the plan at their positions before it runs a test", async () => {
  const odd = file(
    "odd.yaml",
    "nodes:\n  a: {type: llm, input: hi, with: {promt: x}}\ntests:\n  - {name: t, stubs: {models: {default: echo}}, expect: {last: hi}}\n",
  );
  const { code, out } = await stepgraph(["test", odd]);
  assert.equal(code, 2);
  assert.match(
    out,
    /error\[graph\/[a-z-]+\]: .*`promt`[^]*--> odd\.yaml:2:36[^]*help[^]*not tested, the plan has 1 error\n/,
  );
  const never = file("never.yaml", "nodes: {a: {type: noop}}\ntests:\n  - {name: t, expect: {outcome: paused}}\n");
  for (const command of ["check", "test"]) {
    const told = await stepgraph([command, never]);
    assert.equal(told.code, 2);
    assert.match(told.out, /error\[test\/never-passes\]: no run of this plan is paused/);
  }
  assert.equal((await stepgraph(["run", never])).code, 0);
});
