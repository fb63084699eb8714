// Tests imports of plan files with Node's hooks, esbuild, and the plugin for Vite, called as Vite does.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build, context } from "esbuild";
import forEsbuild from "stepgraph/esbuild";
import forVite from "stepgraph/vite";
import { PlanError, PlanGraph, run } from "stepgraph";
import { linkedProject } from "../package/linked-project.mjs";

const { folder, file } = linkedProject("imports");
const greet = file(
  "greet.yaml",
  'inputs: {name: {default: "ünï"}}\nnodes: {a: {type: log, input: "Hi ${input.name}"}}\n',
);
const outer = file("outer.yml", "nodes: {a: {type: graph, graph: ./sub/inner.yaml}}\n");
const inner = file("sub/inner.yaml", "nodes: {x: {type: log, input: inside}}\n");
const bad = file("bad.yaml", 'nodes:\n  a: {type: log, input: "ä ${output.b.x}"}\n');
file("odd.plan.yaml", "nods: {a: {type: noop}}\n");
const other = file("other.yaml", "apiVersion: v1\nnodes: {a: 1}\n");
const app = file(
  "app.mjs",
  `import { PlanGraph, run } from "stepgraph";
import greet from "./greet.yaml";
import outer from "./outer.yml";
console.log([(await run(greet)).last, (await run(outer)).last, greet instanceof PlanGraph].join());
`,
);
const EXPECTED = "Hi ünï,inside,true\n";

function node(...args) {
  return promisify(execFile)(process.execPath, args, { cwd: folder }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

test("Node: `--import stepgraph/register` loads plans", async () => {
  assert.deepEqual(await node("--import", "stepgraph/register", app), { code: 0, stdout: EXPECTED, stderr: "" });
});

test("Node: a plan with errors ends the program with the place and the help", async () => {
  const importer = file("bad.mjs", 'import "./bad.yaml";\n');
  const { code, stderr } = await node("--import", "stepgraph/register", importer);
  assert.equal(code, 1);
  assert.match(stderr, /error\[reference\/unknown-output\]: no node is called `b`\n --> bad\.yaml:2:30/);
  assert.match(stderr, /= help: refer to a node of this plan/);
});

test("Node: a query loads the plan again, and other files are left to Node", async () => {
  const text = 'const a = await import("./greet.yaml?1"), b = await import("./greet.yaml?2"); console.log(a === b);\n';
  assert.equal((await node("--import", "stepgraph/register", file("twice.mjs", text))).stdout, "false\n");
  const { code, stderr } = await node("--import", "stepgraph/register", file("o.mjs", 'import "./other.yaml";\n'));
  assert.equal(code, 1);
  assert.match(stderr, /ERR_UNKNOWN_FILE_EXTENSION/);
});

const bundle = (entry, options = {}, plugin = {}) =>
  build({
    entryPoints: [entry],
    absWorkingDir: folder,
    outfile: join(folder, "out/app.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["stepgraph"],
    logLevel: "silent",
    plugins: [forEsbuild(plugin)],
    ...options,
  });

test("esbuild: a bundle has the plans and their files", async () => {
  for (const platform of ["node", "browser"]) {
    await bundle(app, { platform });
    rmSync(inner);
    assert.equal((await node("out/app.mjs")).stdout, EXPECTED);
    file("sub/inner.yaml", "nodes: {x: {type: log, input: inside}}\n");
    const text = readFileSync(join(folder, "out/app.mjs"), "utf8");
    assert.equal(text.includes("await init"), platform === "browser");
    assert.ok(!text.includes(folder), "the bundle tells where it was built");
  }
});

test("esbuild: errors have the file, the line and the column in bytes", async () => {
  const { errors } = await bundle(file("bad.mjs", 'import "./bad.yaml";\n')).catch((error) => error);
  const [{ text, location, notes }] = errors;
  assert.match(text, /no node is called `b` \(reference\/unknown-output\)/);
  assert.deepEqual([join(folder, location.file), location.line, location.column, location.length], [bad, 2, 30, 10]);
  assert.equal(location.lineText, '  a: {type: log, input: "ä ${output.b.x}"}');
  assert.match(notes[0].text, /^help: refer to a node/);
});

test("esbuild: an error in a file that the plan runs is in that file", async () => {
  file("broken.yaml", "nodes: {a: {type: graph, graph: ./sub/broken.yaml}}\n");
  const broken = file("sub/broken.yaml", 'nodes:\n  x: {type: log, input: "${output.y}"}\n');
  const { errors } = await bundle(file("broken.mjs", 'import "./broken.yaml";\n')).catch((error) => error);
  const [{ location }] = errors;
  assert.deepEqual([join(folder, location.file), location.line], [broken, 2]);
});

test("esbuild: warnings are warnings", async () => {
  file("warned.yaml", "start: a\nnodes: {a: {type: noop}, b: {type: noop}}\n");
  const { warnings, errors } = await bundle(file("warned.mjs", 'import "./warned.yaml";\n'));
  assert.deepEqual(
    [errors, warnings.map(({ text }) => /graph\/[a-z-]+/.exec(text)?.[0])],
    [[], ["graph/unreachable-node"]],
  );
});

test("esbuild: the name ends in `.plan.yaml`, so a typo is an error, and other files are left to others", async () => {
  const { errors } = await bundle(file("odd.mjs", 'import "./odd.plan.yaml";\n')).catch((error) => error);
  assert.match(errors[0].text, /\(graph\//);
  const left = await bundle(file("left.mjs", 'import "./other.yaml";\n')).catch((error) => error);
  assert.match(left.errors[0].text, /No loader is configured for "\.yaml" files/);
});

test("esbuild: a change of an included file is a change of the plan", async () => {
  const rounds = [];
  let next = () => {};
  const entry = file("watched.mjs", 'import plan from "./watched.yaml"; console.log(plan);\n');
  file("watched.yaml", "nodes: {a: {type: graph, graph: ./sub/watched.yaml}}\n");
  file("sub/watched.yaml", "nodes: {x: {type: log, input: first}}\n");
  const observer = {
    name: "observer",
    setup: ({ onEnd }) => onEnd(({ outputFiles }) => (rounds.push(outputFiles[0].text), next())),
  };
  const options = { bundle: true, format: "esm", write: false, external: ["stepgraph"], logLevel: "silent" };
  const watched = await context({ ...options, entryPoints: [entry], plugins: [forEsbuild(), observer] });
  try {
    await watched.watch();
    await until(() => rounds.length === 1);
    file("sub/watched.yaml", "nodes: {x: {type: log, input: second}}\n");
    await until(() => rounds.length >= 2);
    assert.match(rounds.at(-1), /input: second/);
  } finally {
    await watched.dispose();
  }
  async function until(isDone) {
    while (!isDone()) await new Promise((resolve) => (next = resolve));
  }
});

test("`engine` replaces the start of the engine", async () => {
  const engine = file("engine.mjs", 'console.log("started");\n');
  const { outputFiles } = await bundle(app, { platform: "browser", write: false }, { engine });
  const [{ text }] = outputFiles;
  assert.ok(text.includes('console.log("started")') && !text.includes("await init"));
  assert.ok(text.indexOf("started") < text.indexOf("PlanGraph.load"));
  const { code } = load(forVite({ engine: `./${relative(".", engine)}` }), greet);
  assert.ok(code.startsWith(`import ${JSON.stringify(engine)};\n`));
  assert.ok(load(forVite({ engine: "my-engine" }), greet).code.startsWith('import "my-engine";\n'));
});

test("`types` writes declarations, never over another file", async () => {
  await bundle(app, {}, { types: true });
  const declaration = join(folder, "greet.d.yaml.ts");
  assert.match(readFileSync(declaration, "utf8"), /^\/\/ Written by `stepgraph types`[^]*name\?: unknown;/);
  assert.ok(existsSync(join(folder, "outer.d.yml.ts")));
  writeFileSync(declaration, "export default 1;\n");
  assert.throws(() => load(forVite({ types: true }), greet), /greet\.d\.yaml\.ts` was not written by Stepgraph/);
  assert.equal(readFileSync(declaration, "utf8"), "export default 1;\n");
});

function load(plugin, id) {
  const [watched, warned] = [[], []];
  const error = (message) => {
    throw Object.assign(new Error(message.message), message);
  };
  const context = { addWatchFile: (name) => watched.push(name), warn: (message) => warned.push(message), error };
  const loaded = plugin.load.call(context, id);
  return loaded && { ...loaded, watched, warned };
}

test("Vite: a plan becomes a module that starts the engine and watches the files of the plan", async () => {
  const { code, watched } = load(forVite(), outer);
  assert.deepEqual(watched, [inner]);
  assert.match(
    code,
    /^import \{ PlanGraph, init \} from "stepgraph";\nawait init\(\);\nexport default PlanGraph\.load\(/,
  );
  assert.ok(!code.includes(folder));
  const module = await import(pathToFileURL(file("module.mjs", code)).href);
  assert.ok(module.default.hash.length > 0);
});

test("Vite: it leaves other files and addresses to other plugins", () => {
  for (const id of [other, `${greet}?raw`, `${greet}?url`, `\0${greet}`, app, join(folder, "greet.stubs.json")])
    assert.equal(load(forVite(), id), null, id);
});

test("Vite: an error has the file, the line, the column and a frame", () => {
  assert.throws(
    () => load(forVite(), bad),
    ({ message, id, loc, frame }) => {
      assert.match(message, /no node is called `b` \(reference\/unknown-output\); refer to a node/);
      assert.deepEqual([id, loc], [bad, { file: bad, line: 2, column: 29 }]);
      assert.match(frame, /bad\.yaml:2:30/);
      return true;
    },
  );
});

test("the plugins refuse unknown options", () => {
  for (const plugin of [forEsbuild, forVite])
    assert.throws(
      () => plugin({ typs: true }),
      (error) => error instanceof PlanError && /did you mean `types`/.test(error.message),
    );
});

test("the module has the plan unchanged, whatever its text", async () => {
  const text = "nodes:\n  a: {type: log, input: \"\\u2028 `${'$'}{x}` </script> */ \\\\ ünï\"}\n";
  const { code } = load(forVite(), file("text.yaml", text));
  const { default: plan } = await import(pathToFileURL(file("text.mjs", code)).href);
  const graph = PlanGraph.load(text);
  assert.deepEqual(plan.toJSON(), graph.toJSON());
  assert.equal((await run(graph)).outcome.type, "completed");
});
