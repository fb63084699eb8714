// Tests the decisions and the page server of the Visual Studio Code extension, without an editor.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../scripts/lib/paths.mjs";
import { stepgraph } from "../cli/stepgraph.mjs";

const MODULES = ["minimal-edit", "test-report", "cost-title", "page-server", "drawing-html"];
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
  assert.match(cases[1].message, /path/);
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

test("the server of the page serves its folder only, behind a random path", async () => {
  const page = join(folder, "page");
  mkdirSync(page);
  writeFileSync(join(page, "index.html"), "the page");
  symlinkSync(join(folder, "minimal-edit.mjs"), join(page, "link.js"));
  const server = await extension.PageServer.start(page);
  try {
    const get = async (url, options) => (await fetch(url, options)).status;
    const answer = await fetch(`${server.url}?embed`);
    assert.equal(await answer.text(), "the page");
    assert.match(answer.headers.get("content-security-policy"), /connect-src 'self';/);
    assert.match(new URL(server.url).pathname, /^\/[0-9a-f]{32}\/$/);
    assert.equal(await get(new URL("/", server.url)), 404);
    assert.equal(await get(`${server.url}link.js`), 404);
    assert.equal(await get(`${server.url}..%2Fminimal-edit.mjs`), 404);
    assert.equal(await get(`${server.url}%`), 404);
    assert.equal(await get(server.url, { method: "POST" }), 404);
  } finally {
    server.dispose();
  }
});

test("the webview has a strict policy, and frames only the page", () => {
  const address = extension.pageAddress("http://127.0.0.1:5/x/", "dark", "es-MX");
  assert.equal(address, "http://127.0.0.1:5/x/?embed=&theme=dark&lang=es");
  const html = extension.drawingHtml(address, "once");
  assert.match(html, /default-src 'none'; frame-src http:\/\/127\.0\.0\.1:5; .*script-src 'nonce-once'"/);
  assert.doesNotMatch(html, /unsafe/);
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
