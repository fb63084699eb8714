// What a release checks, the file that a page can load on its own, and the example host in Rust.
//
// Needs `dist/` to be built.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compiledCrates } from "../../scripts/lib/notices.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { sbom } from "../../scripts/lib/sbom.mjs";
import { installPackages } from "../../scripts/lib/tools.mjs";
import { lint, manifest, obstacles, pack } from "../../scripts/release.mjs";
import { visit } from "./pages.mjs";

test("publint and attw find nothing in the packed package", async () => {
  await installPackages(() => {}, join(root, "scripts", "release"));
  await lint(await pack());
});

test("a release names everything that is missing", () => {
  const own = { version: "1.2.3", repository: { url: "https://example.org/x" }, homepage: "h", bugs: "b", author: "a" };
  const ready = {
    own,
    status: "",
    cargo: '[workspace.package]\nversion = "1.2.3"\n',
    changelog: "# Changelog\n\n## 1.2.3 - 2026-12-01\n",
  };
  assert.deepEqual(obstacles(ready), []);
  for (const [change, pattern] of [
    [{ status: " M x" }, /has changes/],
    [{ own: { ...own, author: "" } }, /no `author`/],
    [{ own: { ...own, repository: undefined } }, /no `repository`/],
    [{ cargo: '[workspace.package]\nversion = "1.2.2"\n' }, /Cargo.toml has version 1.2.2/],
    [{ changelog: "# Changelog\n\n## Unreleased\n" }, /begins with `Unreleased`/],
  ]) {
    const found = obstacles({ ...ready, ...change });
    assert.equal(found.length, 1);
    assert.match(found[0], pattern);
  }
});

test("the bill of materials lists what is inside, with licences, and is the same each time", async () => {
  const crates = await compiledCrates();
  const bill = sbom(crates, manifest());
  assert.deepEqual(sbom([...crates].reverse(), manifest()), bill);
  const names = bill.components.map(({ name }) => name);
  for (const name of ["saphyr-parser", "sha2", "vscode-languageserver", "@modelcontextprotocol/server"])
    assert.ok(names.includes(name), name);
  assert.equal(new Set(bill.components.map((one) => one["bom-ref"])).size, names.length);
  for (const { name, licenses } of bill.components)
    assert.match(licenses[0].expression, /MIT|Apache|BSD|Zlib|ISC/, name);
  const listed = readFileSync(join(root, "pkg", "NOTICES.txt"), "utf8");
  for (const { name, version } of crates) assert.ok(listed.includes(`${name} ${version} (`), name);
});

test("the fields of content delivery networks name the browser's entry", () => {
  const { unpkg, jsdelivr, exports } = manifest();
  assert.deepEqual([`./${unpkg}`, `./${jsdelivr}`], Array(2).fill(exports["."].browser));
});

test("a page runs a plan with one file, without a further request", async () => {
  const script = `import { init, PlanGraph, run } from "/standalone.js";
    await init();
    const graph = PlanGraph.load("nodes: {a: {type: log, input: 'hi \${input}'}, b: {type: llm, input: x}}\\nedges: [{from: a, to: b}]");
    const report = await run(graph, { input: "Ada", stubs: { models: { default: "echo" } } });
    await tell(report.path.join() + report.outputs.a);`;
  const served = { "/page.js": script, "/standalone.js": readFileSync(join(root, "dist", "standalone.js"), "utf8") };
  const requests = [];
  const { told, close } = await visit(root, { alone: "/page.js" }, async (request, response) => {
    requests.push(request.url);
    if (!Object.hasOwn(served, request.url)) return false;
    response.writeHead(200, { "content-type": "text/javascript" }).end(served[request.url]);
    return true;
  });
  try {
    assert.equal(await told.alone, "a,bhi Ada");
    assert.deepEqual(requests.toSorted(), ["/page.js", "/standalone.js"]);
  } finally {
    await close();
  }
});

test("a host in Rust runs a plan with its own tool", () => {
  const args = ["run", "--quiet", "--locked", "--package", "stepgraph-core", "--example", "host"];
  assert.equal(execFileSync("cargo", args, { cwd: root, encoding: "utf8" }), '"YOUR ORDER COSTS 12."\n');
});
