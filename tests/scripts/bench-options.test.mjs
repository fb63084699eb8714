// Tests the options of `npm run bench`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plainTotals } from "../bench/layout.mjs";
import { PARTS, readOptions, USAGE } from "../bench/options.mjs";

const read = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("a part is measured alone, as a word or as an option", () => {
  for (const part of Object.keys(PARTS)) {
    for (const args of [[part], [`--${part}`], [part, `--${part}`, "--quick"]]) {
      const chosen = readOptions(args);
      assert.deepEqual(
        Object.keys(PARTS).filter((name) => chosen[name]),
        [part],
      );
    }
    assert.ok(USAGE.includes(`--${part} `), part);
  }
  const all = readOptions([]);
  assert.ok(Object.keys(PARTS).every((name) => !all[name]));
  assert.deepEqual([all.passes, all.timeoutMs, all.flags], [2, 60_000, []]);
});

test("unknown parts, two parts and unknown engines are refused", () => {
  assert.throws(() => readOptions(["layuot"]), /no part `layuot`; write values, expressions, layout/);
  assert.throws(() => readOptions(["layout", "--values"]), /one part at a time, not values and layout/);
  assert.throws(() => readOptions(["--only", "nothing"]), /no engine is called nothing/);
  assert.throws(() => readOptions(["--layuot"]), /Unknown option/);
});

test("the script prints its options, and the README names each part", () => {
  const help = execFileSync(process.execPath, [read("tests/bench/run.mjs"), "layout", "--help"], { encoding: "utf8" });
  assert.equal(help.trimEnd(), USAGE);
  const readme = readFileSync(read("tests/bench/README.md"), "utf8");
  for (const part of Object.keys(PARTS)) assert.ok(readme.includes(`npm run bench -- ${part}`), part);
});

test("the stored result of the layout has the sums of each engine", () => {
  const found = { examples: { stepgraph: { all: [{ crossings: 1 }], sums: { crossings: 1 } } } };
  assert.deepEqual(plainTotals(found), { examples: { stepgraph: { crossings: 1 } } });
});
