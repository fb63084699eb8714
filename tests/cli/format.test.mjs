// Tests `stepgraph format` and `stepgraph schema` on the command line.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PlanGraph } from "../../dist/node.js";
import { npmPackages } from "../servers/install.mjs";
import { example, file, folder, stepgraph } from "./stepgraph.mjs";

const read = (name) => readFileSync(join(folder, name), "utf8");
const UNFORMATTED =
  "# greets\nnodes:\n    a:   {type: log,input: hi}   # first\n    b:\n        type:   noop\nedges:\n    - {from: a,to: b}\n";

test("a formatted plan has the same meaning and comments", async () => {
  const name = file("ugly.yaml", UNFORMATTED);
  const { code, out, err } = await stepgraph(["format", name]);
  assert.deepEqual([code, out], [0, ""]);
  assert.match(err, /1 file formatted, 0 files already formatted/);
  const after = read(name);
  assert.notEqual(after, UNFORMATTED);
  for (const words of ["# greets", "# first"]) assert.ok(after.includes(words), after);
  assert.equal(PlanGraph.parse(after).graph.hash, PlanGraph.parse(UNFORMATTED).graph.hash);
  const again = await stepgraph(["format", name]);
  assert.match(again.err, /0 files formatted, 1 file already formatted/);
  assert.equal(read(name), after);
});

test("format --check changes nothing and names the unformatted files", async () => {
  const [bad, good] = [file("bad.yaml", UNFORMATTED), file("good.yaml", "nodes:\n  a: {type: log}\n")];
  const { code, out } = await stepgraph(["format", "--check", good, bad]);
  assert.deepEqual([code, out, read(bad)], [1, "bad.yaml\n", UNFORMATTED]);
  assert.equal((await stepgraph(["format", "--check", good])).code, 0);
});

test("as a filter", async () => {
  const { code, out, err } = await stepgraph(["format", "-"], { input: UNFORMATTED });
  assert.deepEqual([code, err], [0, ""]);
  assert.equal(PlanGraph.parse(out).graph.hash, PlanGraph.parse(UNFORMATTED).graph.hash);
});

test("format skips unreadable files and formats the others", async () => {
  const [broken, other] = [file("broken.yaml", "nodes: [\n"), file("other.yaml", UNFORMATTED)];
  file("latin.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
  const { code, err } = await stepgraph(["format", "not-there.yaml", broken, "latin.yaml", other]);
  assert.equal(code, 2);
  for (const words of [
    /can't read `not-there\.yaml`: there is no such file/,
    /error\[/,
    /`latin\.yaml` is not UTF-8 text/,
    /1 file formatted, 0 files already formatted, 3 files not read/,
  ])
    assert.match(err, words);
  assert.deepEqual([read(broken), read("latin.yaml").length], ["nodes: [\n", 5]);
  assert.notEqual(read(other), UNFORMATTED);
});

test("the examples are formatted", async () => {
  const plans = readdirSync(example(".")).filter((name) => name.endsWith(".yaml") && !name.endsWith(".stubs.yaml"));
  const { code, out } = await stepgraph(["format", "--check", ...plans.map(example)]);
  assert.deepEqual([out, code], ["", 0]);
});

test("the schema is valid draft 2020-12, accepts every example and rejects typos", async () => {
  const { code, out, err } = await stepgraph(["schema"]);
  assert.deepEqual([code, err], [0, ""]);
  const schema = JSON.parse(out);
  const installed = await npmPackages("ajv-8.20.0", ["ajv@8.20.0"]);
  const { default: Ajv } = await import(pathToFileURL(join(installed, "node_modules/ajv/dist/2020.js")).href);
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
  });
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
  const valid = ajv.compile(schema);
  const plan = (text) => PlanGraph.parse(text).graph.toJSON();
  const folders = [example("."), example("../core/flows")];
  const files = folders.flatMap((from) =>
    readdirSync(from)
      .filter((name) => name.endsWith(".yaml") && !name.endsWith(".stubs.yaml"))
      .map((name) => join(from, name)),
  );
  assert.ok(files.length >= 14);
  for (const name of files)
    assert.ok(valid(plan(readFileSync(name, "utf8"))), `${name}: ${JSON.stringify(valid.errors)}`);
  const slips = [
    {},
    { nodes: [] },
    { nodes: { a: {} } },
    { nodes: { a: { type: "log", visits: "x" } } },
    { nodes: { a: { type: "log" } }, edges: [{ from: "a" }] },
    { nodes: { a: { type: "log", retry: { attempts: "two" } } } },
  ];
  for (const slip of slips) assert.ok(!valid(slip), JSON.stringify(slip));
});
