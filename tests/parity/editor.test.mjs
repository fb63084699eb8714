// Tests the editor module from JavaScript: values and offsets survive the boundary, and misuse has an error.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { editPlan, PlanDocument, PlanError, readYaml, tokenKinds } from "../../dist/editor/node.js";
import { check, PlanError as EnginesError, PlanGraph } from "../../dist/node.js";

const examples = readdirSync("examples").filter((name) => name.endsWith(".yaml") && !name.endsWith(".stubs.yaml"));
const example = (name) => readFileSync(`examples/${name}`, "utf8");

function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const applyChanges = (text, changes) =>
  changes
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((done, { span, text: put }) => done.slice(0, span.start) + put + done.slice(span.end), text);

test("a changed document answers like a new document with the same text", () => {
  const pieces = ["a", " ", "\n", ":", "- ", "😀", "ü", "{", "}", '"', "  x: 1\n", "\r\n", "${last}", "", "", ""];
  const next = numbers(7);
  for (const name of examples) {
    let text = example(name);
    const document = new PlanDocument(text);
    for (let round = 0; round < 40; round++) {
      const places = Array.from({ length: 1 + next(3) }, () => next(text.length + 1)).sort((a, b) => a - b);
      const changes = places.map((start, index) => ({
        span: { start, end: Math.min(start + next(4), places[index + 1] ?? text.length) },
        text: pieces[next(pieces.length)],
      }));
      // Editors never split characters. A separate test covers that.
      const whole = changes.every(({ span }) =>
        [span.start, span.end].every((at) => !/[\udc00-\udfff]/.test(text[at] ?? "")),
      );
      if (!whole) continue;
      document.change(next(2) === 0 ? changes : changes.toReversed());
      text = applyChanges(text, changes);
    }
    assert.equal(document.text, text);
    const anew = new PlanDocument(text);
    assert.deepEqual(document.diagnostics(), anew.diagnostics());
    for (const one of [document, anew]) one.free();
  }
});

test("the editor finds the diagnostics of the engine, at the same positions", () => {
  for (const name of examples) {
    for (const text of [
      example(name),
      example(name).replace("type:", "tpye:"),
      `# 😀\n${example(name).slice(0, 300)}`,
    ]) {
      const document = new PlanDocument(text);
      const { graph, diagnostics } = PlanGraph.parse(text);
      const further = graph ? check(graph) : [];
      const key = ({ code, span, message }) => `${code} ${span?.start} ${span?.end} ${message}`;
      assert.deepEqual(
        [...new Set(document.diagnostics().map(key))].sort(),
        [...new Set([...diagnostics, ...further].map(key))].sort(),
        name,
      );
    }
  }
});

test("a replaced text is reduced to its differences", () => {
  const cases = [
    ["abc", "abXc"],
    ["😀a", "😁a"],
    ["a😀", "a😁"],
    ["aaa", "aa"],
    ["", "x"],
    ["x", ""],
    ["😀", ""],
    ["a\u{1f600}b\u{1f600}", "a\u{1f600}\u{1f600}"],
  ];
  for (const [before, after] of cases) {
    const document = new PlanDocument(before);
    document.setText(after);
    assert.equal(document.text, after);
    document.change([{ span: { start: after.length, end: after.length }, text: "!" }]);
    assert.equal(document.text, `${after}!`);
  }
});

test("half a surrogate pair is one unit wide, as in a string", () => {
  const document = new PlanDocument("x😀y");
  document.change([{ span: { start: 2, end: 3 }, text: "" }]);
  assert.equal(document.text, "x\ufffdy");
  document.change([{ span: { start: 1, end: 2 }, text: "\ud83d" }]);
  assert.equal(document.text, "x\ufffdy");
});

test("the last diagram outlives a broken text", () => {
  const document = new PlanDocument(
    "nodes:\n  a: {type: log}\n  b: {type: noop, description: ends}\nedges: [{from: a, to: b, condition: last==1}]\nlayout: {a: [1, 2]}\n",
  );
  const { nodes, edges, current, layout } = document.diagram();
  assert.deepEqual(
    nodes.map(({ key, type, start, description }) => [key, type, start, description]),
    [
      ["a", "log", true, null],
      ["b", "noop", false, "ends"],
    ],
  );
  assert.deepEqual(
    edges.map(({ from, to, condition, fallback }) => [from, to, condition, fallback]),
    [["a", "b", "last==1", false]],
  );
  assert.deepEqual([current, layout], [true, { a: [1, 2] }]);
  const [{ keySpan }] = nodes;
  assert.equal(document.text.slice(keySpan.start, keySpan.end), "a");
  const good = document.text;
  document.change([{ span: { start: 0, end: 0 }, text: "[" }]);
  const broken = document.diagram();
  assert.deepEqual([broken.current, broken.text, broken.nodes.length], [false, good, 2]);
  const empty = new PlanDocument("");
  assert.deepEqual(empty.diagram().nodes, []);
  const lost = new PlanDocument("nodes: {a: {type: log}}\nedges: [{from: a, to: b}, {from: a}, 1]\n").diagram();
  assert.deepEqual(
    lost.edges.map(({ from, to, broken }) => [from, to, broken]),
    [
      ["a", "b", true],
      ["a", null, true],
      [null, null, true],
    ],
  );
});

test("operations return text changes, and undo restores every byte", () => {
  const text = "# 😀 greets\nnodes:\n  a: {type: log} # first\n  b: {type: noop}\nedges:\n  - {from: a, to: b}\n";
  const document = new PlanDocument(text);
  const edits = [
    { op: "rename_node", node: "a", to: "hello" },
    { op: "set_condition", edge: 0, condition: "last.exists" },
  ];
  const { changes, text: after, undo, refused } = document.edit(edits);
  assert.equal(refused, null);
  assert.equal(document.text, text, "it is worked out, and not done");
  assert.equal(
    after,
    "# 😀 greets\nnodes:\n  hello: {type: log} # first\n  b: {type: noop}\nedges:\n  - {from: hello, to: b, condition: last.exists}\n",
  );
  document.change(changes);
  assert.equal(document.text, after);
  document.change(undo);
  assert.equal(document.text, text);
  assert.equal(editPlan(text, edits).text, after);
});

test("nodes become a graph of their own, and are put back", () => {
  const plan =
    "start: a\nnodes:\n  a: {type: log, input: x} # first\n  b: {type: noop}\n  c: {type: noop}\nedges:\n  - {from: a, to: b}\n  - {from: b, to: c}\n";
  const grouped = editPlan(plan, [{ op: "group_nodes", nodes: ["a", "b"], to: "both" }]);
  assert.equal(grouped.refused, null);
  assert.deepEqual(
    PlanGraph.parse(grouped.text).graph.nodes.map(({ scope, key }) => [scope ?? "", key]),
    [
      ["", "both"],
      ["", "c"],
      ["both", "a"],
      ["both", "b"],
    ],
  );
  assert.match(grouped.text, /# first/);
  const apart = editPlan(grouped.text, [{ op: "ungroup_node", node: "both" }]);
  assert.deepEqual(PlanGraph.parse(apart.text).graph.hash, PlanGraph.parse(plan).graph.hash);
});

test("an impossible edit is refused with a position and changes nothing", () => {
  const document = new PlanDocument("nodes: {a: {type: log}}\n");
  const result = document.edit([
    { op: "set_start", node: "a" },
    { op: "remove_node", node: "b" },
  ]);
  assert.deepEqual([result.changes, result.undo, result.text], [[], [], document.text]);
  assert.equal(result.refused.code, "edit/no-such-place");
  const broken = editPlan("nodes: [", [{ op: "remove_node", node: "a" }]);
  assert.equal(broken.refused.code, "edit/unreadable");
});

test("misuse of any entry throws a PlanError", () => {
  const document = new PlanDocument("nodes: {a: {type: log}}\n");
  const freed = new PlanDocument("");
  freed.free();
  freed.free();
  const cases = [
    [() => freed.text.length + freed.complete(0), "api/freed"],
    [() => document.change([{ span: { start: 2, end: 1 }, text: "" }]), "api/bad-change"],
    [() => document.change([{ span: { start: 0.5, end: 1 }, text: "" }]), "api/bad-change"],
    [
      () =>
        document.change([
          { span: { start: 0, end: 2 }, text: "" },
          { span: { start: 1, end: 3 }, text: "" },
        ]),
      "api/bad-change",
    ],
    [() => document.change([{ span: { start: 0, end: 2 } }]), "api/bad-change"],
    [() => document.hover(-1), "api/bad-offset"],
    [() => document.complete(Number.NaN), "api/bad-offset"],
    [() => document.edit([{ op: "remove_nod", node: "a" }]), "api/bad-edit"],
    [() => editPlan("", [{ op: "remove_node" }]), "api/bad-edit"],
    [() => document.edit({ op: "remove_node", node: "a" }), "api/bad-edit"],
  ];
  for (const [work, code] of cases)
    assert.throws(
      work,
      (error) => error instanceof PlanError && error instanceof EnginesError && error.code === code,
      code,
    );
  assert.equal(document.text, "nodes: {a: {type: log}}\n");
  assert.ok(!(new TypeError("x") instanceof PlanError));
});

test("an offset behind the end means the end", () => {
  const document = new PlanDocument("a: 1\n");
  document.change([{ span: { start: 99, end: 1e12 }, text: "b: 2\n" }]);
  assert.equal(document.text, "a: 1\nb: 2\n");
  assert.ok(Array.isArray(document.complete(1e12)));
});

test("at every place of every example every question has an answer", () => {
  for (const name of examples) {
    const text = example(name);
    const document = new PlanDocument(text);
    const within = (span) =>
      assert.ok(span.start >= 0 && span.start <= span.end && span.end <= text.length, JSON.stringify(span));
    for (let at = 0; at <= text.length; at += 7) {
      for (const { edit } of document.complete(at)) within(edit.span);
      const hover = document.hover(at);
      if (hover) within(hover.span);
      const definition = document.definition(at);
      if (definition) within(definition);
      const references = document.references(at);
      references.forEach(within);
      const name = document.prepareRename(at);
      if (name) assert.equal(text.slice(name.span.start, name.span.end), name.name);
    }
    const tokens = document.tokens();
    for (let i = 0; i < tokens.length; i += 4)
      assert.ok(tokens[i] < tokens[i + 1] && tokens[i + 1] <= text.length && tokens[i + 2] < tokenKinds.length);
  }
});

test("files next to plans are read with the same strictness", () => {
  assert.deepEqual(readYaml("tools: {find: {return: 1}}\n"), {
    value: { tools: { find: { return: 1 } } },
    diagnostics: [],
  });
  assert.equal(readYaml("a: 1\na: 2\n").diagnostics[0].code, "graph/duplicate-key");
});
