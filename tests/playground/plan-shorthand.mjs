// Short forms of nodes and plans, and the review of a plan that was written by hand.

import assert from "node:assert/strict";
import { PlanGraph } from "../../dist/node.js";
import { judge } from "./measure-requests.mjs";
import { load } from "./scripts.mjs";

const { clauses } = await load("../../wasm/js/request-review/sentences.ts");

export const call = (tool, input = {}) => ({ type: "tool", tool, input });
export const order = (order_id) => call("get_order", { order_id });
export const weather = (city) => call("weather", { city });
export const tell = (to) => call("send_message", { to, text: "${last}" });
export const ticket = (team) => call("create_ticket", { title: "Look at it", team });
export const save = (path) => call("write_file", { path, text: "${last}" });
export const think = { type: "llm", input: "${last}" };
export const wait = (ms) => ({ type: "wait", with: { ms } });
export const one = (id, node) => ({ nodes: { [id]: node } });
export const plan = (nodes, ...edges) => ({
  start: Object.keys(nodes)[0],
  nodes,
  edges: edges.map((edge) => {
    const [, from, to, condition] = /^(\w+) > (\w+)(?: if (.*))?$/.exec(edge);
    return { from, to, ...(condition && { condition }) };
  }),
});
export const at = (first, second) => ({ type: "parallel", branches: { first, second } });

/** Each plan is found by the beginning of its request. The planner claims each node for each sentence. */
export function judgePlans(plans, requests) {
  return Object.entries(plans).map(([opening, workflow]) => {
    const found = requests.filter(({ request }) => request.startsWith(opening));
    assert.equal(found.length, 1, opening);
    return { ...found[0], workflow, ...judgePlan(workflow, found[0]) };
  });
}

export function judgePlan(workflow, one) {
  const { graph } = PlanGraph.parse(JSON.stringify(workflow), { format: "json" });
  const nodes = graph.nodes.map(({ id, scope = "" }) => [scope, id].filter(Boolean).join("/"));
  const coverage = clauses(one.request).map((text, at) => ({ step: at + 1, text, nodes }));
  const record = { request: one.request, status: "planned", workflow, params: {}, coverage, unresolved: [] };
  return { valid: graph.valid, ...judge(record, one) };
}
