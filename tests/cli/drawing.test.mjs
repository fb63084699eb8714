import assert from "node:assert/strict";
import { test } from "node:test";
import { dot, mermaid, unreachable } from "../../dist/cli/drawing.js";

const graph = {
  start: "ask it",
  nodes: {
    "ask it": { type: "tool", tool: "search" },
    decision: { type: "decision" },
    'a"];evil': { type: "<b>" },
    lost: { type: "noop" },
  },
  edges: [
    { from: "ask it", to: "decision" },
    { from: "decision", to: 'a"];evil', condition: 'last=="x|y"' },
    { from: "decision", to: "ask it", condition: "default" },
    { from: "decision", to: "not there" },
  ],
};

test("Mermaid: ids are ours, labels are escaped, start and unreachable nodes are marked", () => {
  assert.equal(mermaid(graph), `flowchart TD
  start((start))
  start --> n0
  n0["ask it<br/>tool: search"]
  n1{"decision"}
  n2["a#34;#93;#59;evil<br/>#60;b#62;"]
  n3["lost<br/>noop"]
  n0 --> n1
  n1 -->|"last==#34;x#124;y#34;"| n2
  n1 -->|"default"| n0
  classDef unreachable stroke-dasharray: 4 4
  class n3 unreachable
`);
});

test("Graphviz: the same", () => {
  assert.equal(dot(graph), `digraph plan {
  node [shape=box, style=rounded, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
  start [shape=circle, style=filled, label="", width=0.2];
  start -> n0;
  n0 [label="ask it\\ntool: search"];
  n1 [label="decision", shape=diamond];
  n2 [label="a\\"];evil\\n<b>"];
  n3 [label="lost\\nnoop", style="rounded,dashed"];
  n0 -> n1;
  n1 -> n2 [label="last==\\"x|y\\""];
  n1 -> n0 [label="default"];
}
`);
});

test("labels are one line of bounded length", () => {
  const long = { start: "a", nodes: { a: { type: "x\ny".repeat(10_000) } }, edges: [] };
  for (const draw of [mermaid, dot]) assert.ok(draw(long).split("\n").every((line) => line.length < 200));
});

test("a large plan is drawn in no time", () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
  const large = {
    start: "n0",
    nodes: Object.fromEntries(names.map((name) => [name, { type: "noop" }])),
    edges: [...names.slice(1).map((name, index) => ({ from: names[index], to: name })), ...names.map((name) => ({ from: "n0", to: name }))],
  };
  assert.deepEqual(unreachable(large), []);
  assert.equal(mermaid(large).split("\n").length, 60_003);
});

const nested = {
  start: "fan",
  nodes: { fan: { type: "parallel", inside: [{ name: "a", graph: { start: "x", nodes: { x: { type: "noop" }, y: { type: "noop" } }, edges: [] } }] } },
  edges: [],
};

test("a graph inside a node stands in a frame of its own", () => {
  assert.equal(mermaid(nested), `flowchart TD
  start((start))
  start --> n0
  n0["fan<br/>parallel"]
  subgraph n0_0["fan: a"]
    n0_0_start((" "))
    n0_0_start --> n0_0_0
    n0_0_0["x<br/>noop"]
    n0_0_1["y<br/>noop"]
  end
  n0 -.-> n0_0
  classDef unreachable stroke-dasharray: 4 4
  class n0_0_1 unreachable
`);
  assert.match(dot(nested), /subgraph cluster_n0_0 \{\n    label="fan: a"; .*\n    n0_0_start \[.*\n    n0_0_start -> n0_0_0;\n/);
});
