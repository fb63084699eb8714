// Tests the Spanish plan of a first visit: it says the same as the English one, and its tests pass.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { PlanGraph, run, runTests } from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";

const read = (...path) => readFileSync(join(root, ...path), "utf8");
const spanish = read("playground", "welcome", "triage.es.yaml");
const english = read("examples", "triage.yaml");

test("the Spanish plan has the nodes and edges of the English one, and passes its tests", async () => {
  const [own, other] = [spanish, english].map((text) => parse(text));
  const types = ({ nodes }) => Object.values(nodes).map(({ type }) => type);
  const places = ({ nodes, edges }) => {
    const ids = Object.keys(nodes);
    return edges.map(({ from, to }) => [ids.indexOf(from), ids.indexOf(to)]);
  };
  // The page knows the plan, and its stubs, by its id.
  assert.equal(own.id, other.id);
  assert.deepEqual(types(own), types(other));
  assert.deepEqual(places(own), places(other));
  const { graph } = PlanGraph.parse(spanish);
  assert.ok(graph.valid);
  const results = await runTests(graph);
  assert.ok(results.length > 4);
  assert.deepEqual(
    results.filter(({ passed }) => !passed),
    [],
  );
});

test("the Spanish plan runs with its stubs to a Spanish answer", async () => {
  const { graph } = PlanGraph.parse(spanish);
  const stubs = parse(read("playground", "welcome", "triage.es.stubs.yaml"));
  const report = await run(graph, { input: "No funciona", stubs });
  assert.equal(report.outcome.type, "completed");
  assert.equal(report.last, "Gracias. Se ocupa el equipo de ingeniería (ticket 4711).");
});
