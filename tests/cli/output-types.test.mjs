// Tests that each output type has every output of a run, also in nested graphs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../../dist/node.js";
import { check, PlanGraph, planDeclaration, review } from "../../dist/package-internals.js";
import { compile } from "./compile.mjs";
import { file } from "./stepgraph.mjs";

function outputsOf(graph) {
  return /export type Outputs = ([^]*?);\n\n/.exec(planDeclaration({ graph, review: review(graph) }))[1];
}

function typeOf(node) {
  const graph = PlanGraph.load(JSON.stringify({ start: "it", nodes: { it: node } }));
  const [, type] = /\bit\?: ([^]*?); \[name/.exec(outputsOf(graph).replace(/\s+/g, " "));
  graph.free();
  return type;
}

const log = (input) => ({ type: "log", input });
const graph = (nodes, edges = []) => ({ nodes, edges });
const number = graph({ a: log(1) });
const text = graph({ a: { type: "llm", input: "hi" } });

const table = [
  [{ type: "graph", graph: number }, "number"],
  [{ type: "graph", input: "x", graph: graph({ a: { type: "noop" } }) }, "string"],
  [{ type: "graph", graph: graph({ a: log(1), b: log("x") }, [{ from: "a", to: "b" }]) }, "string"],
  [
    { type: "graph", graph: graph({ a: log(1), b: log("x") }, [{ from: "a", to: "b", condition: "last == 1" }]) },
    "number | string",
  ],
  [{ type: "graph", graph: graph({ a: { type: "approve", input: 1 } }) }, "unknown"],
  [{ type: "parallel", branches: { one: number, two: text } }, "{ one: number; two: string; }"],
  [{ type: "parallel", with: { join: "any" }, branches: { one: number, two: text } }, "number | string"],
  [
    { type: "parallel", with: { join: "settled" }, branches: { one: number } },
    '{ one: { status: "completed"; value: number; } | { status: "failed"; error: unknown; }; }',
  ],
  [{ type: "parallel", branches: { "o/ne": number } }, '{ "o/ne": unknown; }'],
  [{ type: "map", input: [1], do: text }, "string[]"],
  [{ type: "map", input: [1], do: graph({ a: { type: "noop" } }) }, "unknown[]"],
  [{ type: "map", input: [1], with: { join: "any" }, do: text }, "string"],
  [{ type: "map", input: [[1]], do: graph({ m: { type: "map", do: number } }) }, "number[][]"],
];
for (const [node, type] of table) test(JSON.stringify(node), () => assert.equal(typeOf(node), type));

test("types that double at each step are cut", () => {
  const nodes = { n0: { type: "set", with: { values: { a: 1, b: "x" } } } };
  const edges = [];
  const pass = graph({ x: { type: "noop" } });
  for (let at = 1; at <= 30; at++) {
    nodes[`n${at}`] = { type: "parallel", branches: { a: pass, b: pass } };
    edges.push({ from: `n${at - 1}`, to: `n${at}` });
  }
  const plan = PlanGraph.load(JSON.stringify({ start: "n0", nodes, edges }));
  assert.ok(outputsOf(plan).length < 300_000);
  plan.free();
});

test("random plans: each output of a run is one of the type", async () => {
  const random = generator(11);
  const lines = [];
  for (let at = 0; at < 150; at++) {
    const plan = PlanGraph.parse(JSON.stringify(randomGraph(random, 3))).graph;
    assert.ok(plan !== null && check(plan).every(({ severity }) => severity !== "error"), JSON.stringify(plan));
    const models = { default: () => (random(4) === 0 ? Promise.reject(new Error("no answer")) : "hi") };
    lines.push(`type T${at} = ${outputsOf(plan)};`);
    for (const input of ["x", 1]) {
      const { outputs } = await run(plan, { input, models });
      lines.push(`// ${JSON.stringify(plan.toJSON())}`);
      lines.push(`export const v${at}_${input} = (it: ${JSON.stringify(outputs)}): T${at} => it;`);
    }
    plan.free();
  }
  const known = lines.filter((line) => line.startsWith("type") && /number|string/.test(line)).length;
  assert.ok(known > 60, `${known}`);
  compile([file("outputs.ts", `${lines.join("\n")}\n`)]);
});

function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Conditional edges skip or end some nodes. */
function randomGraph(random, depth) {
  const names = ["a", "b", "c", "d"].slice(0, 1 + random(4));
  const nodes = Object.fromEntries(names.map((name) => [name, randomNode(random, depth)]));
  const edges = names.slice(1).map((to, at) => ({
    from: names[at],
    to,
    ...(random(3) === 0 && { condition: random(2) === 0 ? "last == 1" : "error.exists" }),
  }));
  if (names.length > 2 && random(3) === 0) edges.push({ from: names[0], to: names[2], condition: "last == 'x'" });
  return { start: names[0], nodes, edges };
}

function randomNode(random, depth) {
  const inner = () => randomGraph(random, depth - 1);
  const join = random(2) === 0 ? {} : { with: { join: ["all", "any", "settled"][random(3)] } };
  switch (random(depth > 0 ? 8 : 5)) {
    case 0:
      return { type: "noop" };
    case 1:
      return { type: "llm", input: "say" };
    case 2:
      return { type: "set", with: { values: { a: 1, b: ["x", 2], c: "${last}" } } };
    case 3:
      return random(2) === 0 ? log(["x", 1, true, null, { a: "x" }][random(5)]) : { type: "log" };
    case 4:
      return { type: "decision" };
    case 5:
      return { type: "graph", ...(random(2) === 0 && { input: 1 }), graph: inner() };
    case 6:
      return { type: "parallel", ...join, branches: { one: inner(), two: inner() } };
    default:
      return { type: "map", input: [1, "x"].slice(random(3)), ...join, do: inner() };
  }
}
