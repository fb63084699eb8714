// Tests plans that run other files, in library and editor, with the cases of `tests/suite/files`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { comparePlans, formatPlan, PlanDocument, toMermaid } from "../../dist/editor/node.js";
import { check, formatDiagnostics, PlanError, PlanGraph, readYaml, run } from "../../dist/node.js";
import { canonical } from "./canonical.mjs";

const { value } = readYaml(readFileSync(new URL("../suite/files/cases.yaml", import.meta.url), "utf8"));

const place = ({ file, line, column, severity, code }) =>
  `${file === undefined ? "" : `${file}:`}${line}:${column} ${severity}[${code}]`;

test("the library finds the mistakes of every case where they are", async () => {
  for (const { name, plan, files, expect } of value.cases) {
    // The library's callers give no reason: a file is there or not.
    if (Object.values(files).some((file) => typeof file !== "string")) continue;
    const expected = expect.map((line) => line.split(" ", 2).join(" "));
    const { graph, diagnostics } = PlanGraph.parse(plan, { files });
    assert.deepEqual(diagnostics.map(place), expected, name);
    assert.equal(
      graph.valid,
      diagnostics.every(({ severity }) => severity !== "error"),
      name,
    );
    for (const { file, span } of diagnostics) {
      const text = file === undefined ? plan : files[file];
      assert.ok(span.end <= text.length, `${name}: ${file} ${span.end}`);
    }
  }
});

test("a file and the same graph in place have one hash and one trace", async () => {
  const { plan, files, inlined } = value.cases.find((one) => one.inlined);
  const whole = PlanGraph.load(inlined);
  const joined = PlanGraph.load(plan, { files });
  assert.equal(joined.hash, whole.hash);
  assert.deepEqual(joined.nodes, whole.nodes);
  assert.deepEqual(joined.edges, whole.edges);
  assert.deepEqual(joined.toJSON(), whole.toJSON());
  const [one, other] = [await run(joined, { input: null }), await run(whole, { input: null })];
  assert.equal(one.outcome.type, "completed");
  assert.deepEqual(one.last, other.last);
  assert.deepEqual(canonical(one.trace), canonical(other.trace));
});

const PLAN = "nodes: {ask: {type: graph, input: {n: 1}, graph: ./sub/ask.yaml}}\n";
const ASK =
  'start: a\nnodes: {a: {type: approve, input: "${input.n}"}, b: {type: graph, graph: b.yml}}\nedges: [{from: a, to: b, condition: last==approved}]\n';
const B = "nodes: {c: {type: log, input: done}}";

test("`load` reads the files that become known, each once", async () => {
  const asked = [];
  const texts = { "sub/ask.yaml": ASK, "sub/b.yml": new TextEncoder().encode(B) };
  const graph = await PlanGraph.load(PLAN, {
    read: async (path) => {
      asked.push(path);
      return texts[path];
    },
  });
  assert.deepEqual(asked, ["sub/ask.yaml", "sub/b.yml"]);
  assert.equal(graph.hash, PlanGraph.load(PLAN, { files: { "./sub/ask.yaml": ASK, "sub/../sub/b.yml": B } }).hash);
  const half = await PlanGraph.load(PLAN, { files: { "sub/ask.yaml": ASK }, read: () => B });
  assert.equal(half.hash, graph.hash);
});

test("a file that is not there is a mistake of the plan", async () => {
  const failing = [
    [() => null, "can't read `sub/ask.yaml`: there is no such file"],
    [() => 5, "can't read `sub/ask.yaml`: `read` gave neither text nor bytes"],
    [() => Promise.reject(new Error("HTTP 404")), "can't read `sub/ask.yaml`: HTTP 404"],
    [() => Uint8Array.of(0xff), "can't read `sub/ask.yaml`: it is not UTF-8 text"],
  ];
  for (const [read, message] of failing) {
    await assert.rejects(PlanGraph.load(PLAN, { read }), (error) => {
      assert.ok(error instanceof PlanError && error.code === "plan/invalid");
      assert.deepEqual(
        error.diagnostics.map((found) => [found.code, found.message, found.line, found.column]),
        [["file/unreadable", message, 1, 50]],
      );
      return true;
    });
  }
  const { graph, diagnostics } = PlanGraph.parse(PLAN);
  assert.deepEqual([graph.valid, diagnostics.map(({ code }) => code)], [false, ["file/not-given"]]);
  const { outcome } = await run(graph);
  assert.deepEqual([outcome.type, outcome.code], ["failed", "run/invalid-plan"]);
});

test("a message shows the lines of the file", async () => {
  const files = { "sub/ask.yaml": 'nodes:\n  a: {type: log, input: "${outputs.b}"}\n  b: {typ: log}\n' };
  const { diagnostics } = PlanGraph.parse(PLAN, { files });
  const text = formatDiagnostics(diagnostics, { text: PLAN, files, name: "plans/main.yaml" });
  assert.match(text, /--> plans\/sub\/ask\.yaml:3:7\n {2}\|\n3 \| {3}b: \{typ: log\}\n {2}\| {7}\^\^\^/);
  assert.throws(
    () => PlanGraph.load(PLAN, { files }),
    ({ message }) => message.includes("--> sub/ask.yaml:3:7") && message.includes("b: {typ: log}"),
  );
  assert.match(formatDiagnostics(diagnostics, { text: PLAN }), /--> sub\/ask\.yaml:3:7\n {2}= help/);
});

test("checks of a host, and fixes, have their place in the file, too", () => {
  const file = "nodes: {first: {type: lgo}, second: {type: log}}\nedges:\n  - {from: first, to: secnd}\n";
  const { graph, diagnostics } = PlanGraph.parse(PLAN, { files: { "sub/ask.yaml": file } });
  assert.deepEqual(diagnostics.map(place), ["sub/ask.yaml:3:23 error[graph/unknown-node]"]);
  const [{ span, text }] = diagnostics[0].fix;
  assert.deepEqual([file.slice(span.start, span.end), text], ["secnd", "second"]);
  const found = check(graph, { tools: [], handlers: {} }).find(({ code }) => code === "graph/unknown-type");
  assert.equal(place(found), "sub/ask.yaml:1:23 error[graph/unknown-type]");
});

test("a paused run resumes from what was kept, without the files", async () => {
  const files = { "sub/ask.yaml": ASK, "sub/b.yml": B };
  const graph = PlanGraph.load(PLAN, { files });
  const paused = await run(graph);
  assert.equal(paused.outcome.type, "paused");
  const kept = [PlanGraph.print(graph), JSON.stringify(graph)];
  for (const text of kept) {
    const again = PlanGraph.load(text);
    assert.equal(again.hash, graph.hash);
    const { call } = paused.outcome.approval;
    const snapshot = JSON.parse(JSON.stringify(paused.snapshot));
    const done = await run(again, { snapshot, decisions: { [call]: "approved" } });
    assert.deepEqual([done.outcome.type, done.last], ["completed", "done"]);
  }
  const changed = PlanGraph.load(PLAN, { files: { ...files, "sub/b.yml": "nodes: {c: {type: log, input: other}}" } });
  const { outcome } = await run(changed, { snapshot: paused.snapshot });
  assert.equal(outcome.type, "failed");
  assert.match(outcome.message, /node `ask` was changed/);
});

test("misuse says what is wrong", () => {
  assert.throws(() => PlanGraph.parse(PLAN, { files: { "a.yaml": 1 } }), { code: "api/bad-option" });
  assert.throws(() => PlanGraph.parse(PLAN, { read: () => "" }), { code: "api/unknown-option" });
  assert.throws(() => PlanGraph.load(PLAN, { read: "a.yaml" }), { code: "api/bad-option" });
});

test("an editor shows a closed node, and mistakes of a file at its path", () => {
  const text =
    "start: one\nnodes:\n  one: {type: graph, graph: ./sub/ask.yaml}\n  two: {type: map, input: [1], do: b.json}\nedges: [{from: one, to: two}]\n";
  const document = new PlanDocument(text);
  const found = () => document.diagnostics().map((one) => `${place(one)} ${one.message}`);
  assert.deepEqual(document.missingFiles(), ["sub/ask.yaml", "b.json"]);
  assert.ok(document.diagnostics().every(({ code, severity }) => code === "file/not-given" && severity === "hint"));
  assert.deepEqual(
    document.fileLinks().map(({ path, span }) => [path, text.slice(span.start, span.end)]),
    [
      ["sub/ask.yaml", "./sub/ask.yaml"],
      ["b.json", "b.json"],
    ],
  );
  document.setFiles({ "sub/ask.yaml": ASK, "b.json": '{"nodes": {"x": {"typ": "log"}}}' });
  assert.deepEqual(document.missingFiles(), ["sub/b.yml"]);
  document.setFiles({
    "sub/ask.yaml": ASK,
    "sub/b.yml": { unreadable: "no" },
    "b.json": '{"nodes": {"x": {"typ": "log"}}}',
  });
  assert.deepEqual(found(), [
    "3:29 error[file/unreadable] sub/ask.yaml:2:74: can't read `sub/b.yml`: no",
    "4:36 error[graph/missing-type] b.json:1:18: node `x` has no type",
  ]);
  const { nodes } = document.diagram();
  assert.deepEqual(
    nodes.map(({ key, holds }) => [key, holds]),
    [
      ["one", ["one"]],
      ["two", ["two"]],
    ],
  );
  assert.deepEqual(formatPlan(text).changes, []);
  const { text: renamed } = document.edit([{ op: "rename_node", node: "one", to: "first" }]);
  assert.match(renamed, /first: \{type: graph, graph: \.\/sub\/ask\.yaml\}/);
  assert.deepEqual(document.complete(text.indexOf("ask.yaml")), []);
  assert.equal(document.definition(text.indexOf("ask.yaml")), null);
  document.change([{ span: { start: text.indexOf("./sub/ask.yaml"), end: text.indexOf("}\n  two") }, text: "b.json" }]);
  assert.deepEqual(document.missingFiles(), []);
  document.free();
});

test("drawings and comparisons know the files, or the paths", () => {
  const files = { "sub/ask.yaml": ASK, "sub/b.yml": B };
  assert.match(toMermaid(PlanGraph.load(PLAN, { files })).text, /done|c<br\/>log/);
  const closed = toMermaid(PLAN);
  assert.match(closed.text, /"ask<br\/>graph<br\/>\.\/sub\/ask\.yaml"/);
  const other = PLAN.replace("ask.yaml", "other.yaml");
  const paths = comparePlans(PLAN, other);
  assert.deepEqual(
    paths.changes.map(({ message }) => message),
    ["`ask` runs `./sub/other.yaml` now, not `./sub/ask.yaml`"],
  );
  const changed = { ...files, "sub/b.yml": "nodes: {c: {type: log, input: other}}" };
  const { same, changes } = comparePlans(PLAN, PLAN, { files: { before: files, after: changed } });
  assert.equal(same, false);
  assert.match(changes[0].message, /input/);
  const span = changes[0].spans.after;
  assert.equal(PLAN.slice(span.start, span.end), "./sub/ask.yaml");
});

test("a plan that always names new files is refused after a few hundred reads", async () => {
  let reads = 0;
  const read = async () => {
    reads++;
    return `nodes: {a: {type: graph, graph: ./l${reads}.yaml}, b: {type: graph, graph: ./r${reads}.yaml}}`;
  };
  await assert.rejects(PlanGraph.load("nodes: {a: {type: graph, graph: ./a.yaml}}", { read }), (error) => {
    assert.ok(error.diagnostics.some(({ code }) => code === "file/too-many"));
    return error.code === "plan/invalid";
  });
  assert.ok(reads < 300, `${reads} reads`);
});
