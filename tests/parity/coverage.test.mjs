// Tests plan coverage by traces: parts that runs reached, or cannot reach, and the drawing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { coverage, drawCoverage, PlanGraph, run, runTests } from "../../dist/node.js";

const load = (text) => PlanGraph.load(text);
const reportsOf = async (graph) => (await runTests(graph)).map(({ report }) => report);

const name = ({ kind, scope, node, to, holds, graph, limit }) =>
  [kind, [scope, node].filter(Boolean).join("/"), to && `-> ${to}`, holds, graph, limit]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
const missed = ({ parts }) => parts.filter(({ count, unreachable }) => count === 0 && !unreachable).map(name);
const unreachable = ({ parts }) => parts.filter((part) => part.unreachable).map(name);

const NESTED = `
start: fan/out%
limits: {visits: 3, steps: 100}
nodes:
  fan/out%:
    type: parallel
    branches:
      l/eft: {nodes: {x: {type: log}, y: {type: log}}, edges: [{from: x, to: y, condition: last.n > 1}]}
      right: {nodes: {x: {type: graph, graph: {nodes: {z: {type: log}}}}}}
  each:
    type: map
    input: "\${input.list}"
    do:
      nodes: {one: {type: log, input: "\${item}"}, two: {type: log}}
      edges: [{from: one, to: two, condition: last == 2}]
  fetch: {type: tool, tool: fetch, id: page, retry: {attempts: 2, backoff_ms: 1}}
  sorry: {type: log}
edges:
  - {from: fan/out%, to: each}
  - {from: each, to: fetch}
  - {from: fetch, to: sorry, condition: error.code == gone}
tests:
  - name: one
    input: {n: 2, list: [1, 2]}
    stubs: {tools: {fetch: {sequence: [{fail: busy}, {return: 1}]}}}
    expect: {}
`;

test("counts nodes, edges, both results of conditions, nested graphs, retries and limits", async () => {
  const graph = load(NESTED);
  const none = coverage(graph, []);
  assert.deepEqual([none.counts.all.covered, none.percent], [0, 0]);
  const found = coverage(graph, await reportsOf(graph));
  assert.deepEqual(
    Object.fromEntries(Object.entries(found.counts).map(([kind, { covered, total }]) => [kind, `${covered}/${total}`])),
    {
      node: "9/10",
      edge: "4/4",
      "error-edge": "0/1",
      condition: "4/6",
      graph: "4/4",
      retry: "1/1",
      limit: "0/2",
      all: "22/28",
    },
  );
  assert.deepEqual(missed(found), [
    "limit visits",
    "limit steps",
    "node sorry",
    "error-edge fetch -> sorry",
    "condition fetch -> sorry true",
    "condition fan/out%/l/eft/x -> y false",
  ]);
  assert.equal(found.parts.find((part) => name(part) === "node each/one").count, 2);
  assert.equal(found.percent, (100 * 22) / 28);
});

test("adds up several runs, also as JSON", async () => {
  const graph = load(
    "nodes: {a: {type: log}, b: {type: log}}\nedges: [{from: a, to: b, condition: input.n > 1}]\nstart: a",
  );
  const reports = [];
  for (const n of [1, 2, 3]) reports.push(await run(graph, { input: { n } }));
  const found = coverage(graph, JSON.parse(JSON.stringify(reports)));
  assert.deepEqual(
    found.parts.map((part) => [name(part), part.count]),
    [
      ["node a", 3],
      ["node b", 2],
      ["edge a -> b", 2],
      ["condition a -> b true", 2],
      ["condition a -> b false", 1],
    ],
  );
  assert.equal(found.percent, 100);
});

test("limits of visits count if a run exceeds them", async () => {
  const loop = (limits) =>
    load(`start: a
${limits}
edges: [{from: a, to: b, condition: input.exists}, {from: b, to: a, condition: input.exists}]
tests: [{name: t, input: 1, expect: {outcome: failed, code: run/visit-limit}}]
`);
  const own = loop("nodes: {a: {type: log, visits: 2}, b: {type: log}}");
  assert.deepEqual(
    missed(coverage(own, await reportsOf(own))).filter((part) => part.startsWith("limit")),
    [],
  );
  const plans = loop("limits: {visits: 2, calls: 9}\nnodes: {a: {type: log, visits: 5}, b: {type: log}}");
  assert.deepEqual(
    missed(coverage(plans, await reportsOf(plans))).filter((part) => part.startsWith("limit")),
    ["limit calls", "limit a visits"],
  );
});

test("names what no input reaches, apart from what the tests missed", async () => {
  const graph = PlanGraph.parse(`
start: a
nodes:
  a: {type: log, input: "\${input}"}
  b: {type: log}
  c: {type: log}
  dead: {type: graph, graph: {nodes: {x: {type: log}, y: {type: log}}, edges: [{from: x, to: y, condition: last == 1}]}}
edges:
  - {from: a, to: b, condition: last.n > 3}
  - {from: a, to: b, condition: last.n > 3}
  - {from: a, to: c, condition: "!(last.n > 3)"}
  - {from: a, to: dead}
  - {from: b, to: c, condition: default}
  - {from: b, to: a}
  - {from: c, to: b, condition: last.n == 1 && !last.n.exists}
`).graph;
  const found = coverage(graph, [await run(graph, { input: { n: 5 } })]);
  assert.deepEqual(unreachable(found), [
    "node dead",
    "edge a -> b",
    "condition a -> b true",
    "condition a -> b false",
    "condition a -> c false",
    "edge a -> dead",
    "edge b -> a",
    "graph dead dead",
    "node dead/x",
    "node dead/y",
    "edge dead/x -> y",
    "condition dead/x -> y true",
    "condition dead/x -> y false",
  ]);
  assert.ok(missed(found).includes("condition a -> b false"));
  assert.equal(found.counts.edge.unreachable, 4);
  assert.deepEqual(missed(coverage(graph, [])).length, found.counts.all.total);
});

test("a condition that refers to `error` makes an error edge", () => {
  const kinds = (condition) => {
    const graph = load(
      `nodes: {a: {type: log}, b: {type: log}}
start: a
edges: [{from: a, to: b, condition: ${JSON.stringify(condition)}}]`,
    );
    return coverage(graph, []).parts.find(({ edge }) => edge === 0).kind;
  };
  for (const condition of ["error.exists", "last.x == 1 || error.code == x", "!error.exists", 'error["code"] == x'])
    assert.equal(kinds(condition), "error-edge", condition);
  for (const condition of ["last == error", 'last == "error.code"', "last.error.exists", "output.a == 'error'"])
    assert.equal(kinds(condition), "edge", condition);
});

test("draws the plan as an SVG that stands alone", async () => {
  const graph = load(NESTED);
  const found = coverage(graph, await reportsOf(graph));
  const svg = drawCoverage(graph, found);
  assert.equal(svg, drawCoverage(load(NESTED), found));
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img" aria-labelledby="\S+ \S+" /);
  assert.match(svg, /<title id="coverage-title">Coverage of the plan: 78\.5 %<\/title>/);
  assert.match(svg, /<desc id="coverage-desc">Tests reach 22 of 28 parts\. 6 are missed, 0 can't be reached\.<\/desc>/);
  assert.match(svg, /<title>sorry: not covered, 0×<\/title>\n<rect [^>]*stroke-dasharray/);
  assert.match(svg, /<title>x → y, if last\.n &gt; 1: taken, but its condition was never false, 1×<\/title>/);
  for (const path of ["fan/out%/l/eft", "fan/out%/right", "fan/out%/right/x", "each"])
    assert.ok(svg.includes(`>graph ${path}<`), path);
  assert.doesNotMatch(svg.replace("http://www.w3.org/2000/svg", ""), /https?:|<script|<style|href/);
});

test("names of a plan can't break the drawing", () => {
  const graph = load(
    `nodes: {"<script>&\\"\\u0007\\u202e": {type: log}, b: {type: log}}\nstart: b\n` +
      `edges: [{from: b, to: "<script>&\\"\\u0007\\u202e"}, {from: b, to: b, condition: 'last == "]]>"'}]\nid: a<b`,
  );
  const svg = drawCoverage(graph, coverage(graph, []));
  assert.ok(svg.includes("Coverage of a&lt;b"));
  assert.doesNotMatch(svg, /<script|\u0007|\u202e|& /);
  assert.deepEqual(
    [...svg.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)].reduce(
      (depth, [, end, , empty]) => depth + (end ? -1 : empty ? 0 : 1),
      0,
    ),
    0,
  );
});

test("long chains, loops and many edges are drawn without a deep stack", () => {
  const number = 3000;
  const nodes = Array.from({ length: number }, (_, at) => `n${at}: {type: log}`).join(", ");
  const edges = Array.from({ length: number }, (_, at) => [
    `{from: n${at}, to: n${(at + 1) % number}, condition: last == ${at}}`,
    `{from: n${at}, to: n${(at * 7) % number}, condition: input == ${at}}`,
  ]).flat();
  const graph = load(`start: n0\nnodes: {${nodes}}\nedges: [${edges.join(", ")}]`);
  assert.equal(drawCoverage(graph, coverage(graph, [])).match(/<rect /g).length, number + 1);
});

test("misuse is refused", () => {
  const graph = load("nodes: {a: {type: log}}");
  assert.throws(() => coverage(null, []), { code: "api/invalid-plan" });
  for (const runs of [null, 3, "text", {}, [null], [{}]])
    assert.throws(() => coverage(graph, runs), { code: "api/bad-option" }, JSON.stringify(runs));
  assert.throws(() => drawCoverage(null, coverage(graph, [])), { code: "api/invalid-plan" });
  for (const wrong of [null, {}, { parts: 3 }])
    assert.throws(() => drawCoverage(graph, wrong), { code: "api/bad-option" }, JSON.stringify(wrong));
});
