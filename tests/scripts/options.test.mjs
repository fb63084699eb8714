// Tests the options of `npm start`, `npm run dev` and others: unknown ones are errors, and `--help` prints the usage.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fuzzerArgs } from "../../scripts/fuzz.mjs";
import { readOptions, readPort } from "../../scripts/lib/options.mjs";
import { root } from "../../scripts/lib/paths.mjs";

const TABLE = {
  usage: "npm run x -- [options]",
  about: "Does x.",
  options: { "--port": { value: "PORT", about: "takes it" }, "--once": { about: "ends" } },
};

test("options are read with their values", () => {
  const cases = [
    [[], {}],
    [["--once"], { once: true }],
    [["--port", "1", "--once"], { port: "1", once: true }],
    [["--port=1"], { port: "1" }],
    [["--port="], { port: "" }],
    [["--port=-1"], { port: "-1" }],
  ];
  for (const [args, options] of cases) assert.deepEqual(readOptions(args, TABLE), { options, words: [] });
  assert.deepEqual(readOptions(["a", "--once", "b"], { ...TABLE, words: { A: "" } }).words, ["a", "b"]);
});

test("an unknown option is named, with the known options", () => {
  for (const arg of ["-v", "--toString", "--o", "--no-such=1", "word"])
    assert.throws(() => readOptions([arg], TABLE), {
      exitCode: 2,
      message: `\`${arg.split("=")[0]}\` is no option of \`npm run x\`: choose from --port, --once, --help.`,
    });
});

test("a misspelt option gets a suggestion", () => {
  for (const [arg, meant] of [
    ["--ones", "--once"],
    ["--prot=1", "--port"],
    ["-port", "--port"],
    ["--hlep", "--help"],
    ["once", "--once"],
  ])
    assert.throws(() => readOptions([arg], TABLE), {
      exitCode: 2,
      message: `\`${arg.split("=")[0]}\` is no option of \`npm run x\`: did you mean \`${meant}\`?`,
    });
});

test("a missing or superfluous value is reported", () => {
  for (const args of [["--port"], ["--port", "--once"]])
    assert.throws(() => readOptions(args, TABLE), { message: "`--port` needs a value: write `--port PORT`." });
  assert.throws(() => readOptions(["--once=1"], TABLE), { message: /^`--once` takes no value/ });
});

test("the fuzzer receives its values unchanged", () => {
  assert.deepEqual(fuzzerArgs(["--runs=5", "plan", "--seed", "2"]), ["--runs", "5", "--seed", "2", "plan"]);
});

test("an invalid port is named", () => {
  assert.equal(readPort(undefined, 7), 7);
  for (const good of ["0", "8080", "65535"]) assert.equal(readPort(good, 7), Number(good));
  for (const bad of ["", "x", "65536", "-1", "1.5", "--once"]) assert.throws(() => readPort(bad, 7), /is no port/);
});

test("every program answers --help at once and rejects unknown options", () => {
  for (const name of ["start", "dev", "test", "fuzz", "build", "format", "playground", "reproducible"]) {
    const run = (arg) =>
      spawnSync(process.execPath, [join("scripts", `${name}.mjs`), arg], { cwd: root, encoding: "utf8" });
    for (const arg of ["--help", "-h"]) {
      const { status, stdout } = run(arg);
      assert.deepEqual([status, stdout.split(" ")[0]], [0, "usage:"], name);
      assert.match(stdout, /\n {2}--help +prints this\n$/, name);
    }
    const { status, stderr } = run("--no-such");
    assert.equal(status, 2, name);
    assert.match(stderr, /`--no-such` is no option of/, name);
  }
});
