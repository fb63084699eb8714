// The extension of Visual Studio Code: its decisions, and the document of its webview. Needs no editor.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";
import { stepgraph } from "../cli/stepgraph.mjs";

const MODULES = ["minimal-edit", "test-report", "cost-title", "drawing-html"];
const folder = mkdtempSync(join(tmpdir(), "stepgraph-extension-"));
const extension = {};

before(async () => {
  await build({
    entryPoints: MODULES.map((name) => join(root, "editors", "vscode", "src", `${name}.ts`)),
    outdir: folder,
    format: "esm",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
  for (const name of MODULES) Object.assign(extension, await import(pathToFileURL(join(folder, `${name}.mjs`)).href));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("an edit replaces only what differs", () => {
  const cases = [
    ["a: 1\nb: 2\n", "a: 1\nb: 3\n", { start: 8, end: 9, text: "3" }],
    ["aaa", "aa", { start: 2, end: 3, text: "" }],
    ["", "nodes:", { start: 0, end: 0, text: "nodes:" }],
    ["x😀", "x😁", { start: 1, end: 3, text: "😁" }],
    ["a\r\nb", "a\nb", { start: 1, end: 3, text: "\n" }],
  ];
  for (const [from, to, edit] of cases) {
    assert.deepEqual(extension.minimalEdit(from, to), edit);
    assert.equal(from.slice(0, edit.start) + edit.text + from.slice(edit.end), to);
  }
  assert.equal(extension.minimalEdit("same", "same"), null);
});

test("the command's report has the results and the coverage of a plan", async () => {
  const file = join(folder, "two.plan.yaml");
  writeFileSync(
    file,
    `start: a
nodes:
  a: {type: decision}
  b: {type: log}
  c: {type: log}
edges:
  - {from: a, to: b, condition: last == "b"}
  - {from: a, to: c}
tests:
  - {name: takes b, input: b, expect: {path: [a, b]}}
  - {name: fails, input: b, expect: {path: [a, c]}}
`,
  );
  const { out } = await stepgraph(["test", file, "--json", "--coverage"]);
  const { cases, details, problem } = extension.readTestReport(out);
  assert.equal(problem, null);
  assert.deepEqual(
    cases.map(({ name, passed }) => [name, passed]),
    [
      ["takes b", true],
      ["fails", false],
    ],
  );
  assert.equal(cases[1].message, 'path[1]: expected "c", got "b"');
  const found = (name) => details.find((detail) => detail.name === name);
  assert.deepEqual(found("a").place, { line: 2, column: 2 });
  assert.equal(found("c").count, 0);
  assert.deepEqual(
    found("a → b").branches.map(({ label, count }) => [label, count > 0]),
    [
      ["true", true],
      ["false", false],
    ],
  );
});

test("a plan with errors has a problem, not results", async () => {
  const file = join(folder, "bad.plan.yaml");
  writeFileSync(file, "nodes:\n  a: {type: log}\nedges:\n  - {from: a, to: gone}\ntests:\n  - {name: one}\n");
  const { out } = await stepgraph(["test", file, "--json", "--coverage"]);
  const { cases, problem } = extension.readTestReport(out);
  assert.deepEqual(cases, []);
  assert.match(problem, /errors/);
});

test("the title of a cost has the bounds", async () => {
  const { out } = await stepgraph(["cost", join(root, "examples", "agent.yaml"), "--json"]);
  assert.equal(extension.costTitle(out), "At most 20 tool calls, 6 model turns");
  const hello = await stepgraph(["cost", join(root, "examples", "hello.yaml"), "--json"]);
  assert.equal(extension.costTitle(hello.out), null);
  assert.equal(extension.costTitle("no report"), null);
});

test("the webview has a strict policy, the theme and the language", () => {
  const html = extension.drawingHtml({
    script: 'https://files.test/a"b.js',
    source: "https://files.test",
    nonce: "once",
    theme: "dark",
    language: "es-MX",
  });
  const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(html);
  assert.match(policy, /^default-src 'none'; script-src https:\/\/files\.test 'nonce-once' blob: 'wasm-unsafe-eval';/);
  assert.match(policy, /connect-src blob:;/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
  assert.match(html, /src="https:\/\/files\.test\/a&quot;b\.js"/);
  assert.match(html, /<html lang="es">[^]*{"theme":"dark","lang":"es"/);
});

test("the extension has the package's version and licence, and restricts untrusted workspaces", () => {
  const read = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
  const own = read("editors", "vscode", "package.json");
  const { version, license } = read("package.json");
  assert.deepEqual([own.version, own.license], [version, license]);
  const { supported, restrictedConfigurations } = own.capabilities.untrustedWorkspaces;
  assert.equal(supported, "limited");
  assert.ok(restrictedConfigurations.includes("stepgraph.handlers"));
});
