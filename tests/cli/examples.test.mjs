// Every example, as its first lines say: checked, and run with its stand-ins.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { HELLO, NEXT } from "../../scripts/start.mjs";
import { example, stepgraph } from "./stepgraph.mjs";

const names = readdirSync(example("")).filter((name) => name.endsWith(".yaml"));
const plans = names.filter((name) => !name.endsWith(".stubs.yaml"));

test("every example is sound, without a warning", async () => {
  assert.ok(plans.length >= 6, `${plans}`);
  const { code, out, err } = await stepgraph(["check", ...names.map(example)]);
  assert.deepEqual([code, err], [0, ""], out);
  assert.ok(out.endsWith(`\n${names.length} files checked: no problems\n`), out);
});

test("every example has tests beside it, and they pass", async () => {
  const { code, out } = await stepgraph(["test", ...names.map(example)]);
  assert.equal(code, 0, out);
  for (const name of plans) assert.match(out, new RegExp(`${name.replace(".", "\\.")}: [3-9] tests`));
  assert.match(out, /\n[3-9][0-9] passed, 0 failed\n$/);
});

test("every example begins with what it shows and how to run it", () => {
  for (const name of plans) {
    const head = /^(#.*\n)+/.exec(readFileSync(example(name), "utf8"))?.[0] ?? "";
    assert.match(head, /^# [A-Z].*[.:]/, name);
    assert.match(head, new RegExp(`^# {3}npx stepgraph run examples/${name.replace(".", "\\.")}\\b`, "m"), name);
    for (const [, option] of head.matchAll(/ (--[a-z-]+)/g)) {
      assert.ok(["--prompt", "--input", "--server", "--model-url", "--stubs", "--verbose", "--snapshot", "--resume", "--approve", "--allow"].includes(option), `${name}: ${option}`);
    }
  }
});

const RUNS = [
  { name: "fan-out", input: ["--prompt", "tea"], stubs: true, path: ["ask", "gather", "read", "report"] },
  { name: "hello", input: ["--prompt", "Ada"], path: ["who", "greet", "done"], last: { said: "hello, Ada!", to: "Ada" } },
  { name: "hello", input: [], path: ["who", "stranger", "done"], last: { said: "hello, whoever you are!", to: null } },
  { name: "weather", input: ["--prompt", "Oslo"], stubs: true, path: ["ask", "coat", "word", "answer"] },
  {
    name: "agent",
    input: ["--prompt", "a room in Oslo for two"],
    stubs: true,
    path: ["find", "write"],
    last: "The room to the south is yours, for 70 a night.",
  },
  {
    name: "plan-gather",
    input: ["--prompt", "How do my applications stand?"],
    stubs: true,
    path: ["plan", "gather", "answer"],
    last: "You are invited to an interview as a designer; it takes an hour.",
  },
  {
    name: "triage",
    input: ["--prompt", "It does not work"],
    stubs: true,
    path: ["read", "ask", "read", "ask", "read", "route", "bug", "thanks"],
    last: "Thank you. engineering has it (ticket 4711).",
  },
  {
    name: "retry-loop",
    input: [],
    stubs: true,
    path: ["fetch", "wait", "fetch", "wait", "fetch", "done"],
    last: { status: "ok", page: "tea 3.50, coffee 4.25" },
  },
];

for (const { name, input, stubs, path, last } of RUNS) {
  test(`${name}.yaml with ${input.join(" ") || "nothing"} takes its way`, async () => {
    const stand = stubs ? ["--stubs", example(`${name}.stubs.yaml`)] : [];
    const { code, out, err } = await stepgraph(["run", example(`${name}.yaml`), ...input, ...stand, "--json"]);
    assert.equal(code, 0, err);
    const report = JSON.parse(out);
    assert.deepEqual(report.path, path);
    if (last !== undefined) assert.deepEqual(report.last, last);
  });
}

test("what `npm start` runs and proposes works as it is written", async () => {
  const proposed = NEXT.map(([, line]) => line).filter((line) => line.startsWith("npx stepgraph "));
  assert.ok(proposed.length >= 4);
  const words = (line) => line.match(/"[^"]*"|\S+/g).slice(2).map((word) => word.replaceAll('"', "").replace(/^examples\//, example("")));
  for (const args of [HELLO.map((word) => word.replace(/^examples\//, example(""))), ...proposed.map(words)]) {
    const { code, err } = await stepgraph(args);
    assert.equal(code, 0, `${args}: ${err}`);
  }
});
