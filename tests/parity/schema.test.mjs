// Runs the official JSON Schema suite for draft 2020-12, through the package and natively.
//
// The suite and the draft's schemas come in two Python packages of its author, installed once into the cache folder.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import "../../dist/node.js";
import { checkBySchema, pattern_test } from "../../dist/package-internals.js";
import { pythonFiles } from "../servers/install.mjs";
import { program } from "./programs.mjs";

const SUITE = "jsonschema==4.26.0";
const METASCHEMAS = "jsonschema-specifications==2025.9.1";
/** A smaller suite must not go unnoticed. */
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

test("the npm package passes every required test", (context) => {
  const wrong = differingTests((group) => {
    const { errors, reports } = checkBySchema(
      group.schema,
      group.tests.map(({ data }) => data),
      resources,
    );
    assert.deepEqual(errors, [], `${group.file}: ${group.description}`);
    return reports.map(({ violations }) => violations.length === 0);
  });
  assert.deepEqual(wrong, []);
  context.diagnostic(`${TESTS} required tests of draft 2020-12 hold in WebAssembly`);
});

test("the native library passes every required test", async (context) => {
  const cases = groups.map(({ schema, tests }) => ({ schema, values: tests.map(({ data }) => data) }));
  const verdicts = JSON.parse(await native(JSON.stringify({ resources, cases })));
  assert.equal(verdicts.length, groups.length);
  assert.deepEqual(
    differingTests((_, index) => verdicts[index]),
    [],
  );
  context.diagnostic(`${TESTS} required tests of draft 2020-12 hold natively`);
});

test("a remote reference is never fetched", () => {
  const { errors, reports } = checkBySchema({ $ref: "https://json-schema.org/draft/2020-12/schema" }, [1]);
  assert.match(errors[0].message, /not in this schema; nothing is fetched/);
  assert.deepEqual(reports, []);
});

test("violations contain path, keyword and expected value", () => {
  const schema = { properties: { city: { type: "string", pattern: "^\\p{Lu}" } } };
  const [number, upper, lower] = checkBySchema(schema, [{ city: 3 }, { city: "Ávila" }, { city: "lima" }]).reports;
  assert.deepEqual(number, {
    violations: [
      {
        instancePath: "/city",
        keyword: "type",
        schemaPath: "/properties/city/type",
        message: "`/city` is a number, expected text",
      },
    ],
    more: 0,
    unfinished: false,
  });
  assert.equal(upper.violations.length, 0);
  assert.equal(lower.violations[0].message, "`/city` is `lima`, expected a match of `^\\p{Lu}`");
});

test("deep values and endless schemas end with a word, not with the stack", () => {
  const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const list = {
    $ref: "#/$defs/list",
    $defs: { list: { anyOf: [{ type: "null" }, { items: { $ref: "#/$defs/list" } }] } },
  };
  assert.deepEqual(checkBySchema(list, [nested(120)]).reports[0].violations, []);
  const winding = { $ref: "#/$defs/0", $defs: { 20: { items: { $ref: "#/$defs/0" } } } };
  for (let i = 0; i < 20; i++) winding.$defs[i] = { allOf: [{ oneOf: [{ $ref: `#/$defs/${i + 1}` }] }] };
  const endless = { anyOf: [{ type: "string" }, { $ref: "#" }] };
  for (const [schema, value, why] of [
    [winding, nested(120), /nested too deeply/],
    [endless, 1, /leads back to itself/],
  ]) {
    const [report] = checkBySchema(schema, [value]).reports;
    assert.ok(report.unfinished);
    assert.match(report.violations.at(-1).message, why);
  }
});

test("the pattern cache is limited", () => {
  for (let i = 0; i < 5000; i++) assert.equal(pattern_test(`^${i}$`, String(i)), 1);
  assert.equal(pattern_test("^a", "ba"), 0);
  assert.equal(pattern_test("(", "("), -1);
});

function differingTests(verdicts) {
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

/** The suite's server would serve these documents. */
async function remotes(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json"));
  const schemaByUrl = async (file) => [
    `http://localhost:1234/${file.split(sep).join("/")}`,
    await json(join(folder, file)),
  ];
  return Object.fromEntries(await Promise.all(files.map(schemaByUrl)));
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

async function native(request) {
  const child = spawn(await program("schemas"), [], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (said += part));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(said) : reject(new Error(`schemas ended with ${code}`))));
    child.stdin.end(request);
  });
}
