// Tests that schema patterns agree with JavaScript's engine, in time linear in the text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanGraph, run } from "stepgraph";
import { pattern_test } from "../../wasm/dist/patterns.js";

const SEARCH = Number(process.env.STEPGRAPH_SEARCH ?? 1);

function random(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const CHARACTERS = ["a", "b", "c", "1", "_", " ", "é", "😀"];
const CLASSES = ["[ab]", "[^a]", "[a-c1]", "[\\d_]", "[^\\s\\]]", "[😀-😅]"];
const ESCAPES = [
  "\\d",
  "\\w",
  "\\s",
  "\\D",
  "\\W",
  "\\p{L}",
  "\\u0061",
  "\\u{1F600}",
  "\\x61",
  "\\.",
  "\\|",
  "\\t",
  "\\cA",
];
const COUNTS = ["*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?", "{2,}", "{0}"];

function pattern(next, depth) {
  const one = (list) => list[next(list.length)];
  const atom = () => {
    const inner = () => pattern(next, depth - 1);
    const kinds = [
      () => one(CHARACTERS),
      () => one(CHARACTERS),
      () => ".",
      () => one(CLASSES),
      () => one(ESCAPES),
      () => one(["^", "$", "\\b", "\\B"]),
      () => `(${inner()})`,
      () => `(?:${inner()})`,
      () => `(?=${inner()})`,
      () => `(?!${inner()})`,
    ];
    return kinds[next(depth > 0 ? kinds.length : 6)]();
  };
  const counted = (text) => !/^(\^|\$|\\[bB]|\(\?[=!].*)$/su.test(text) && next(3) === 0;
  const sequence = () =>
    Array.from({ length: next(4) }, () => {
      const text = atom();
      return counted(text) ? text + one(COUNTS) : text;
    }).join("");
  let text = sequence();
  while (next(4) === 0) text += `|${sequence()}`;
  return text;
}

test("patterns match the same as in JavaScript", () => {
  const next = random(2026);
  let matched = 0;
  for (let i = 0; i < 8000 * SEARCH; i++) {
    const source = pattern(next, 2);
    const expression = new RegExp(source, "u");
    for (let j = 0; j < 4; j++) {
      // Outside the basic plane, V8 also finds an empty match between two surrogates.
      const signs = ["a", "b", "c", "1", "_", " ", "é", "]", "\n", "."];
      const text = Array.from({ length: next(9) }, () => signs[next(signs.length)]).join("");
      const expected = Number(expression.test(text));
      matched += expected;
      assert.equal(pattern_test(source, text), expected, `${JSON.stringify(source)} on ${JSON.stringify(text)}`);
    }
  }
  assert.ok(matched > 1000 && matched < 30_000 * SEARCH);
});

test("characters outside the basic plane count as one character", () => {
  for (const [source, text, expected] of [
    ["^.$", "😀", 1],
    ["^..$", "😀", 0],
    ["^[😀-😅]+$", "😀😅", 1],
    ["^\\u{1F600}$", "😀", 1],
    ["^\\ud83d\\ude00$", "😀", 1],
    ["^\\p{Emoji}$", "😀", 1],
  ])
    assert.equal(pattern_test(source, text), expected, source);
});

test("a pattern without linear time is rejected", () => {
  for (const source of ["(a)\\1", "(?<x>a)\\k<x>", "(?<=a)b", "(?<!a)b", "a{1,30000}", "(", "a**"])
    assert.equal(pattern_test(source, "ab"), -1, source);
});

/** A backtracking engine takes exponential time. */
const BOMBS = [
  ["^(a+)+$", `${"a".repeat(100_000)}!`],
  ["(a*)*b", "a".repeat(100_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(100_000)],
  ["(x+x+)+y", "x".repeat(100_000)],
  ["^(?:a|a)*$", `${"a".repeat(50_000)}b`],
  ["(?=(a+)+$)b", "a".repeat(10_000)],
  ["[a-z]{0,3000}[a-z]{0,3000}!", "a".repeat(100_000)],
];

test("no pattern holds the thread", () => {
  for (const [source, text] of BOMBS) assert.equal(pattern_test(source, text), 0, source);
});

test("an input that a hostile pattern is to judge ends the run at once", async () => {
  for (const [source, text] of BOMBS) {
    const plan = { inputs: { s: { type: "string", pattern: source } }, nodes: { a: { type: "log", input: "x" } } };
    const { graph } = PlanGraph.parse(JSON.stringify(plan));
    const { outcome } = await run(graph, { input: { s: text } });
    assert.equal(outcome.code, "run/invalid-input", source);
  }
});

test("a text that is too long for a pattern is refused, also under `not`", async () => {
  const { graph } = PlanGraph.parse(
    'start: a\ninputs: {s: {type: string, not: {pattern: evil}}}\nnodes: {a: {type: log, input: "${input.s}"}}',
  );
  const ends = async (s) => (await run(graph, { input: { s } })).outcome;
  const length = 1_000_001;
  assert.equal((await ends("good")).type, "completed");
  assert.equal((await ends("evil")).code, "run/invalid-input");
  for (const text of [`evil${"a".repeat(length)}`, "a".repeat(length)]) {
    const { code, message } = await ends(text);
    assert.equal(code, "run/invalid-input");
    assert.match(message, /too large to be checked/);
  }
});
