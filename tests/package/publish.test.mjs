// Tests a release's checks and the standalone file for pages.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { manifest } from "../../scripts/lib/manifest.mjs";
import { compiledCrates } from "../../scripts/lib/notices.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { sbom } from "../../scripts/lib/sbom.mjs";
import { installPackages } from "../../scripts/lib/tools.mjs";
import { differences } from "../../scripts/reproducible.mjs";
import { lint, obstacles, pack } from "../../scripts/release.mjs";
import { visit } from "./pages.mjs";

test("publint and attw find nothing in the packed package", async () => {
  await installPackages(() => {}, join(root, "scripts", "release"));
  await lint(await pack());
});

test("a release names everything that is missing", () => {
  const cargo = (version, repository) => `[workspace.package]\nversion = "${version}"\nrepository = "${repository}"\n`;
  const own = {
    version: "1.2.3",
    repository: { url: "git+https://example.org/x.git" },
    homepage: "h",
    bugs: "b",
    author: "a",
  };
  const ready = {
    own,
    status: "",
    cargo: cargo("1.2.3", "https://example.org/x"),
    changelog: "# Changelog\n\n## 1.2.3 - 2026-12-01\n",
  };
  assert.deepEqual(obstacles(ready), []);
  for (const [change, pattern] of [
    [{ status: " M x" }, /has changes/],
    [{ own: { ...own, author: "" } }, /no `author`/],
    [{ own: { ...own, repository: undefined } }, /no `repository`/],
    [{ cargo: cargo("1.2.2", "https://example.org/x") }, /Cargo.toml has version 1.2.2/],
    [{ cargo: cargo("1.2.3", "") }, /write `repository = "https:\/\/example.org\/x"`/],
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
  for (const name of [
    "saphyr-parser",
    "sha2",
    "leptos",
    "vscode-languageserver",
    "@modelcontextprotocol/server",
    "@codemirror/view",
  ])
    assert.ok(names.includes(name), name);
  assert.equal(new Set(bill.components.map((one) => one["bom-ref"])).size, names.length);
  for (const { name, licenses } of bill.components)
    assert.match(licenses[0].expression, /MIT|Apache|BSD|BSL|Zlib|ISC|Unicode/, name);
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

test("each crate has a front page, licence texts and what a registry asks for", () => {
  const args = ["metadata", "--no-deps", "--format-version", "1", "--locked"];
  const { packages } = JSON.parse(execFileSync("cargo", args, { cwd: root, encoding: "utf8" }));
  const crates = packages.filter(({ publish }) => publish === null);
  const own = crates.map(({ name }) => name);
  assert.ok(own.includes("stepgraph-core"));
  for (const { name, manifest_path, readme, description, license, keywords, dependencies } of crates) {
    const read = (file) => readFileSync(join(dirname(manifest_path), file), "utf8");
    assert.ok(description && keywords.length > 0, name);
    assert.match(read(readme), /^# .*\n\n\S/, name);
    assert.equal(license, "MIT OR Apache-2.0");
    for (const text of ["LICENSE-MIT", "LICENSE-APACHE"])
      assert.equal(read(text), readFileSync(join(root, text), "utf8"), name);
    // A path needs a version, and a crate that is published, too.
    for (const { name: needed, req, kind } of dependencies.filter(({ path, kind }) => path && kind !== "dev"))
      assert.ok(req !== "*" && own.includes(needed), `${name} needs ${needed} ${kind ?? ""}`);
  }
});

test("a file that two packages do not share is named", () => {
  const first = new Map(Object.entries({ same: "1", other: "2", left: "3" }));
  const second = new Map(Object.entries({ right: "4", other: "5", same: "1" }));
  assert.deepEqual(differences(first, first), []);
  assert.deepEqual(differences(first, second), [
    "`left` is only in the first package.",
    "`other` differs.",
    "`right` is only in the second package.",
  ]);
});

test("WebAssembly modules are imported by names that end with `.wasm`, as wrangler wants them", () => {
  const modules = Object.entries(manifest().exports).filter(([, target]) => target.default?.endsWith(".wasm"));
  assert.deepEqual(
    modules.map(([name]) => name),
    ["./engine.wasm", "./wire.wasm", "./editor.wasm"],
  );
});
