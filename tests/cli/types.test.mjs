// Tests `stepgraph types`. `UPDATE=1` rewrites the declarations of `tests/types/plans`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { json, modern } from "../servers/serve.mjs";
import { compile } from "./compile.mjs";
import { file, folder, stepgraph } from "./stepgraph.mjs";

const fixtures = fileURLToPath(new URL("../types/plans", import.meta.url));
const read = (name) => readFileSync(join(folder, name), "utf8");
const plan = (name = "greet.yaml") => file(name, "inputs: {name: {type: string}}\nnodes: {a: {type: price}}\n");

test("the declarations of the fixtures are those of their plans", async () => {
  const plans = readdirSync(fixtures).filter((name) => /(?<!\.stubs|\.d)\.(yaml|json)$/.test(name));
  assert.ok(plans.length >= 3);
  const options = ["--stubs", join(fixtures, "order.stubs.yaml"), ...(process.env.UPDATE ? [] : ["--check"])];
  const { code, out, err } = await stepgraph(["types", ...plans.map((name) => join(fixtures, name)), ...options]);
  assert.equal(code, 0, `run this test with UPDATE=1 and look at what changes:\n${out}${err}`);
});

test("it writes a declaration beside each plan, and again only if it changes", async () => {
  mkdirSync(join(folder, "plans"), { recursive: true });
  const plans = [plan(), plan("plans/other.yml"), file("data.json", '{"nodes": {"a": {"type": "noop"}}}')];
  const first = await stepgraph(["types", ...plans, file("greet.stubs.yaml", "types: {price: echo}\n")]);
  assert.deepEqual([first.code, first.out], [0, ""], first.err);
  assert.match(first.err, /^3 declarations written, 0 declarations up to date\n$/);
  for (const name of ["greet.d.yaml.ts", "plans/other.d.yml.ts", "data.d.json.ts"])
    assert.match(read(name), /^\/\/ Written by `stepgraph types`\./);
  assert.match((await stepgraph(["types", ...plans])).err, /^0 declarations written, 3 declarations up to date\n$/);
});

test("`--check` lists declarations that are missing or out of date, and changes nothing", async () => {
  const plans = [plan("checked.yaml"), plan("missing.yaml")];
  await stepgraph(["types", plans[0]]);
  // Git writes these line breaks on Windows.
  file("checked.d.yaml.ts", read("checked.d.yaml.ts").replaceAll("\n", "\r\n"));
  assert.equal((await stepgraph(["types", "--check", plans[0]])).code, 0);
  file("checked.yaml", "nodes: {a: {type: other}}\n");
  const { code, out, err } = await stepgraph(["types", "--check", ...plans]);
  assert.deepEqual([code, out], [1, "checked.d.yaml.ts\nmissing.d.yaml.ts\n"]);
  assert.match(err, /2 declarations out of date/);
  assert.ok(!existsSync(join(folder, "missing.d.yaml.ts")));
  assert.match(read("checked.d.yaml.ts"), /price/);
});

test("standard output and another file", async () => {
  const { code, out, err } = await stepgraph(["types", "-"], { input: "nodes: {a: {type: price}}\n" });
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /export type Handlers = \{\n {2}price: "a";\n\};/);
  assert.equal((await stepgraph(["types", plan(), "-o", "-"])).out.includes("name: string;"), true);
  await stepgraph(["types", plan(), "--output", "own.ts"]);
  assert.match(read("own.ts"), /name: string;/);
});

test("files that the plan runs count", async () => {
  file("inner.yaml", "nodes: {x: {type: price}}\n");
  const outer = file("outer.yaml", "nodes: {a: {type: graph, graph: ./inner.yaml}}\n");
  assert.match((await stepgraph(["types", outer, "-o", "-"])).out, /price: "a\/x";/);
});

test("the tools of a server are no handlers, and type their outputs", async () => {
  const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const tools = [{ name: "add", inputSchema: { type: "object" }, outputSchema: output }];
  const list = { resultType: "complete", tools };
  const server = await modern(({ body, response }) =>
    json(response, 200, { jsonrpc: "2.0", id: body.id, result: list }),
  );
  try {
    const adds = file("adds.yaml", "start: a\nnodes: {a: {type: add}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
    const { code, out, err } = await stepgraph(["types", adds, "--server", `calc=${server.url}`, "-o", "-"]);
    assert.equal(code, 0, err);
    for (const name of ["a", "b"]) assert.match(out, new RegExp(`  ${name}\\?: \\{\n {4}sum: number;`));
    assert.match(out, /export type Tools = "add";/);
    assert.match(out, /export type Handlers = Record<never, never>;/);
    const unknown = (await stepgraph(["types", adds, "-o", "-"])).out;
    assert.match(unknown, /export type Handlers = \{\n {2}add: "a";/);
  } finally {
    await server.stop();
  }
});

test("a plan with errors gets no declaration, and the others do", async () => {
  const bad = file("bad.yaml", 'nodes: {a: {type: log, input: "${output.b}"}}\n');
  const { code, err } = await stepgraph(["types", bad, plan("good.yaml")]);
  assert.equal(code, 2);
  assert.match(err, /error\[reference\/unknown-output\][^]* bad\.yaml:1:\d+[^]*no types written/);
  assert.match(err, /1 declaration written, 0 declarations up to date, 1 plan with errors\n$/);
  assert.ok(!existsSync(join(folder, "bad.d.yaml.ts")) && existsSync(join(folder, "good.d.yaml.ts")));
});

const mistakes = [
  ["a file of another origin", ["mine.yaml"], /`mine\.d\.yaml\.ts` was not written by this command[^]*move it away/],
  ["a plan without an ending", ["noend"], /`noend` has no ending/],
  ["a missing plan", ["nowhere.yaml"], /can't read `nowhere.yaml`/],
  ["no plan", [], /needs at least one plan/],
  ["only stubs", ["x.stubs.yaml"], /the files are all stubs/],
  ["one output for two plans", ["mine.yaml", "noend", "-o", "x.ts"], /`--output` names one file/],
  ["standard input among plans", ["-", "mine.yaml"], /standard input is one of several plans/],
  ["a check of standard output", ["--check", "-"], /standard output is no file to check/],
  ["an output in no folder", ["mine.yaml", "-o", "none/x.ts"], /can't write `none\/x.ts`/],
  ["an unknown option", ["mine.yaml", "--chek"], /did you mean `--check`/],
];
for (const [name, args, message] of mistakes)
  test(`refused: ${name}`, async () => {
    file("mine.d.yaml.ts", "export default 1;\n");
    plan("mine.yaml");
    plan("noend");
    const { code, err } = await stepgraph(["types", ...args]);
    assert.equal(code, 2, err);
    assert.match(err, message);
    assert.equal(read("mine.d.yaml.ts"), "export default 1;\n");
  });

test("the compiler accepts the declaration of every example", async () => {
  const examples = fileURLToPath(new URL("../../examples", import.meta.url));
  const plans = readdirSync(examples, { recursive: true }).filter((name) => /(?<!\.stubs)\.yaml$/.test(name));
  const names = [];
  for (const name of plans) {
    const { code, out } = await stepgraph(["types", join(examples, name), "-o", "-"]);
    if (code === 0) names.push(file(`example-${names.length}.d.ts`, out));
  }
  assert.ok(names.length > 10);
  compile(names);
});
