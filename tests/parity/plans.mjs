/** Small plans, and what tests of the package do with them again and again. */
import assert from "node:assert/strict";
import { PlanGraph } from "../../dist/node.js";

/** A plan that has nothing wrong with it. */
export function plan(text) {
  const { graph, diagnostics } = PlanGraph.parse(text);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  return graph;
}

/** A plan with one decision: node `a` of type `give`, then `yes` if the condition holds and `no` if it does not. */
export function one(condition) {
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

/** A plan of `count` nodes of type `give`, one after another. */
export function chain(count) {
  const ids = Array.from({ length: count }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(ids.map((id) => [id, { type: "give" }]));
  return plan(JSON.stringify({ start: "n0", nodes, edges: ids.slice(1).map((to, i) => ({ from: ids[i], to })) }));
}

/** The verdicts of all decisions of a trace. */
export function verdicts(trace) {
  return trace.flatMap((event) => (event.type === "edge-decided" ? event.verdicts : []));
}

/** A promise and what settles it. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((done, fail) => ([resolve, reject] = [done, fail]));
  return { promise, resolve, reject };
}
