/** Small plans and helpers for tests of the package. */
import assert from "node:assert/strict";
import { PlanGraph } from "../../dist/node.js";

/** The plan must have no errors. */
export function plan(text) {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  return graph;
}

/** Runs `a` of type `give`, then `yes` if the condition holds, otherwise `no`. */
export function decisionPlan(condition) {
  const nodes = { a: { type: "give" }, yes: { type: "noop" }, no: { type: "noop" } };
  return plan(
    JSON.stringify({
      start: "a",
      nodes,
      edges: [
        { from: "a", to: "yes", condition },
        { from: "a", to: "no" },
      ],
    }),
  );
}

export function chain(count) {
  const ids = Array.from({ length: count }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(ids.map((id) => [id, { type: "give" }]));
  return plan(JSON.stringify({ start: "n0", nodes, edges: ids.slice(1).map((to, i) => ({ from: ids[i], to })) }));
}

export function verdicts(trace) {
  return trace.flatMap((event) => (event.type === "edge-decided" ? event.verdicts : []));
}

export function deferred() {
  let resolve, reject;
  const promise = new Promise((done, fail) => ([resolve, reject] = [done, fail]));
  return { promise, resolve, reject };
}
