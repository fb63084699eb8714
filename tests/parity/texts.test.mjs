// Tests the search for many texts at once against a simple search.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contains } from "../../wasm/dist/contains.js";
import { TextMatcher } from "../../wasm/dist/text-matcher.js";
import { Random } from "./drivers/random.mjs";

/** Overlapping matches count as one. */
function slowly(known, text) {
  const out = new Array(text.length).fill(0);
  const begins = [];
  for (const one of known)
    for (let at = text.indexOf(one); at >= 0; at = text.indexOf(one, at + 1)) {
      const isInWord = /[a-z]/.test(text[at - 1] ?? " ") || /[a-z]/.test(text[at + one.length] ?? " ");
      if (one.length >= 8 || !isInWord) begins.push([at, at + one.length]);
    }
  begins.sort(([a], [b]) => a - b);
  let [number, until] = [0, 0];
  for (const [from, to] of begins) {
    if (from >= until) number++;
    for (let at = from; at < to; at++) out[at] ||= number;
    until = Math.max(until, to);
  }
  return [...text].map((char, at) => (out[at] === 0 ? char : out[at] === out[at - 1] ? "" : "#")).join("");
}

test("redaction removes the same texts as a plain search", () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const random = new Random("texts", seed);
    const randomWord = (most) =>
      Array.from({ length: 1 + random.below(most) }, () => random.pick(["a", "b", "ab", " "])).join("");
    const known = [...new Set(Array.from({ length: 1 + random.below(5) }, () => randomWord(9)))].filter(
      (one) => one.length >= 3,
    );
    const text = randomWord(60);
    const texts = new TextMatcher(known);
    assert.equal(texts.replaceIn(text, "#"), slowly(known, text), JSON.stringify([seed, known, text]));
    assert.equal(texts.isIn(text), texts.replaceIn(text, "#") !== text);
  }
});

test("short texts are whole words in any alphabet, and long ones are found in words", () => {
  const texts = new TextMatcher(["test", "Łódź1", "a secret", '"quoted" text']);
  const without = (text) => texts.replaceIn(text, "#");
  assert.equal(without("latest test tests. test"), "latest # tests. #");
  assert.equal(without("𝒜test test𝒜 ßtest test"), "𝒜test test𝒜 ßtest #");
  assert.equal(without("xa secrety"), "x#y");
  assert.equal(without(JSON.stringify({ text: 'a "quoted" text' })), '{"text":"a #"}');
});

test("10 000 texts are looked for in a text of 1 MB, and long ones that begin alike", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `secret value ${at} of many`);
  const text = "the secret value of nobody ".repeat(40_000);
  assert.equal(new TextMatcher(many).isIn(text), false);
  assert.equal(new TextMatcher(many).replaceIn(`${text}${many[9999]}`, "#"), `${text}#`);
  const alike = Array.from({ length: 100 }, (_, at) => `${"a".repeat(1000 + at)}b`);
  assert.equal(new TextMatcher(alike).isIn("a".repeat(1_000_000)), false);
});

test("a long text is searched like a short one", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random("contains", seed);
    const of = (length) => Array.from({ length }, () => random.pick("ab")).join("");
    const [text, part] = [of(6000), of(1 + random.below(14)) + of(3).repeat(300)];
    for (const one of [part, text.slice(17, 1200), text.slice(-1000), `${text.slice(17, 1200)}c`])
      assert.equal(contains(text, one), text.includes(one), `${seed}`);
  }
  const x = "x".repeat(25_000);
  assert.equal(contains("x".repeat(4_000_000), `${x}a${x}`), false);
});
