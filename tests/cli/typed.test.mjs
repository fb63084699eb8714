// What a person types for a run, and what the command tells them to type next.

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
        new RegExp(`run/invalid-input\\].*[/\`]${key}\`[^]*help.*: give what the plan declares: \`--input n=`),
        pair,
      );
    } else {
      assert.equal(code, 0, pair + err);
      assert.deepEqual(JSON.parse(out)[key], wanted, pair);
    }
  });
  await Promise.all(runs);
});

test("what is told after a pause goes on when it is pasted, and holds no key", async () => {
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
  const told = /go on: stepgraph (.*)/.exec(first.err)[1];
  assert.doesNotMatch(told, /secret/);
  const words = [...told.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const { code, out, err } = await stepgraph(words);
  assert.equal(code, 0, err);
  assert.equal(out, "done\n");
});
