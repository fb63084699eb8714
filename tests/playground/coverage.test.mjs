// Tests that the review of a request shows no demand as met that the plan does not meet.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./scripts.mjs";

const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");

const call = (tool, input = {}) => ({ type: "tool", tool, input });
const order = call("get_order", { order_id: "A-1003" });
const refund = call("refund_order", { order_id: "A-1003" });
const tell = (to = "support") => call("send_message", { to, text: "${last}" });
const ask = { type: "approve", input: "Go on?" };
const think = { type: "llm", input: "${last}" };
const APPROVED = "last==approved";

/** Nodes in order. `conditions` are those of the edges to a node. */
function chain(nodes, conditions = {}) {
  const ids = Object.keys(nodes);
  const edges = ids.slice(1).map((to, at) => {
    const condition = conditions[to] ?? (nodes[ids[at]].type === "approve" ? APPROVED : undefined);
    return { from: ids[at], to, ...(condition && { condition }) };
  });
  return { start: ids[0], nodes, edges };
}

/** `claims`: the planner's requirements with the nodes that it names for each. */
function review(request, workflow, claims, { params, unresolved, leftOut } = {}) {
  const coverage = Object.entries(claims).map(([text, nodes], at) => ({ step: at + 1, text, nodes: [nodes].flat() }));
  return demandsOf(request, { workflow, coverage, params, unresolved }, DEMO_TOOLS, leftOut);
}

const short = (demands) =>
  demands.map(
    ({ why, nodes, isKept, isLeftOut }) => (isLeftOut && "left out") || why || (isKept && "kept") || nodes.join(" "),
  );

test("a plan without a person does not meet a demand for an approval", () => {
  const request = "Look at order A-1003, wait for my approval, then tell support";
  const claims = { look: "order", approval: "ask", tell: "tell" };
  const careful = chain({ order, ask, tell: tell() });
  assert.deepEqual(short(review(request, careful, claims)), ["order", "ask", "tell"]);
  const forgetful = chain({ order, tell: tell() });
  assert.deepEqual(short(review(request, forgetful, { ...claims, approval: "order" })), [
    "order",
    "unmetApproval",
    "tell",
  ]);
  const late = chain({ order, tell: tell(), ask });
  assert.deepEqual(short(review(request, late, claims)), ["order", "unmetApproval", "tell"]);
  const deaf = chain({ order, ask, tell: tell() }, { tell: "always" });
  assert.deepEqual(short(review(request, deaf, claims)), ["order", "unmetApproval", "tell"]);
  // A second way around the person.
  const bypassed = { ...careful, edges: [...careful.edges, { from: "order", to: "tell", condition: "error.exists" }] };
  assert.deepEqual(short(review(request, bypassed, claims)), ["order", "unmetApproval", "tell"]);
  // The planner's own list does not hide what it leaves out.
  assert.deepEqual(short(review(request, careful, { "look at the order": "order", "tell support": "tell" }))[1], "ask");
  assert.deepEqual(
    short(review(request, forgetful, { "look at the order": "order", "tell support": "tell" }))[1],
    "unmetApproval",
  );
});

test("an amount is limited only by a condition", () => {
  const claims = { refund: ["order", "refund"], "never more than 20 euros": "think", "nunca más de 20 euros": "think" };
  for (const request of [
    "Refund order A-1003, but never more than 20 euros",
    "Reembolsa el pedido A-1003, pero nunca más de 20 euros",
  ]) {
    const open = review(request, chain({ order, think, refund }), claims);
    assert.deepEqual(short(open)[1], "unmetLimit", request);
    const limited = chain({ order, think, refund }, { refund: "output.order.total <= 20" });
    assert.equal(review(request, limited, claims)[1].why, undefined, request);
  }
});

test("what was left out is not in the plan for nothing", () => {
  const request = "Look at order A-1003. If it was delivered, refund it and tell accounting";
  const leftOut = ["If it was delivered, refund it and tell accounting"];
  assert.deepEqual(short(review(request, chain({ order }), { look: "order" }, { leftOut }))[1], "left out");
  const [, demand] = review(request, chain({ order, refund }), { look: "order" }, { leftOut });
  assert.equal(demand.isLeftOut, undefined);
  assert.notEqual(demand.why, undefined);
});

test("each wording of an approval needs a person before the change", () => {
  const plan = chain({ order, refund });
  const careful = chain({ order, ask, refund });
  for (const request of [
    "Refund A-1003 only after I approve",
    "Refund A-1003 once a human has confirmed it",
    "Refund A-1003 unless I say no, so ask me first",
    "Check with my manager before you refund A-1003",
    "Do not refund A-1003 without my OK",
    "Never refund A-1003 before I have signed it off",
    "I want to review it before you refund A-1003, so let me confirm",
    "Refund A-1003 with a person's approval: it needs approval",
    "Reembolsa A-1003 cuando dé mi visto bueno",
    "No reembolses A-1003 sin mi permiso",
    "Reembolsa A-1003, pero pregúntame antes",
    "Reembolsa A-1003 después de que lo autorice mi jefa",
    "Pídeme confirmación antes de reembolsar A-1003",
  ]) {
    const open = review(request, plan, { refund: ["order", "refund"] });
    assert.ok(
      open.some(({ why }) => why === "unmetApproval"),
      `${request}: ${short(open)}`,
    );
    const kept = review(request, careful, { refund: ["order", "ask", "refund"] });
    assert.deepEqual(
      kept.filter(({ why }) => why === "unmetApproval"),
      [],
      request,
    );
  }
});

for (const [request, workflow, expected] of [
  ["Tell support about order A-1003", chain({ order, think }), "unmetAction"],
  ["Tell support about order A-1003", chain({ order, tell: tell() }), "order tell"],
  ["Tell me about order A-1003", chain({ order, think }), "order think"],
  ["Send order A-1003 to ada@example.org", chain({ order, tell: tell("customer") }), "unmetValue"],
  ["Send order A-1003 to ada@example.org", chain({ order, tell: tell("ada@example.org") }), "order tell"],
  ["Send order A-1004 to support", chain({ order, tell: tell() }), "unmetValue"],
  ["Upload order A-1003 to Dropbox", chain({ order, tell: tell() }), "unmetAction"],
  ["Summarize order A-1003", chain({ order }), "unmetThought"],
  ["Summarize order A-1003", chain({ order, think }), "order think"],
  ["Cancel order A-1003", chain({ order, think }), "unmetAction"],
  // "Page" is no Spanish payment.
  ["Refund order A-1003", chain({ order, drop: call("delete_file", { path: "a.md" }) }), "unmetAction"],
  ["Never refund order A-1003", chain({ order, refund }), "unmetProhibition"],
  ["Never refund order A-1003", chain({ order, think }), "kept"],
  ["Never do that again with order A-1003", chain({ order, think }), "unclear"],
  ["Don’t change anything", chain({ order, tell: tell() }), "unmetProhibition"],
  ["Don't change anything", chain({ order, think }), "kept"],
  ["Tell support about A-1003 without refunding it", chain({ order, refund, tell: tell() }), "unmetProhibition"],
  ["Tell support about A-1003 without refunding it", chain({ order, tell: tell() }), "order tell"],
  ["No borres ningún archivo", chain({ drop: call("delete_file", { path: "a.md" }) }), "unmetProhibition"],
  ["Refund order A-1003 if it is lost", chain({ order, refund }), "unmetCondition"],
  ["Refund order A-1003 if it is lost", chain({ order, refund }, { refund: "last.status==lost" }), "order refund"],
  ["Refund at most 20 euros of A-1003", chain({ order, refund }), "unmetLimit"],
  ["Reembolsa el pedido A-1003 si se ha perdido", chain({ order, refund }), "unmetCondition"],
  ["Check if order A-1003 is lost", chain({ order, think }), "order think"],
  ["If A-1003 is lost, refund it after I approve", chain({ order, ask, refund }), "unmetCondition"],
  [
    "If A-1003 is lost, refund it after I approve",
    chain({ order, ask, refund }, { ask: "last.status==lost" }),
    "ask refund",
  ],
  ["Wait two hours before you look at A-1003", chain({ order, think }), "unmetWait"],
  [
    "Wait two hours before you look at A-1003",
    chain({ pause: { type: "wait", with: { ms: 7_200_000 } }, order }),
    "pause order",
  ],
  ["Every Monday, look at order A-1003", chain({ order, think }), "unmetSchedule"],
  ["Look at order A-1003 until it has arrived", chain({ order, think }), "unmetLoop"],
  ["Look at both orders in parallel", chain({ order, other: order }), "unmetParallel"],
  [
    "Look at both orders in parallel",
    { nodes: { both: { type: "parallel", branches: { a: { nodes: { order } }, b: { nodes: { order } } } } } },
    "both",
  ],
])
  test(`the review of one demand: ${request} → ${expected}`, () => {
    const found = short(review(request, workflow, { all: Object.keys(workflow.nodes) }));
    assert.deepEqual(found, [expected]);
  });

test("a choice that leads to the same node is no condition", () => {
  const request = "Refund order A-1003 if it is lost";
  const lost = { from: "order", to: "refund", condition: "last.status==lost" };
  const plan = (...edges) => ({ start: "order", nodes: { order, think, refund }, edges: [lost, ...edges] });
  const claims = { refund: ["order", "refund"] };
  const find = (...edges) => short(review(request, plan(...edges), claims));
  assert.deepEqual(find({ from: "order", to: "think" }), ["order refund"]);
  assert.deepEqual(find({ from: "order", to: "refund" }), ["unmetCondition"]);
  assert.deepEqual(find({ from: "order", to: "think" }, { from: "think", to: "refund" }), ["unmetCondition"]);
});

test("a node that no path reaches meets nothing", () => {
  const plan = { start: "order", nodes: { order, tell: tell() }, edges: [{ from: "tell", to: "order" }] };
  assert.deepEqual(short(review("Tell support about A-1003", plan, { tell: ["order", "tell"] })), ["unmetAction"]);
});

test("an agent without a list of tools may do anything", () => {
  const agent = { type: "agent", input: "${last}" };
  assert.deepEqual(short(review("Never refund it", chain({ agent }), { all: "agent" })), ["unmetProhibition"]);
  assert.deepEqual(short(review("Ask me before you change anything", chain({ agent }), { all: "agent" })), [
    "unmetApproval",
  ]);
  const reader = { ...agent, with: { tools: ["get_order"] } };
  assert.deepEqual(short(review("Never refund it", chain({ reader }), { all: "reader" })), ["kept"]);
});

test("only an edge of the person's own decision guards", () => {
  const request = "Ask me before you refund A-1003";
  for (const [condition, expected] of [
    ["last==approved", "ask refund"],
    ['last == "approved"', "ask refund"],
    ["last!=rejected", "ask refund"],
    ["output.ask==approved", "ask refund"],
    ["output.order.status==approved", "unmetApproval"],
    ["last==approved || always", "unmetApproval"],
    ["!last==approved", "unmetApproval"],
    ["last.exists", "unmetApproval"],
    ["last!=approved", "unmetApproval"],
  ]) {
    const plan = chain({ order, ask, refund }, { refund: condition });
    assert.deepEqual(short(review(request, plan, { all: ["order", "ask", "refund"] })), [expected], condition);
  }
});

test("names of inputs are no patterns", () => {
  const plan = chain({ order });
  const params = { "a(b": "A-1003", "[": "x" };
  assert.deepEqual(short(review("Look at order A-1003", plan, { look: "order" }, { params })), ["order"]);
});

test("nodes of nested graphs count, with what is around them", () => {
  const inner = { start: "refund", nodes: { refund }, edges: [] };
  const each = chain({ order, all: { type: "map", input: "${last}", do: inner } });
  assert.deepEqual(short(review("Refund each of them", each, { "refund each": "all/refund" })), ["all/refund"]);
  const guarded = chain({ ask, all: { type: "graph", graph: inner } });
  assert.deepEqual(short(review("Refund it after I approve", guarded, { refund: "all/refund", ask: "ask" })), [
    "ask all/refund",
  ]);
});

test("the value of an input counts where it is read", () => {
  const request = "Refund order A-1004";
  const refund = call("refund_order", { order_id: "${input.order_id}" });
  const params = { order_id: "A-1004", other: "A-1003" };
  assert.deepEqual(short(review(request, chain({ refund }), { refund: "refund" }, { params })), ["refund"]);
  assert.deepEqual(short(review("Refund order A-1003", chain({ refund }), { refund: "refund" }, { params })), [
    "unmetValue",
  ]);
});

test("a demand without a requirement of its own is met by an action with its values", () => {
  const request = "Reembolsa el pedido A-1003 y avisa a ada@example.org";
  const claims = {
    "pay the customer back": ["order", "refund"],
    "write to the customer": "tell",
    "be polite": "think",
  };
  const plan = chain({ order, refund, think, tell: tell("ada@example.org") });
  assert.deepEqual(short(review(request, plan, claims)), ["refund", "tell"]);
  const other = chain({ order, refund, think, tell: tell("eve@example.org") });
  assert.deepEqual(short(review(request, other, claims)), ["refund", "unmet"]);
});

test("what the planner could not resolve is a demand, and only agreed parts are left out", () => {
  const plan = chain({ order, think });
  const unresolved = [
    { code: "author/unserved-step", message: "no node serves a requirement: 2" },
    { code: "author/unguarded", message: "`refund_order` may run without the approval" },
  ];
  assert.deepEqual(short(review("Look at order A-1003", plan, { look: "order" }, { unresolved })), [
    "order",
    "unresolved",
    "unresolved",
  ]);
  const request = "Look at order A-1003, then print the order, and refund the order";
  const claims = { look: "order" };
  assert.deepEqual(short(review(request, plan, claims, { unresolved, leftOut: ["print the order"] })), [
    "order",
    "left out",
    "unmet",
    "unresolved",
  ]);
});

test("a sentence that is too long is not read, and shows red at once", () => {
  for (const text of ["a.".repeat(20_000), `before ${"before ".repeat(8000)}`, `a${"-a".repeat(20_000)}`])
    assert.deepEqual(short(review(text, chain({ order }), { all: "order" })), ["unclear"]);
});

test("a request in another language can't be checked", () => {
  const plan = chain({ order, refund });
  for (const request of [
    "Erstatte die Bestellung A-1003 erst nach meiner Freigabe, nicht ohne mich",
    "Rembourse la commande A-1003 après mon accord, pas avant, et je te dis quand",
    "注文を返金する前に承認を待ってください",
    "退款",
  ]) {
    const claims = { [request]: ["order", "refund"] };
    const found = review(request, plan, claims);
    assert.ok(found.length > 0 && found.every(({ why }) => why === "unclear"), `${request}: ${short(found)}`);
  }
});

test("a sentence that the plan meets in part names the nodes that do the rest", () => {
  const find = call("find_orders", { user_email: "ada@example.org" });
  const [filtered] = review("Find the orders of ada@example.org over 50 euros", chain({ find }), { find: "find" });
  assert.deepEqual([filtered.why, filtered.nodes], ["unmetValue", ["find"]]);
  const [late] = review("Refund order A-1003 if it is lost", chain({ order, refund }), { refund: "refund" });
  assert.deepEqual([late.why, late.nodes], ["unmetCondition", ["refund"]]);
  const [missing] = review("Delete notes/old.md", chain({ order }), { "delete it": "order" });
  assert.deepEqual([missing.why, missing.nodes], ["unmetAction", []]);
});
