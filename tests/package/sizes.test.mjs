// Prints the download sizes: modules, library, command, tarball, and each import path.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { consumer, output } from "./consumer.mjs";
import * as kits from "./toolchains.mjs";

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

let user;
let package_;
before(() => {
  user = consumer();
  package_ = join(user.folder, "node_modules/stepgraph");
});
after(() => user.remove());

const read = (name) => readFileSync(join(package_, name));
const scripts = (folder) =>
  readdirSync(join(package_, folder))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `${folder}/${name}`);
const sum = (names, measure) => names.reduce((total, name) => total + measure(read(name)), 0);

function reached(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, path] of read(name)
    .toString()
    .matchAll(/(?:from|import)\s*"(\.\.?\/[^"]+\.js)"/g))
    reached(posix.join(posix.dirname(name), path), found);
  return found;
}

test("downloads of the package", (context) => {
  const all = (entries) => [...new Set(entries.flatMap((name) => [...reached(`dist/${name}.js`)]))];
  const rows = [
    ["engine, first part", ["pkg/stepgraph_first.wasm"]],
    ...["open_calls", "calls", "agents", "common", "history", "mistakes", "hints", "language", "planners", "rest"].map(
      (part) => [`engine, ${part}`, [`pkg/stepgraph_${part}.wasm`]],
    ),
    ["engine in one file", ["pkg/stepgraph_wasm_bg.wasm"]],
    ...["first", "providers", "auth", "rest"].map((part) => [`wire, ${part}`, [`pkg/stepgraph_wire_${part}.wasm`]]),
    ["wire in one file", ["pkg/stepgraph_wire_bg.wasm"]],
    ["library", all(["node"])],
    ["for editors: module", ["pkg/stepgraph_editor_bg.wasm"]],
    ["for editors: library", all(["editor/node", "editor/web", "editor/module"])],
    ["audits", all(["integrations/audit/node"])],
    ["command", scripts("dist/cli")],
    ["language server", scripts("dist/cli/lsp")],
    ["server for agents", scripts("dist/cli/serve")],
  ].map(([name, files]) => [name, sum(files, (bytes) => bytes.length), sum(files, gzip)]);
  for (const [name, raw, zipped] of rows)
    context.diagnostic(`${name.padEnd(20)} ${kb(raw).padStart(9)}, ${kb(zipped)} gzipped`);
  context.diagnostic(
    `${"tarball".padEnd(20)} ${kb(statSync(user.tarball).size).padStart(9)}, ${kb(user.packed.unpackedSize)} unpacked, ${user.packed.entryCount} files`,
  );
  // The limits of a page's downloads are in `first-load.test.mjs`.
  assert.ok(rows.every(([, raw]) => raw > 0));
});

test("the import cost of each entry", async (context) => {
  for (const name of ["node", "web", "module", "editor/node", "editor/web", "editor/module"]) {
    const files = [...reached(`dist/${name}.js`)];
    context.diagnostic(
      `${`stepgraph/${name}`.padEnd(24)}${files.length} files, ${kb(sum(files, gzip))} gzipped, and the module`,
    );
    // Bundlers can't divide a file, so `web` and `module` have one for each group of scripts that load together.
    assert.ok(files.length <= (/^(web|module)$/.test(name) ? 13 : 3), files.join(", "));
  }
  for (const name of ["stepgraph", "stepgraph/editor"]) {
    user.write(
      "cost.mjs",
      `const began = process.cpuUsage(); await import("${name}"); const { user, system } = process.cpuUsage(began); process.stdout.write(((user + system) / 1000).toFixed(1));`,
    );
    context.diagnostic(
      `importing ${name} in Node took ${await output(process.execPath, ["cost.mjs"], user.folder)} ms of CPU`,
    );
  }
});

test("the command loads few files", (context) => {
  const files = (...entries) => [...new Set(entries.flatMap((name) => [...reached(`dist/cli/${name}.js`)]))];
  for (const [name, entries, most] of [
    ["--version", ["main", "version"], 3],
    ["run", ["main", "run"], 6],
  ]) {
    const loaded = files(...entries);
    context.diagnostic(`stepgraph ${name} loads ${loaded.length} files, ${kb(sum(loaded, (bytes) => bytes.length))}`);
    assert.ok(loaded.length <= most, loaded.join(", "));
  }
});

test("programs that run plans load no editor code, and the reverse", () => {
  const names = (entry) => new Set([...reached(`dist/${entry}.js`)]);
  for (const name of names("node")) assert.ok(!names("editor/node").has(name), name);
  for (const name of names("node")) assert.doesNotMatch(read(name).toString(), /stepgraph_editor/, name);
  for (const name of names("editor/node")) assert.doesNotMatch(read(name).toString(), /stepgraph_wasm/, name);
});

test("bundles of the package", async (context) => {
  for (const names of ["PlanGraph, run", "PlanGraph, run, mcp, openai", "PlanGraph, check"]) {
    user.write("app.mjs", `import { init, ${names} } from "stepgraph";\nglobalThis.app = [init, ${names}];\n`);
    await output(
      await kits.esbuild(),
      ["app.mjs", "--bundle", "--format=esm", "--minify", "--outfile=app.js"],
      user.folder,
    );
    context.diagnostic(
      `init, ${names}: ${kb(gzip(readFileSync(join(user.folder, "app.js"))))} of script, minified and gzipped`,
    );
  }
});
