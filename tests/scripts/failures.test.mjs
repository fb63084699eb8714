// Tests the end of a failed `npm test`: only the failures, with commands to repeat them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cargoFailures, nodeFailures, programFailure, summary } from "../../scripts/lib/failures.mjs";
import { stageReporter } from "../../scripts/test.mjs";

const NODE = `✔ a good one (0.8ms)
▶ a group
  ✔ good in it (0.1ms)
  ✖ bad in it (0.2ms)
    Error: why
ℹ pass 2
ℹ fail 2

✖ failing tests:

test at tests/a.test.mjs:3:27
✖ bad in it (0.208823ms)
  Error: why

test at tests/a.test.mjs:9:1
✖ what takes (too) long (12ms)
  Error: late
`;

const CARGO = `   Compiling stepgraph-core v0.1.0
     Running unittests src/lib.rs (target/debug/deps/core)

running 3 tests
test graph::good ... ok
test graph::slow ... ignored, too long
test graph::bad ... FAILED

failures:

---- graph::bad stdout ----
the reason

test result: FAILED. 1 passed; 1 failed; 1 ignored
error: test failed, to rerun pass \`-p stepgraph-core --lib\`
     Running tests/dies.rs (target/debug/deps/dies)
error: test failed, to rerun pass \`-p stepgraph-core --test dies\`
   Doc-tests core
test src/lib.rs - read (line 3) ... FAILED
error: doctest failed, to rerun pass \`-p stepgraph-core --doc\`
error: 3 targets failed:
`;

const retryRuns = (failures) => failures.map(({ test, again: retryRuns }) => [test, retryRuns]);

test("the output names and shows only the failed tests of Node", () => {
  const { brief, failures } = nodeFailures("tests/a.test.mjs", NODE);
  assert.deepEqual(retryRuns(failures), [
    ["bad in it", "node --test tests/a.test.mjs"],
    ["what takes (too) long", "node --test tests/a.test.mjs"],
  ]);
  assert.ok(brief.includes("Error: why") && !brief.includes("good"), brief);
});

test("a file of Node's that names no test is the failure", () => {
  const { brief, failures } = nodeFailures("tests/a.test.mjs", "✔ one (1ms)\n  ✔ two (1ms)\nSyntaxError: why\n");
  assert.deepEqual(retryRuns(failures), [["tests/a.test.mjs", "node --test tests/a.test.mjs"]]);
  assert.equal(brief, "SyntaxError: why\n");
});

test("the output names the failed tests of cargo with their target, and shows only those", () => {
  const { brief, failures } = cargoFailures("cargo test", CARGO);
  assert.deepEqual(retryRuns(failures), [
    ["graph::bad", "cargo test -p stepgraph-core --lib graph::bad"],
    ["-p stepgraph-core --test dies", "cargo test -p stepgraph-core --test dies"],
    ["src/lib.rs - read (line 3)", "cargo test -p stepgraph-core --doc"],
  ]);
  assert.ok(brief.includes("the reason") && !/good|slow|Compiling|Running/.test(brief), brief);
});

test("a failed compiler or checker counts as one failure", () => {
  const output = "    Checking core v0.1.0\nerror[E0308]: mismatched types\n";
  for (const read of [cargoFailures, programFailure])
    assert.deepEqual(read("cargo test -p x", output), {
      brief: "error[E0308]: mismatched types\n",
      failures: [{ test: "cargo test -p x", again: "cargo test -p x" }],
    });
});

test("the last lines name failed and skipped stages", () => {
  const failed = [
    { stage: "command", test: "it runs", again: "node --test tests/cli/a.test.mjs" },
    { stage: "clippy", test: "cargo clippy", again: "cargo clippy" },
  ];
  assert.deepEqual(summary(failed, [{ stage: "page", broken: "build" }]), [
    "failed: command > it runs > node --test tests/cli/a.test.mjs",
    "failed: clippy > cargo clippy",
    "left out: page, because build failed",
  ]);
  assert.deepEqual(summary([], []), []);
});

test("a failed stage prints what failed, and all only with --verbose", () => {
  const result = {
    counts: { passed: 1, failed: 1 },
    output: "ok one\nnot ok two",
    brief: "not ok two",
    failures: [{ test: "two", again: "run two" }],
  };
  for (const verbose of [false, true]) {
    let text = "";
    const tell = stageReporter(verbose, (more) => {
      text += more;
    });
    tell.finished({ name: "x" }, result, performance.now());
    assert.equal(text.includes("ok one"), verbose);
    assert.match(text, /not ok two\n\n✗ x {2}\d/);
    assert.equal(tell.summary(), "failed: x > two > run two\n");
  }
});
