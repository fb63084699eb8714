// Runs the commands of the start page and the tutorial, except installing, hosted models, and a review of two commits.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder as home, program } from "./stepgraph.mjs";

const root = new URL("../../", import.meta.url);
const steps = readdirSync(new URL("docs/tutorial", root)).sort();
const read = (page) => readFileSync(new URL(`docs/${page}`, root), "utf8");
const blocks = (text, lang) => [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)].filter((one) => one[1] === lang);

const server = blocks(read("tutorial/3-tools.md"), "js").find(({ 2: code }) => code.includes("readline"))[2];
writeFileSync(join(home, "shop-server.mjs"), server);

const commands = (text) =>
  blocks(text, "sh")
    .flatMap(({ 2: code }) => code.replaceAll(/ \\\n */g, " ").split("\n"))
    .filter((line) => line.startsWith("npx stepgraph ") && !/openai:| review /.test(line))
    .map((line) => line.replace(/ +#.*$/, ""))
    .map((line) => [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((one) => one[1] ?? one[2] ?? one[3]).slice(2));

function type(args, cwd) {
  // A shell's pattern also matches the stubs' files.
  const plans = () => readdirSync(join(cwd, "plans")).filter((name) => name.endsWith(".yaml"));
  const own = args.flatMap((arg) => (arg === "plans/*.yaml" ? plans().map((name) => `plans/${name}`) : [arg]));
  return spawnSync(process.execPath, [program, ...own], { cwd, encoding: "utf8" });
}

test("the commands of the start page work in their order", () => {
  const [init, ...others] = commands(read("start.md"));
  assert.equal(type(init, home).status, 0);
  assert.equal(others.length, 2);
  const outputs = others.map((args) => {
    const { status, stderr, stdout } = type(args, join(home, "demo"));
    assert.equal(status, 0, `${args.join(" ")}\n${stdout}${stderr}`);
    return stdout;
  });
  assert.equal(blocks(read("start.md"), "json")[0][2], outputs.at(-1));
});

test("the plan of the home page passes its test, and a typo in it is the shown error", () => {
  const text = read("index.md");
  const [, , plan] = blocks(text, "yaml")[0];
  const [, , shown] = blocks(text, "console")[0];
  const check = ["check", "refund.yaml"];
  writeFileSync(join(home, "refund.yaml"), plan);
  assert.equal(type(commands(text)[0], home).status, 0);
  writeFileSync(join(home, "refund.yaml"), plan.replace("ask, to: pay", "ask, to: pya"));
  const { stdout } = type(check, home);
  assert.equal(`$ npx stepgraph ${check.join(" ")}\n${stdout}`, shown);
});

for (const step of steps)
  test(`the commands of ${step} work in their order`, () => {
    const text = read(`tutorial/${step}`);
    const [plan] = blocks(text, "yaml");
    // The last step uses the plan of the one before.
    if (plan) writeFileSync(join(home, "support.yaml"), plan[2]);
    for (const args of commands(text)) {
      const { status, stderr, stdout } = type(args, home);
      // A run that waits for a decision has its own code.
      const expected = args.includes("--snapshot") ? 4 : 0;
      assert.equal(status, expected, `${args.join(" ")}\n${stdout}${stderr}`);
    }
  });

test("the server of step 3 answers, and the checker finds a misspelt argument", () => {
  const [plan] = blocks(read("tutorial/3-tools.md"), "yaml");
  const [run, check] = commands(read("tutorial/3-tools.md"));
  writeFileSync(join(home, "support.yaml"), plan[2]);
  assert.equal(type(run, home).stdout.trim(), "Your order left us on Monday.");
  writeFileSync(join(home, "support.yaml"), plan[2].replace("{id:", "{idd:"));
  const { status, stderr, stdout } = type(check, home);
  assert.equal(status, 2);
  assert.match(stdout + stderr, /did you mean `id`\?/);
});
