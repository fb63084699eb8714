import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { npm } from "../../scripts/lib/command.mjs";

// What is tested is the packed file, installed as its users install it, and never the checkout.
const root = fileURLToPath(new URL("../..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "stepgraph-package-"));
const project = join(home, "project");
let packed;

before(() => {
  [packed] = JSON.parse(runNpm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", home));
  mkdirSync(project);
  write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
  runNpm(project, "install", "--offline", "--no-package-lock", "--ignore-scripts", join(home, packed.filename));
});
after(() => rmSync(home, { recursive: true, force: true }));

function runNpm(cwd, ...args) {
  const [program, all] = npm(args);
  return execFileSync(program, all, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a script of the user's, as Node would under these conditions; gives what it prints as JSON. */
function user(script, ...flags) {
  write("user.mjs", script);
  return JSON.parse(execFileSync(process.execPath, [...flags, "user.mjs"], { cwd: project, encoding: "utf8" }));
}

function write(name, text) {
  writeFileSync(join(project, name), text);
}

const plan = "nodes: {hello: {type: log, input: \"hi, ${input}\"}}";
const job = `
  const { graph, diagnostics } = PlanGraph.parse(${JSON.stringify(plan)});
  const { outcome, last } = await run(graph, { input: "Ada" });
  console.log(JSON.stringify({ diagnostics, outcome: outcome.type, last }));
`;
const expected = { diagnostics: [], outcome: "completed", last: "hi, Ada" };

test("the package holds what is run, and nothing else", () => {
  const names = packed.files.map((file) => file.path);
  const strange = names.filter((name) => !/^(dist\/.*\.(js|d\.ts)|pkg\/stepgraph_wasm[\w.]*|package\.json|README\.md|LICENSE[\w.-]*)$/.test(name));
  assert.deepEqual(strange, []);
  for (const name of ["dist/node.js", "dist/node.d.ts", "dist/cli/main.js", "pkg/stepgraph_wasm_bg.wasm"]) assert.ok(names.includes(name), name);
  const manifest = JSON.parse(readFileSync(join(project, "node_modules/stepgraph/package.json"), "utf8"));
  assert.equal(manifest.dependencies, undefined, "it asks for nothing at run time");
});

test("everything that the manifest promises is there", () => {
  const { exports, bin } = JSON.parse(readFileSync(join(project, "node_modules/stepgraph/package.json"), "utf8"));
  const targets = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(targets));
  const names = packed.files.map((file) => `./${file.path}`);
  for (const target of [...targets(exports), ...targets(bin).map((name) => `./${name}`)]) assert.ok(names.includes(target), target);
});

test("Node: ready on import", () => {
  assert.deepEqual(user(`import { PlanGraph, run } from "stepgraph"; ${job}`), expected);
});

test("browsers: ready after init, from the bytes or the module that it is given", () => {
  const entry = 'import { readFileSync } from "node:fs"; import { init, PlanGraph, run } from "stepgraph";';
  const bytes = 'readFileSync(new URL(import.meta.resolve("stepgraph/wasm")))';
  for (const source of [bytes, `await WebAssembly.compile(${bytes})`]) {
    assert.deepEqual(user(`${entry.replace('"stepgraph"', '"stepgraph/web"')} await init(${source}); ${job}`), expected);
  }
});

test("runtimes with compiled modules: init takes one, or bytes", () => {
  const entry = 'import { readFileSync } from "node:fs"; import { init, PlanGraph, run } from "stepgraph/module";';
  const bytes = 'readFileSync(new URL(import.meta.resolve("stepgraph/wasm")))';
  for (const source of [bytes, `new WebAssembly.Module(${bytes})`]) {
    assert.deepEqual(user(`${entry} await init(${source}); ${job}`), expected);
  }
});

test("the command is installed under its name", () => {
  write("plan.yaml", plan);
  const [program, args] = npm(["exec", "--offline", "--", "stepgraph", "run", "plan.yaml", "--prompt", "Ada", "--quiet"]);
  assert.equal(execFileSync(program, args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }), "hi, Ada\n");
});

test("its types are found by both ways of resolving", () => {
  write("user.ts", 'import { PlanGraph, run, type Report } from "stepgraph";\nexport const report: Promise<Report> = run(PlanGraph.parse("").graph!);\n');
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  for (const [module, resolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
    const flags = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,esnext.disposable,dom", "--module", module, "--moduleResolution", resolution];
    execFileSync(process.execPath, [compiler, ...flags, "user.ts"], { cwd: project, encoding: "utf8" });
  }
});
