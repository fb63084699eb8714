// Tests imports of plan files in webpack, with the loader `stepgraph/webpack`.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import * as kits from "./toolchains.mjs";
import { linkedProject, root } from "./linked-project.mjs";

const { default: webpack } = await import(await kits.webpack());
const { folder, file } = linkedProject("webpack");
file("greet.yaml", 'inputs: {name: {default: "ünï"}}\nnodes: {a: {type: log, input: "Hi ${input.name}"}}\n');
file("outer.yaml", "nodes: {a: {type: graph, graph: ./sub/inner.yaml}}\n");
const inner = file("sub/inner.yaml", "nodes: {x: {type: log, input: inside}}\n");

const page = readFileSync(join(root, "docs/typescript.md"), "utf8");
const [forWebpack, forNext] = await Promise.all(
  [...page.matchAll(/```js[^\n]*\n([^]*?)```/g)]
    .map(([, code]) => code)
    .filter((code) => code.includes("stepgraph/webpack"))
    .map(async (code, at) => (await import(file(`config${at}.mjs`, code))).default),
);

/** The library stays outside of the bundle. */
function bundle(entry, options = {}, rules = [ruleWith(options)]) {
  const settings = {
    context: folder,
    mode: "production",
    target: "node20",
    entry,
    experiments: { outputModule: true },
    externalsType: "module",
    externals: { stepgraph: "stepgraph" },
    output: { path: join(folder, "out"), filename: "app.mjs", module: true, library: { type: "module" } },
    module: { rules },
  };
  return new Promise((resolve, reject) =>
    webpack(settings, (error, stats) => (error ? reject(error) : resolve(stats))),
  );
}
const ruleWith = (options) => ({
  test: /\.ya?ml$/,
  type: "javascript/esm",
  use: { loader: "stepgraph/webpack", options },
});
const messages = (stats, kind) => stats.toJson({ all: false, [kind]: true })[kind].map(({ message }) => message);

test("a bundle has the plans and their files", async () => {
  const app = file(
    "app.mjs",
    `import { run } from "stepgraph";
import greet from "./greet.yaml";
import outer from "./outer.yaml";
console.log([(await run(greet)).last, (await run(outer)).last].join());
`,
  );
  const stats = await bundle(app);
  assert.deepEqual([messages(stats, "errors"), messages(stats, "warnings")], [[], []]);
  assert.ok([...stats.compilation.fileDependencies].includes(inner));
  assert.ok(!readFileSync(join(folder, "out/app.mjs"), "utf8").includes(folder));
  const { stdout } = await promisify(execFile)(process.execPath, ["out/app.mjs"], { cwd: folder });
  assert.equal(stdout, "Hi ünï,inside\n");
});

test("the configurations of the page load plans", async () => {
  file("page.plan.yaml", "nodes: {a: {type: log, input: from the page}}\n");
  const entry = file(
    "page.mjs",
    'import { run } from "stepgraph";\nimport plan from "./page.plan.yaml";\nconsole.log((await run(plan)).last);\n',
  );
  const [rule] = Object.values(forNext.turbopack.rules);
  for (const rules of [forWebpack.module.rules, [{ test: /yaml$/, type: "javascript/esm", use: rule.loaders }]]) {
    assert.deepEqual(messages(await bundle(entry, {}, rules), "errors"), []);
    const { stdout } = await promisify(execFile)(process.execPath, ["out/app.mjs"], { cwd: folder });
    assert.equal(stdout, "from the page\n");
    assert.match(readFileSync(join(folder, "page.plan.d.yaml.ts"), "utf8"), /Written by `stepgraph types`/);
  }
});

for (const [name, plan, message] of [
  ["an error", 'nodes:\n  a: {type: log, input: "${output.b}"}\n', /bad\.yaml:2:\d+[\s\S]*= help: refer to a node/],
  ["a file that is no plan", "other: 1\n", /the file is no plan: it has no `nodes`/],
])
  test(`${name} ends the build`, async () => {
    file("bad.yaml", plan);
    const [error] = messages(await bundle(file("bad.mjs", 'import "./bad.yaml";\n')), "errors");
    assert.match(error, message);
  });

test("warnings are warnings, and unknown options are refused", async () => {
  file("warned.yaml", "start: a\nnodes: {a: {type: noop}, b: {type: noop}}\n");
  const entry = file("warned.mjs", 'import "./warned.yaml";\n');
  assert.match(messages(await bundle(entry), "warnings").join(), /graph\/unreachable-node/);
  assert.match(messages(await bundle(entry, { typs: true }), "errors").join(), /takes no `typs`/);
});

test("if a bundler moves the files of the engine, the error says what to do", async () => {
  // Turbopack does this in the code of a server.
  const dist = join(folder, "moved/dist");
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(join(root, "dist")).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(join(root, "dist", name), "utf8");
    writeFileSync(join(dist, name), text.replace(/new URL\("[^"]*",import\.meta\.url\)/g, '({protocol:"",href:"/x"})'));
  }
  file("moved/package.json", '{"type": "module"}');
  await assert.rejects(import(join(dist, "node.js")), { code: "api/bundled", message: /serverExternalPackages/ });
});
