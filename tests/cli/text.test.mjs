import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  briefJson,
  clip,
  pluralize,
  formatDuration,
  pad,
  visible,
  visibleLines,
  width,
  wrap,
} from "../../dist/terminal/text.js";
import { closestName } from "../../dist/cli/suggest.js";

/** A case ends with its expected result. */
function check(work, cases) {
  for (const [input, ...rest] of cases) {
    const expected = rest.pop();
    assert.deepEqual(work(input, ...rest), expected, inspect([input, ...rest]));
  }
}

test("width counts columns, not units", () => {
  check(width, [
    ["abc", 3],
    ["漢字", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["✓", 1],
    ["\uFEFF", 0],
    ["", 0],
  ]);
});

test("clip stays within the columns and marks the cut", () => {
  check(clip, [
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["漢字漢", 4, "漢…"],
    ["abc", 0, ""],
    ["x".repeat(1e6), 4, "xxx…"],
    ["", 5, ""],
  ]);
});

test("pad fills up by columns", () =>
  check(pad, [
    ["漢", 4, "漢  "],
    ["abcd", 2, "abcd"],
  ]));

test("no control sequence reaches the terminal", () => {
  check(visible, [
    ["a\x1b[31mb", "a␛[31mb"],
    ["a\nb\tc\x7f", "a␊b␉c␡"],
    ["\u202Eabc\u009B", "�abc�"],
    ["ünï", "ünï"],
  ]);
  check(visibleLines, [["a\x1b\r\nb\tc\n", "a␛\r\nb\tc\n"]]);
});

test("wrap breaks at blanks", () => {
  check(wrap, [
    ["a bb ccc", 4, ["a bb", "ccc"]],
    ["longword x", 3, ["longword", "x"]],
    ["", 5, []],
  ]);
});

test("brief stops early and stays on one line", () => {
  const deep = {};
  for (let at = deep, i = 0; i < 1e5; i++) at = at.a = {};
  check(briefJson, [
    ["hola\n", 20, '"hola\\n"'],
    [{ a: [1, null, true], b: "x" }, 60, '{"a": [1, null, true], "b": "x"}'],
    [[1, 2, 3], 6, "[1, 2…"],
    [undefined, 9, "null"],
    ["y".repeat(1e7), 6, '"yyyy…'],
    [10n, 9, "10"],
  ]);
  assert.match(briefJson(deep, 1000), /…\}+$/);
  assert.ok(briefJson(Array(1e6).fill("zz"), 30).length <= 30);
});

test("lengths of time read well", () => {
  check(formatDuration, [
    [0.04, "0.0 ms"],
    [12.34, "12.3 ms"],
    [412.3, "412 ms"],
    [4200, "4.2 s"],
    [61_500, "1 min 1 s"],
  ]);
  check(pluralize, [
    [1, "step", "1 step"],
    [0, "step", "0 steps"],
  ]);
});

test("the name that was meant", () => {
  const names = ["prompt", "plan", "json"];
  check(
    (wrong) => closestName(wrong, names),
    [
      ["promt", "prompt"],
      ["paln", "plan"],
      ["josn", "json"],
      ["xy", null],
      ["server", null],
    ],
  );
});
