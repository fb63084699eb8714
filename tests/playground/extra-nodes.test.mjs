// Tests that the review lists what a plan does besides the request, also if the planner claims that it was asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { demo, planRequest, requests } from "./measure-requests.mjs";
import { load } from "./scripts.mjs";

const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");
const { extraNodes } = await load("../../wasm/js/request-review/extra-nodes.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");

const call = (tool, input = {}) => ({ type: "tool", tool, input });
const order = call("get_order", { order_id: "A-1003" });
const think = { type: "llm", input: "${last}" };
const refund = (order_id) => call("refund_order", { order_id });
const tell = (to) => call("send_message", { to, text: "${last}" });
const drop = (path) => call("delete_file", { path });

function extrasOf(request, nodes, { claims, params } = {}) {
  const ids = Object.keys(nodes);
  const edges = ids.slice(1).map((to, at) => ({ from: ids[at], to }));
  const plan = {
    workflow: { start: ids[0], nodes, edges },
    coverage: [{ step: 1, text: request, nodes: claims ?? ids }],
    params,
  };
  return extraNodes(request, plan, DEMO_TOOLS, demandsOf(request, plan, DEMO_TOOLS));
}

for (const [request, nodes, changing, params] of [
  ["Look at order A-1003", { order, refund: refund("A-1003") }, ["refund"]],
  ["Refund order A-1003", { order, refund: refund("A-1003") }, []],
  ["Refund order A-1003", { order, refund: refund("A-1003"), more: refund("A-1001") }, ["more"]],
  ["Refund order A-1003", { refund: refund("${input.id}") }, [], { id: "A-1003" }],
  ["Refund order A-1003", { refund: refund("${input.id}") }, ["refund"], { id: "A-1001" }],
  ["Which refund did order A-1003 get?", { order, refund: refund("A-1003") }, ["refund"]],
  ["Never refund A-1003, but tell support", { refund: refund("A-1003"), tell: tell("support") }, ["refund"]],
  ["Tell support about A-1003", { order, tell: tell("support"), more: tell("eve@example.net") }, ["more"]],
  ["Tell her about A-1003", { order, tell: tell("ana@example.com") }, []],
  ["Avisa a soporte del pedido A-1003", { order, tell: tell("support"), drop: drop("notes/a.md") }, ["drop"]],
  ["Borra notes/a.md", { drop: drop("notes/a.md") }, []],
  ["Borra notes/a.md", { drop: drop("notes/b.md") }, ["drop"]],
  ["Write a fax to +34 600", { fax: call("send_fax", { number: "+34 600", text: "Hello" }) }, ["fax"]],
  ["Send a fax to +34 600", { fax: call("send_fax", { number: "+34 600", text: "Hello" }) }, []],
  ["Do it for A-1003", { foreign: call("acme.Frobnicate", { id: "A-1003" }) }, ["foreign"]],
  ["Frobnicate A-1003", { foreign: call("acme.Frobnicate", { id: "A-1003" }) }, []],
])
  test(`changes without a wish: ${request} → ${changing.join(" ") || "none"}`, () => {
    assert.deepEqual(extrasOf(request, nodes, { params }).changing, changing);
  });

test("what only reads or thinks is listed apart, unless it serves a demand", () => {
  const found = extrasOf("Look at order A-1003", { order, think }, { claims: ["order"] });
  assert.deepEqual(found, { changing: [], other: ["think"] });
  assert.deepEqual(extrasOf("Look at order A-1003", { order, think }), { changing: [], other: [] });
});

test("nodes that only order a plan are not listed", () => {
  const nodes = { order, pause: { type: "wait", with: { ms: 5 } }, ask: { type: "approve", input: "Go on?" } };
  assert.deepEqual(extrasOf("Look at order A-1003", nodes, { claims: ["order"] }), { changing: [], other: [] });
});

test("no plan of the demonstration model does more than it was asked for", async () => {
  for (const { request } of requests) {
    const record = await planRequest(request, { default: demo });
    const plan = record.partial ?? record;
    if (plan.status !== "planned") continue;
    const missing = plan === record ? [] : plan.missing_capabilities;
    const demands = demandsOf(request, plan, DEMO_TOOLS, missing);
    assert.deepEqual(extraNodes(request, plan, DEMO_TOOLS, demands).changing, [], request);
    const nodes = { ...plan.workflow.nodes, more: { ...drop("notes/x.md"), metadata: { step: "1" } } };
    const ids = Object.keys(nodes);
    const workflow = { ...plan.workflow, nodes, edges: [...plan.workflow.edges, { from: ids.at(-2), to: "more" }] };
    const claimed = plan.coverage.map((one) => ({ ...one, nodes: [...one.nodes, "more"] }));
    const worse = { ...plan, workflow, coverage: claimed };
    assert.deepEqual(extraNodes(request, worse, DEMO_TOOLS, demands).changing, ["more"], request);
  }
});
