// Tests coverage and mutants of `stepgraph test`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const nodes = 'start: a\nnodes: {a: {type: log, input: "${input}"}, b: {type: log}, c: {type: log}}\n';
const edges = "edges:\n  - {from: a, to: b, condition: last.n > 1}\n  - {from: a, to: c}\n";
const large = "  - {name: large, input: {n: 5}, expect: {path: [a, b]}}\n";
const small = "  - {name: small, input: {n: 1}, expect: {path: [a, c]}}\n";
const half = file("half.yaml", `${nodes}${edges}tests:\n${large}`);
const full = file("full.yaml", `${nodes}${edges}tests:\n${large}${small}`);
const failing = file("failing.yaml", `${nodes}${edges}tests:\n${large.replace("a, b", "a, c")}`);
const untested = file("untested.yaml", `${nodes}${edges}`);
const json = async (...args) => {
  const { code, out, err } = await stepgraph(["test", "--json", ...args]);
  return { code, err, ...JSON.parse(out) };
};

test("JSON has each part with its position, and the totals of all plans", async () => {
  const { code, files, coverage } = await json("--coverage", half, full);
  assert.equal(code, 0);
  assert.deepEqual(coverage, { percent: (100 * 11) / 14 });
  assert.deepEqual(
    files.map(({ coverage }) => coverage.counts.all),
    [
      { covered: 4, total: 7, unreachable: 0 },
      { covered: 7, total: 7, unreachable: 0 },
    ],
  );
  const missed = files[0].coverage.parts.filter(({ count }) => count === 0);
  assert.deepEqual(missed, [
    { kind: "node", scope: "", node: "c", count: 0, unreachable: false, line: 2, column: 60 },
    {
      kind: "condition",
      scope: "",
      node: "a",
      edge: 0,
      to: "b",
      condition: "last.n > 1",
      holds: false,
      count: 0,
      unreachable: false,
      line: 4,
      column: 12,
    },
    {
      kind: "edge",
      scope: "",
      node: "a",
      edge: 1,
      to: "c",
      condition: "",
      count: 0,
      unreachable: false,
      line: 5,
      column: 12,
    },
  ]);
  assert.equal((await json(half)).files[0].coverage, undefined);
});

test("mutants have their change, the test that noticed it, and a score", async () => {
  const { code, files, mutation } = await json("--mutate", full);
  assert.equal(code, 0);
  assert.deepEqual(files[0].mutation.counts, mutation.counts);
  assert.deepEqual(mutation.counts, { killed: 4, rejected: 2, survived: 1, equivalent: 0, leftOut: 0 });
  assert.equal(mutation.score, (100 * 6) / 7);
  const [survivor] = files[0].mutation.mutants.filter(({ status }) => status === "survived");
  assert.deepEqual(survivor, {
    scope: "",
    node: "a",
    edge: 0,
    span: survivor.span,
    kind: "change-number",
    message: "`1` replaced by `2`",
    line: 4,
    column: 33,
    status: "survived",
    before: ["  - {from: a, to: b, condition: last.n > 1}"],
    after: ["  - {from: a, to: b, condition: last.n > 2}"],
  });
  const killers = files[0].mutation.mutants.flatMap(({ status, test }) => (status === "killed" ? test : []));
  assert.deepEqual(killers, ["large", "large", "small", "small"]);
  const codes = files[0].mutation.mutants.flatMap(({ status, code }) => (status === "rejected" ? code : []));
  assert.deepEqual(new Set(codes), new Set(["test/never-passes"]));
});

test("a limit spreads the mutants over the plan, and names what it left out", async () => {
  const { files, mutation } = await json("--mutate", "--mutate-limit", "2", full);
  assert.deepEqual([files[0].mutation.mutants.length, mutation.counts.leftOut], [2, 5]);
  assert.deepEqual(
    files[0].mutation.mutants.map(({ kind }) => kind),
    ["remove-edge", "always-true"],
  );
  const { out } = await stepgraph(["test", "--mutate", "--mutate-limit", "2", full]);
  assert.match(out, /\n {2}5 mutants left out: raise `--mutate-limit` to test all\n.* 5 left out\n/);
});

test("a minimum fails the command, also for plans without tests", async () => {
  const code = async (...args) => (await stepgraph(["test", ...args])).code;
  assert.equal(await code("--min-coverage", "57", half), 0);
  const low = await stepgraph(["test", "--min-coverage", "57.5", half]);
  assert.deepEqual(
    [low.code, low.err],
    [1, "error[cli/below-minimum]: the tests cover 57.1 % of the plan, less than 57.5 %\n"],
  );
  const both = await json("--min-coverage", "80", half, full);
  assert.deepEqual(
    [both.code, both.err],
    [1, "error[cli/below-minimum]: the tests cover 78.5 % of 2 plans, less than 80 %\n"],
  );
  assert.equal(await code("--min-coverage", "1", untested), 1);
  assert.equal(await code("--mutate", "--min-score", "85", full), 0);
  const score = await stepgraph(["test", "--mutate", "--min-score", "90", full]);
  assert.deepEqual(
    [score.code, score.err],
    [1, "error[cli/below-minimum]: the mutation score is 85.7 %, less than 90 %\n"],
  );
  const none = await stepgraph(["test", "--mutate", "--min-score", "1", untested]);
  assert.equal(none.code, 1);
  assert.match(none.out, /untested\.yaml: 7 mutants, no test notices 7\nmutation score 0 %/);
});

test("mutants need tests that pass", async () => {
  const { code, out } = await stepgraph(["test", "--mutate", failing, full]);
  assert.equal(code, 1);
  assert.match(out, /\nfailing\.yaml: no mutants, a test fails without a change\n/);
  assert.match(out, /\nfull\.yaml: 7 mutants, no test notices 1\n/);
  const filtered = await stepgraph(["test", "--mutate", "--filter", "small", half, full]);
  assert.match(filtered.out, /\nhalf\.yaml: no mutants, the filter matches no test\n/);
});

test("draws one plan, and never over a file of the command", async () => {
  const { code, out } = await stepgraph(["test", half, "--coverage-svg", "half.svg"]);
  assert.deepEqual([code, /\ncoverage {3}nodes /.test(out)], [0, true], out);
  assert.match(readFileSync(join(folder, "half.svg"), "utf8"), /<title>a → c: not covered, 0×<\/title>/);
  for (const [args, message] of [
    [[half, full, "--coverage-svg", "x.svg"], /draws one plan, but there are several/],
    [[half, "--coverage-svg", half], /would write over the plan, `half\.yaml`/],
    [[half, "--coverage-svg", "nowhere/x.svg"], /can't write `nowhere\/x\.svg`/],
    [[half, "--min-coverage", "101"], /does not accept `101`/],
    [[half, "--min-coverage", "many"], /does not accept `many`/],
    [[half, "--min-coverage=-1"], /does not accept `-1`/],
    [[half, "--mutate-limit", "5"], /`--mutate-limit` needs `--mutate`/],
    [[half, "--min-score", "5"], /`--min-score` needs `--mutate`/],
    [[half, "--mutate", "--mutate-limit", "0"], /does not accept `0`/],
    [[half, "--mutate", "--mutate-limit", "1e3"], /does not accept `1e3`/],
  ]) {
    const { code, err } = await stepgraph(["test", ...args]);
    assert.deepEqual([code, message.test(err)], [2, true], err);
  }
  assert.equal(existsSync(join(folder, "x.svg")), false);
});

test("JUnit stays a document, and standard error has the lists", async () => {
  const { code, out, err } = await stepgraph(["test", half, "--coverage", "--mutate", "--output", "junit"]);
  assert.equal(code, 0);
  assert.match(out, /^<\?xml[^]*<\/testsuites>\n$/);
  assert.match(err, /^coverage [^]*\nnot covered\n[^]*\nmutation score /);
});

test("parts of other files have the positions of those files", async () => {
  mkdirSync(join(folder, "parts"));
  file(
    "parts/inner.yaml",
    "start: x\nnodes:\n  x: {type: log}\n  y: {type: log}\nedges:\n  - {from: x, to: y, condition: last.n > 9}\n",
  );
  const whole = file(
    "whole.yaml",
    'nodes: {a: {type: graph, graph: parts/inner.yaml, input: "${input}"}}\n' +
      "tests: [{name: t, input: {n: 1}, expect: {path: [a]}}]\n",
  );
  const { out } = await stepgraph(["test", whole, "--coverage", "--mutate"]);
  assert.match(out, /\n {2}parts\/inner\.yaml:4:3 {2}node `y` in `a` never started\n/);
  assert.match(
    out,
    /\n {2}parts\/inner\.yaml:3:3 {2}edge `x` → `y` in `a` never taken: `last\.n > 9` was never true\n/,
  );
  assert.match(out, /\nwhole\.yaml: no mutants\n/);
});

test("names and conditions of a plan can't change the terminal", async () => {
  const odd = file(
    "odd.yaml",
    'start: a\nnodes: {a: {type: log}, "b\\u001b[31m": {type: log}}\n' +
      'edges: [{from: a, to: "b\\u001b[31m", condition: "last == \'\\u001b[0m\'"}]\n' +
      "tests: [{name: t, expect: {path: [a]}}]\n",
  );
  const { out, err } = await stepgraph(["test", odd, "--coverage", "--mutate"]);
  assert.doesNotMatch(out + err, /\u001b/);
  assert.match(out, /node `b␛\[31m` never started/);
});
