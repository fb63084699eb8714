import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { file, stepgraph } from "./stepgraph.mjs";

const INVALID_PLAN = `id: "50%, done: yes"
nodes:
  a: {type: agnet}
  é: {type: log, input: hi}
edges: [{from: a, to: c}]
start: a
`;
const WARNING = "id: w\nnodes:\n  a: {type: agnet}\nstart: a\n";
const TESTED = `id: t
nodes:
  a: {type: log, input: "\${input}"}
start: a
tests:
  - {name: "keeps <what> & \\"that\\"", input: hi, expect: {last: hi}}
  - {name: "finds \\u0007 a difference", input: "a\\u0001\\uFFFE<b>", expect: {last: ho}}
`;

test("SARIF contains code, level, position, help and fix of every diagnostic, and the unreadable file", async () => {
  const plan = file("my plan.yaml", INVALID_PLAN);
  const { code, out } = await stepgraph(["check", "--output", "sarif", plan, "nowhere.yaml"]);
  assert.equal(code, 2);
  const log = JSON.parse(out);
  assert.equal(log.version, "2.1.0");
  const [{ tool, columnKind, invocations, results }] = log.runs;
  assert.equal(columnKind, "utf16CodeUnits");
  const { diagnostics } = JSON.parse((await stepgraph(["check", "--json", plan])).out).files[0];
  assert.ok(diagnostics.length >= 2);
  assert.deepEqual(
    results.map(({ ruleId, level }) => [ruleId, level]),
    diagnostics.map(({ code, severity }) => [code, severity === "hint" ? "note" : severity]),
  );
  results.forEach(({ ruleId, ruleIndex, locations: [{ physicalLocation }] }, i) => {
    assert.equal(tool.driver.rules[ruleIndex].id, ruleId);
    assert.equal(physicalLocation.artifactLocation.uri, encodeURI(plan));
    assert.equal(physicalLocation.region.startLine, diagnostics[i].line);
    assert.equal(physicalLocation.region.startColumn, diagnostics[i].column);
  });
  const [near] = results.filter(({ ruleId }) => ruleId === "graph/unknown-type");
  assert.match(near.message.text, /help: did you mean `agent`\?/);
  const [change] = near.fixes[0].artifactChanges[0].replacements;
  assert.deepEqual(change, {
    deletedRegion: { startLine: 3, startColumn: 13, endLine: 3, endColumn: 18 },
    insertedContent: { text: "agent" },
  });
  assert.equal(invocations[0].executionSuccessful, false);
  assert.match(invocations[0].toolExecutionNotifications[0].message.text, /nowhere\.yaml/);
});

test("GitHub gets an annotation for every problem, and no text of a plan can begin another command", async () => {
  const plan = file(
    "a,b:c.yaml",
    'id: x\nnodes: {a: {type: log}}\nedges: [{from: a, to: "c\\n::set-output::"}]\nstart: a\n',
  );
  const { code, out } = await stepgraph(["check", "--output", "github", plan]);
  assert.equal(code, 2);
  const lines = out.trimEnd().split("\n");
  assert.equal(lines.length, 2);
  assert.match(
    lines[0],
    /^::error file=[^,:]*a%2Cb%3Ac\.yaml,line=3,endLine=3,col=23,endColumn=\d+,title=graph\/unknown-node::/,
  );
  assert.match(lines[1], /^1 plan checked: 1 error/);
});

test("with `--deny warnings` a warning is an error in every form", async () => {
  const plan = file("plan.yaml", WARNING);
  assert.equal((await stepgraph(["check", plan])).code, 0);
  const forms = {
    text: /^error\[graph\/unknown-type\][\s\S]*1 plan checked: 1 error\n$/,
    json: /"severity":"error"[\s\S]*"errors":1,"warnings":0/,
    sarif: /"level": "error"/,
    github: /^::error /,
  };
  for (const [form, told] of Object.entries(forms)) {
    const { code, out } = await stepgraph(["check", "--deny", "warnings", "--output", form, plan]);
    assert.equal(code, 2, form);
    assert.match(out, told, form);
  }
});

test("JUnit's XML is well formed for every name and value, and counts the failures", async () => {
  const broken = file("broken.yaml", INVALID_PLAN);
  const { code, out } = await stepgraph(["test", "--output", "junit", file("t.yaml", TESTED), broken]);
  assert.equal(code, 2);
  const read = spawnSync(
    "python3",
    [
      "-c",
      "import json,sys,xml.etree.ElementTree as E\n" +
        "root=E.fromstring(sys.stdin.buffer.read())\n" +
        "print(json.dumps([root.attrib,[[s.attrib,[[c.attrib['name'],[p.tag for p in c]] for c in s]] for s in root]]))",
    ],
    { input: out, encoding: "utf8" },
  );
  assert.equal(read.status, 0, read.stderr);
  const [total, [[tested, cases], [untested, [[, problems]]]]] = JSON.parse(read.stdout);
  assert.deepEqual([total.tests, total.failures, total.errors], ["3", "1", "1"]);
  assert.deepEqual([tested.tests, tested.failures, tested.errors], ["2", "1", "0"]);
  assert.deepEqual(cases[0], ['keeps <what> & "that"', []]);
  assert.deepEqual(cases[1][1], ["failure"]);
  assert.deepEqual([untested.tests, untested.errors, problems], ["1", "1", ["error"]]);
});

test("a filter that selects no test and an unknown format are usage errors", async () => {
  const plan = file("t.yaml", TESTED);
  const typo = await stepgraph(["test", "--filter", "nothing like it", plan]);
  assert.equal(typo.code, 2);
  assert.match(typo.err, /no test name contains `nothing like it`[\s\S]*there are `keeps/);
  assert.equal((await stepgraph(["test", "--filter", "keeps", plan])).code, 0);
  const nine = Array.from({ length: 9 }, (_, at) => `{name: t${at}, expect: {}}`);
  const many = file("many.yaml", `nodes: {a: {type: noop}}\ntests: [${nine.join(", ")}]\n`);
  const other = await stepgraph(["test", "--filter", "nothing like it", many]);
  assert.match(other.err, /there are `t0`, `t1`, `t2`, `t3`, `t4` and 4 more\n/);
  const cases = [
    [["check", "--output", "sraif", plan], /does not accept `sraif`[\s\S]*did you mean `--output sarif`/],
    [["check", "--deny", "hints", plan], /does not accept `hints`/],
    [["test", "--json", "--output", "junit", plan], /are two forms/],
  ];
  for (const [args, told] of cases) {
    const { code, err } = await stepgraph(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, told);
  }
});

test("test --stubs applies to every test, and a test's own stubs take precedence", async () => {
  const common = file("common.stubs.yaml", "tools: {one: {return: 1}}\nmodels: {default: {return: theirs}}\n");
  const shared = file(
    "shared-stubs.yaml",
    `
start: a
nodes:
  a: {type: tool, tool: one, input: {}}
  b: {type: llm, input: hi}
edges: [{from: a, to: b}]
tests:
  - {name: common, expect: {outputs: {a: 1}, last: theirs}}
  - {name: own, stubs: {models: {default: {return: mine}}}, expect: {outputs: {a: 1}, last: mine}}
`,
  );
  const { code, out, err } = await stepgraph(["test", shared, "--stubs", common]);
  assert.deepEqual([code, /2 passed, 0 failed/.test(out)], [0, true], out + err);
  assert.equal((await stepgraph(["test", shared])).code, 1);
  const wrong = file("wrong.stubs.yaml", "tool: {}\n");
  assert.equal((await stepgraph(["test", shared, "--stubs", wrong])).code, 2);
});
