// Tests the packed file, installed as users install it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { npm } from "../../scripts/lib/command.mjs";
import { declarations } from "../../scripts/lib/bundle.mjs";
import { EXAMPLE_NAMES } from "../../dist/cli/options.js";
import { consumer, root } from "./consumer.mjs";

let user;
let packed;
before(() => {
  user = consumer();
  packed = user.packed;
});
after(() => user.remove());

const manifest = () => JSON.parse(readFileSync(join(user.folder, "node_modules/stepgraph/package.json"), "utf8"));

function ran(script) {
  user.write("user.mjs", script);
  return JSON.parse(execFileSync(process.execPath, ["user.mjs"], { cwd: user.folder, encoding: "utf8" }));
}

const plan = 'nodes: {hello: {type: log, input: "hi, ${input}"}}';
const job = `
  const { graph, diagnostics } = PlanGraph.parse(${JSON.stringify(plan)});
  const { outcome, last } = await run(graph, { input: "Ada" });
  console.log(JSON.stringify({ diagnostics, outcome: outcome.type, last }));
`;
const expected = { diagnostics: [], outcome: "completed", last: "hi, Ada" };

test("source maps lead to the TypeScript, which they contain", () => {
  const maps = packed.files.map((file) => file.path).filter((name) => name.endsWith(".map"));
  assert.ok(maps.length > 10);
  for (const name of maps) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));
    const ours = sources.filter((source) => !/wasm\/pkg\//.test(source));
    assert.deepEqual(
      ours.filter((source) => !/wasm\/js\/.*\.ts$/.test(source)),
      [],
      name,
    );
    assert.equal(sourcesContent.filter((text) => typeof text === "string").length, sources.length, name);
  }
});

test("the package contains only files that programs use", () => {
  const names = packed.files.map((file) => file.path);
  const strange = names.filter(
    (name) =>
      !/^(dist\/.*\.(js|d\.ts)|dist\/plan\.schema\.json|dist\/(?!cli\/).*\.js\.map|dist\/cli\/(lsp|serve)\/LICENSES\.txt|embed\/(index|page|rest)\.js|embed\/index\.d\.ts|embed\/LICENSES\.txt|pkg\/NOTICES\.txt|pkg\/stepgraph_(wasm_bg|wire_bg|editor_bg|first|open_calls|calls|agents|common|plans|history|mistakes|hints|language|planners|rest|wire_(first|providers|auth|rest))\.wasm|docs\/[a-z0-9/-]+\.md|examples\/[a-z-]+(\.stubs)?\.yaml|package\.json|README\.md|LICENSE[\w.-]*)$/.test(
        name,
      ),
  );
  assert.deepEqual(strange, []);
  for (const name of [
    "dist/node.js",
    "dist/cli/main.js",
    "dist/standalone.js",
    "dist/plan.schema.json",
    "pkg/NOTICES.txt",
    "pkg/stepgraph_wasm_bg.wasm",
    "pkg/stepgraph_first.wasm",
    "pkg/stepgraph_wire_bg.wasm",
    "pkg/stepgraph_wire_first.wasm",
    "dist/editor/node.js",
    "embed/index.js",
    "embed/page.js",
    "embed/rest.js",
    "pkg/stepgraph_editor_bg.wasm",
    "README.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
  ])
    assert.ok(names.includes(name), name);
  const types = names.filter((name) => name.endsWith(".d.ts")).sort();
  assert.deepEqual(
    types,
    [...declarations(join(root, "dist")).map((name) => `dist/${name}`), "embed/index.d.ts"].sort(),
    "declarations that no entry leads to",
  );
  assert.equal(manifest().dependencies, undefined, "it asks for nothing at run time");
});

test("the package contains the examples that the command lists", () => {
  const packed = user.packed.files.flatMap(({ path }) => /^examples\/([a-z-]+)\.yaml$/.exec(path)?.[1] ?? []);
  assert.deepEqual(packed.sort(), [...EXAMPLE_NAMES].sort());
  const [program, args] = npm(["exec", "--offline", "--", "stepgraph", "init", "demo", "--json"]);
  const { files } = JSON.parse(execFileSync(program, args, { cwd: user.folder, encoding: "utf8" }));
  assert.ok(files.every(({ status }) => status === "written"));
});

test("every path in the manifest exists", () => {
  const { exports, bin, main, types } = manifest();
  const targets = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(targets));
  const names = packed.files.map((file) => `./${file.path}`);
  for (const target of [...targets(exports), ...[...targets(bin), main, types].map((name) => `./${name}`)])
    assert.ok(names.includes(target), target);
});

test("Node: ready on import", () => {
  assert.deepEqual(ran(`import { PlanGraph, run } from "stepgraph"; ${job}`), expected);
});

test("browsers: the engine is ready after init, from bytes or from a module", () => {
  const entry = 'import { readFileSync } from "node:fs"; import { init, PlanGraph, run } from "stepgraph";';
  const bytes = 'readFileSync(new URL(import.meta.resolve("stepgraph/engine.wasm")))';
  for (const source of [bytes, `await WebAssembly.compile(${bytes})`]) {
    assert.deepEqual(ran(`${entry.replace('"stepgraph"', '"stepgraph/web"')} await init(${source}); ${job}`), expected);
  }
});

test("browsers: a failed start is retried, and concurrent starts share one engine", () => {
  const script = `import { readFileSync } from "node:fs"; import { init, PlanGraph, run } from "stepgraph/web";
    const bytes = readFileSync(new URL(import.meta.resolve("stepgraph/engine.wasm")));
    const bad = await init(new Uint8Array([1, 2, 3])).then(() => "started", (error) => error.code);
    // A module of no glue, which nothing may keep.
    const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    const foreign = await init(empty).then(() => "started", (error) => error.code);
    const early = init(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    await Promise.all([early, init(bytes), init(bytes)]);
    const { graph } = PlanGraph.parse("nodes: {a: {type: log, input: hi}}");
    await init(bytes);
    console.log(JSON.stringify([bad, foreign, (await run(graph)).last]));`;
  assert.deepEqual(ran(script), ["api/not-loaded", "api/not-loaded", "hi"]);
});

test("runtimes with compiled modules: init accepts a module or bytes", () => {
  const entry = 'import { readFileSync } from "node:fs"; import { init, PlanGraph, run } from "stepgraph/module";';
  const bytes = 'readFileSync(new URL(import.meta.resolve("stepgraph/engine.wasm")))';
  for (const source of [bytes, `new WebAssembly.Module(${bytes})`]) {
    assert.deepEqual(ran(`${entry} await init(${source}); ${job}`), expected);
  }
});

test("the command is installed under its name", () => {
  user.write("plan.yaml", plan);
  const [program, args] = npm([
    "exec",
    "--offline",
    "--",
    "stepgraph",
    "run",
    "plan.yaml",
    "--prompt",
    "Ada",
    "--quiet",
  ]);
  assert.equal(
    execFileSync(program, args, { cwd: user.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
    "hi, Ada\n",
  );
});
