// Tests pause, record, replay, fork, tests and reviews on the command line.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { parseDecision } from "../../dist/cli/approvals.js";
import { example, file, folder, stepgraph } from "./stepgraph.mjs";

const plan = example("approval.yaml");
const stubs = file(
  "shop.yaml",
  "tools: {quote: {return: {total: 120}}, reserve: {return: {order: A7}}, pay: {return: {paid: 120}}, release: {return: {}}}\n",
);
const input = ["--input", "item=chair", "--input", "count:=4"];
const read = (name) => readFileSync(join(folder, name), "utf8");

test("a run pauses to a file and resumes from the file, with each decision", async () => {
  const paused = await stepgraph(["run", plan, ...input, "--stubs", stubs, "--snapshot", "run.json"]);
  assert.equal(paused.code, 4, paused.err);
  assert.match(paused.err, /\? ask:1:1 .*"total": 120/);
  assert.match(paused.err, /--resume run\.json --approve ask:1:1/);
  assert.equal(statSync(join(folder, "run.json")).mode & 0o077, 0, "others could read it");
  for (const [flags, code, last] of [
    [["--approve", "ask:1:1"], 0, "4 × chair for 120"],
    [["--reject", "ask:1:1"], 3, "chair is back on the shelf"],
    [["--decide", 'ask:1:1={"total": 90}'], 0, "4 × chair for 120"],
    [[], 4, ""],
  ]) {
    const { out, ...rest } = await stepgraph(["run", plan, "--stubs", stubs, "--resume", "run.json", ...flags]);
    assert.deepEqual([rest.code, out.trim()], [code, last], rest.err);
  }
  const without = await stepgraph(["run", plan, ...input, "--stubs", stubs]);
  assert.match(without.err, /--snapshot FILE/);
  const unknown = await stepgraph(["run", plan, "--resume", "run.json", "--approve", "ask:1:2"]);
  assert.deepEqual([unknown.code, /did you mean `ask:1:1`/.test(unknown.err)], [2, true], unknown.err);
});

test("the terminal prompt parses typed decisions", () => {
  for (const [typed, meant] of [
    ["y", "approved"],
    ["Yes", "approved"],
    ["n", "rejected"],
    ['{"a": 1}', { value: { a: 1 } }],
    ["0", { value: 0 }],
    ["null", { value: null }],
    ["maybe", null],
    ["", null],
  ]) {
    assert.deepEqual(parseDecision(typed), meant, typed);
  }
});

test("a run is recorded, replayed without stubs, and forked", async () => {
  const recorded = await stepgraph(["run", plan, ...input, "--stubs", stubs, "--record", "run.ndjson", "--json"]);
  assert.equal(recorded.code, 4);
  const replayed = await stepgraph(["run", plan, "--replay", "run.ndjson", "--json"]);
  assert.deepEqual(JSON.parse(replayed.out).trace, JSON.parse(recorded.out).trace);
  const forked = await stepgraph([
    "run",
    plan,
    "--fork",
    "run.ndjson",
    "--at",
    "quote:1:1",
    "--set",
    '{"total": 7}',
    "--stubs",
    stubs,
    "--json",
    "--record",
    "fork.ndjson",
  ]);
  assert.equal(JSON.parse(forked.out).outcome.approval.input.total, 7, forked.err);
  const decided = await stepgraph([
    "run",
    plan,
    "--fork",
    "fork.ndjson",
    "--at",
    "ask:1:1",
    "--set",
    '"rejected"',
    "--stubs",
    stubs,
  ]);
  assert.deepEqual([decided.code, decided.out], [3, "chair is back on the shelf\n"], decided.err);
  const repaired = file("repaired.yaml", readFileSync(plan, "utf8").replace("is back", "stands again"));
  const refused = await stepgraph(["run", repaired, "--fork", "fork.ndjson", "--stubs", stubs]);
  assert.deepEqual([refused.code, /run\/plan-changed[^]*add `--upgrade`/.test(refused.err)], [2, true], refused.err);
  const upgrade = ["run", repaired, "--fork", "fork.ndjson", "--stubs", stubs, "--upgrade", "--json"];
  const moved = JSON.parse((await stepgraph(upgrade)).out);
  assert.equal(moved.outcome.approval.input.total, 7, "a recorded answer, not the stub's");
  const cut = file("cut.ndjson", read("run.ndjson").split("\n").slice(0, 3).join("\n"));
  const incomplete = await stepgraph(["run", plan, "--replay", cut]);
  assert.equal(incomplete.code, 1);
  assert.match(incomplete.err, /replay\/incomplete.*`quote:1:1`/s);
  const none = await stepgraph(["run", plan, "--replay", stubs]);
  assert.deepEqual([none.code, /replay\/unusable/.test(none.err)], [2, true], none.err);
});

test("run rejects contradictory flags", async () => {
  for (const [args, message] of [
    [["--replay", "a", "--fork", "b"], /can't stand together|can't read/],
    [["--at", "a:1:1"], /name its cassette/],
    [["--limit", "step=5"], /did you mean `steps`/],
    [["--limit", "steps=none"], /is not a limit/],
    [["--decide", "ask:1:1"], /is not CALL=JSON/],
    [["--approve", "a", "--reject", "a"], /decided twice/],
    [["--approve", "aks:1:1"], /no node has the id `aks`[^]*did you mean `ask:1:1`/],
    [["--reject", "ask"], /no call is called `ask`[^]*write `ask:1:1`/],
    [["--decide", "nobody:1:1=5"], /no node has the id `nobody`/],
    [["--approve", "ask:1"], /write `ask:1:1`/],
    [["--approve", "ask:26:1"], /visited 25 times at most[^]*did you mean `ask:25:1`/],
    [["--approve", "ask:3:1", "--limit", "visits=2"], /visited 2 times at most/],
    [["--approve", "ask:1:1/approval"], /did you mean `ask:1:1`/],
    [["--approve", "quote:1:1"], /did you mean `quote:1:1\/approval`/],
    [["--approve", "quote:1:1/aproval"], /did you mean `quote:1:1\/approval`/],
    [["--plan-hash", "nothing.json"], /neither a hash nor a file/],
    [["--resume", "shop.yaml"], /is not JSON/],
  ]) {
    const { code, err } = await stepgraph(["run", plan, ...args]);
    assert.equal(code, 2, `${args}: ${err}`);
    assert.match(err, message);
  }
  const bounded = await stepgraph(["run", plan, ...input, "--stubs", stubs, "--limit", "steps=1"]);
  assert.match(bounded.err, /run\/step/);
});

test("a reviewed plan is the only one that runs", async () => {
  const reviewed = await stepgraph(["check", plan, "--json"]);
  file("reviewed.json", reviewed.out);
  const { fingerprint, review } = JSON.parse(reviewed.out).files[0];
  assert.deepEqual([review.people, review.bounds.tries], [["ask"], 2]);
  const shown = await stepgraph(["check", plan]);
  assert.match(
    shown.out,
    new RegExp(
      `${fingerprint.hash}\n  calls     quote, reserve, pay, release\n  approvals ask\n  limits    25 visits per node, no time limit, at most 2 attempts`,
    ),
  );
  const other = file("approval.yaml", readFileSync(plan, "utf8").replace("attempts: 2", "attempts: 9"));
  for (const hash of [fingerprint.hash, "reviewed.json"]) {
    assert.equal((await stepgraph(["run", plan, ...input, "--stubs", stubs, "--plan-hash", hash])).code, 4);
    const refused = await stepgraph(["run", other, ...input, "--stubs", stubs, "--plan-hash", hash]);
    assert.equal(refused.code, 2, refused.err);
    assert.match(refused.err, hash === "reviewed.json" ? /node `pay` was changed/ : /its hash is/);
  }
});

test("test prints a line for each test, its differences and the totals", async () => {
  const bad = file(
    "bad.yaml",
    `start: a
nodes: {a: {type: log, input: hi}, b: {type: noop}}
edges: [{from: a, to: b, condition: last == ho}]
tests:
  - {name: good, expect: {last: hi}}
  - {name: wrong, expect: {last: ho, path: [a, b]}}
`,
  );
  const { code, out } = await stepgraph(["test", bad]);
  assert.equal(code, 1);
  assert.equal(
    out,
    'bad.yaml: 2 tests\n  ✓ good\n  ✗ wrong\n      path[1]\n        expected  "b"\n        got       nothing\n      last\n        expected  "ho"\n        got       "hi"\n1 passed, 1 failed\n',
  );
  assert.equal((await stepgraph(["test", bad, "--filter", "good"])).code, 0);
  const json = JSON.parse((await stepgraph(["test", bad, "--json"])).out);
  assert.deepEqual([json.passed, json.failed, json.files[0].tests[1].differences.length], [1, 1, 2]);
  const none = await stepgraph(["test", file("none.yaml", "nodes: {a: {type: log}}\n")]);
  assert.deepEqual(
    [none.code, none.out],
    [0, "none.yaml: no tests; add them under `tests` in the plan\n0 passed, 0 failed\n"],
  );
  const broken = await stepgraph(["test", file("broken.yaml", "nodes: {a: {}}\n"), bad, "missing.yaml"]);
  assert.equal(broken.code, 2);
  assert.match(
    broken.out,
    /broken\.yaml: not tested, the plan has 1 error[^]*can't read `missing\.yaml`[^]*1 passed, 1 failed\n$/,
  );
  const why = JSON.parse((await stepgraph(["test", "broken.yaml", bad, "missing.yaml", "--json"])).out).files;
  assert.deepEqual(
    why.map(({ bad, diagnostics, error }) => [bad, diagnostics?.map(({ code }) => code), error?.code]),
    [
      [true, ["graph/missing-type"], undefined],
      [false, undefined, undefined],
      [true, undefined, "cli/unreadable-file"],
    ],
  );
});

test("the planners are called as functions", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [example("flows.mjs")]);
  assert.match(
    stdout,
    /answered: It is at the depot in Bergen\.\n {3}get_orders {} succeeded\n {3}track {"order":7} succeeded\n/,
  );
  assert.match(
    stdout,
    /web_research: strikes in Bergen, November 2026\n {3}Nothing holds it up\.\n {3}planning_agent → execute_tools → planning_agent → web_research → write_answer → finalize_answer\n/,
  );
  assert.match(
    stdout,
    /It is Sunday\. \(planning_agent → execute_tools → planning_agent → finalize_answer\)\n {3}the plan has 6 nodes; [^\n]+\n$/,
  );
});

test("the demonstration repeats no call", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [example("pause-and-resume.mjs")]);
  assert.match(
    stdout,
    /quote 1, reserve 1, pay 0, release 0[^]*quote 1, reserve 1, pay 1, release 0[^]*3 calls, 3 names: no call was repeated\n$/,
  );
});
