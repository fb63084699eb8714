// Tests the arguments of a run, and suggested commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import { file, stepgraph } from "./stepgraph.mjs";

const INPUTS = `id: typed
inputs:
  n: {type: integer}
  x: {type: number}
  yes: {type: boolean}
  list: {type: array}
  map: {type: object}
  text: {type: string}
  either: {type: [string, integer]}
  maybe: {type: [integer, "null"]}
nodes:
  a: {type: log, input: "\${input}"}
start: a
`;

const TYPED = [
  ["n=7", 7],
  ["n=7.5", null],
  ["n=seven", null],
  ["n=9007199254740993", null],
  ['n:="7"', null],
  ["x=-0.5e1", -5],
  ["x=1e999", null],
  ["x=0x10", null],
  ["yes=true", true],
  ["yes=yes", null],
  ["list=[1,2]", [1, 2]],
  ["list={}", null],
  ['map={"a":1}', { a: 1 }],
  ["map=null", null],
  ["text=7", "7"],
  ["either=7", "7"],
  ["maybe=7", 7],
  ["other=7", null],
];

test("`--input KEY=TEXT` is of the type that the plan's inputs name, and text wherever text is allowed", async () => {
  const plan = file("typed.yaml", INPUTS);
  const runs = TYPED.map(async ([pair, wanted]) => {
    const key = pair.slice(0, pair.search(/:?=/));
    const given = { n: 1, x: 1, yes: true, list: [], map: {}, text: "", either: "", maybe: null };
    delete given[key];
    const rest = Object.entries(given).flatMap(([name, value]) => ["--input", `${name}:=${JSON.stringify(value)}`]);
    const { code, out, err } = await stepgraph(["run", plan, "--quiet", "--input", pair, ...rest]);
    if (wanted === null) {
      assert.equal(code, 2, pair);
      assert.match(
        err,
        new RegExp(`run/invalid-input\\].*[/\`]${key}\`[^]*help.*: set the plan's inputs: \`--input n=`),
        pair,
      );
    } else {
      assert.equal(code, 0, pair + err);
      assert.deepEqual(JSON.parse(out)[key], wanted, pair);
    }
  });
  await Promise.all(runs);
});

test("the resume command printed after a pause works when pasted, and contains no key", async () => {
  const plan = file(
    "asks.yaml",
    "id: p\nnodes:\n  ask: {type: approve, input: ok?}\n  t: {type: tool, tool: x, input: {}}\nedges: [{from: ask, to: t, condition: last!=rejected}]\nstart: ask\n",
  );
  const stubs = file("its stubs.yaml", "tools: {x: {return: done}}\n");
  const first = await stepgraph([
    "run",
    plan,
    "--stubs",
    stubs,
    "--allow",
    "x",
    "--header",
    "Key: secret",
    "--snapshot",
    "kept.json",
  ]);
  assert.equal(first.code, 4, first.err);
  const told = /resume: stepgraph (.*)/.exec(first.err)[1];
  assert.doesNotMatch(told, /secret/);
  const words = [...told.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const { code, out, err } = await stepgraph(words);
  assert.equal(code, 0, err);
  assert.equal(out, "done\n");
});

test("a resumed run keeps its limits and needs its trusted values again", async () => {
  const plan = file(
    "bounded.yaml",
    "id: p\nnodes:\n  ask: {type: approve, input: ok?}\n  a: {type: log, input: '${context.user}'}\n  b: {type: log}\nedges: [{from: ask, to: a}, {from: a, to: b}]\nstart: ask\n",
  );
  const pause = async (...options) => {
    const { code, err } = await stepgraph([
      "run",
      plan,
      "--context",
      "user=secret",
      ...options,
      "--snapshot",
      "b.json",
    ]);
    assert.equal(code, 4, err);
    assert.doesNotMatch(err, /secret/);
    assert.match(err, /help: set each `--context` again: snapshots do not contain them\n/);
    return /resume: stepgraph (.*)/.exec(err)[1].split(" ");
  };
  const hash = JSON.parse((await stepgraph(["check", plan, "--json"])).out).files[0].fingerprint.hash;
  const words = await pause("--limit", "steps=2", "--otlp", "http://127.0.0.1:9/", "--plan-hash", hash);
  for (const flag of ["--limit", "--otlp", "--context", "--plan-hash"]) assert.ok(words.includes(flag), flag);
  // The suggested command fails as it stands, instead of using a wrong value.
  const bare = await stepgraph(words);
  assert.equal(bare.code, 2);
  assert.match(bare.err, /`--context user` is not KEY=VALUE/);
  const given = words.map((word) => (word === "user" ? "user=secret" : word));
  const { code, err } = await stepgraph(given);
  assert.equal(code, 1);
  assert.match(err, /run\/step-limit/);
  const unbounded = (await pause()).map((word) => (word === "user" ? "user=secret" : word));
  assert.equal((await stepgraph(unbounded)).code, 0);
});

test("the help for missing inputs shows how each type is written", async () => {
  const text = `inputs:
  n: {type: integer}
  list: {type: array}
  map: {type: object, default: {}}
  yes: {type: boolean}
  text: {type: string}
  any: {}
nodes: {a: {type: log, input: "\${input}"}}
`;
  const { code, err } = await stepgraph(["run", file("helped.yaml", text), "--prompt", "x"]);
  assert.equal(code, 2);
  const flags = "n=NUMBER|list='[...]'|map='{...}'|yes=true|text=...|any=..."
    .split("|")
    .map((one) => `\`--input ${one}\``);
  flags[2] += " (has a default)";
  assert.ok(err.includes(`inputs: ${flags.join(", ")}\n`), err);
});
