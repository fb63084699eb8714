// Tests that the review compares recipients, values in words, and the order of what a request asks for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./scripts.mjs";

const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");
const { recipientsIn } = await load("../../wasm/js/request-review/recipients.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");

const call = (tool, input = {}) => ({ type: "tool", tool, input });
const order = call("get_order", { order_id: "A-1003" });
const refund = call("refund_order", { order_id: "A-1003" });
const stock = call("search_products", { query: "cup" });
const docs = call("search_docs", { query: "returns" });
const tell = (to = "support", text = "${last}") => call("send_message", { to, text });
const ticket = (team) => call("create_ticket", { title: "Look at ${output.order.order_id}", team });
const weather = (city) => call("weather", { city });
const drop = call("delete_file", { path: "notes/a.md" });
const read = call("read_file", { path: "notes/a.md" });
const think = { type: "llm", input: "${last}" };
const wait = (ms) => ({ type: "wait", with: { ms } });

function chain(nodes) {
  const ids = Object.keys(nodes);
  return { start: ids[0], nodes, edges: ids.slice(1).map((to, at) => ({ from: ids[at], to })) };
}

/** The planner claims all of its nodes for each sentence, unless `claims` says otherwise. */
function review(request, workflow, { params, claims } = {}) {
  const all = Object.keys(workflow.nodes);
  const coverage = Object.entries(claims ?? { [request]: all }).map(([text, nodes], at) => ({
    step: at + 1,
    text,
    nodes: [nodes].flat(),
  }));
  return demandsOf(request, { workflow, coverage, params }, DEMO_TOOLS).map(({ why }) => why ?? "met");
}

for (const [request, workflow, expected] of [
  ["Tell accounting about A-1003", chain({ order, tell: tell("accounting") }), "met"],
  ["Tell accounting about A-1003", chain({ order, tell: tell("contabilidad") }), "met"],
  ["Tell accounting about A-1003", chain({ order, tell: tell("shipping") }), "unmetRecipient"],
  ["Tell the accounting team about A-1003", chain({ order, tell: tell("accounting") }), "met"],
  ["Let Ana know that A-1003 is lost", chain({ order, tell: tell("ana@example.com") }), "met"],
  ["Let Ana know that A-1003 is lost", chain({ order, tell: tell("luis@example.com") }), "unmetRecipient"],
  ["Email Ana about A-1003", chain({ order, tell: tell("banana@example.com") }), "unmetRecipient"],
  ["Tell her about A-1003", chain({ order, tell: tell("ana@example.com") }), "met"],
  ["Tell the customer about A-1003", chain({ order, tell: tell("${output.order.customer}") }), "met"],
  ["Tell Ana about A-1003", chain({ order, tell: tell("${output.order.customer}") }), "unmetRecipient"],
  ["Avisa a contabilidad del pedido A-1003", chain({ order, tell: tell("accounting") }), "met"],
  ["Avisa a contabilidad del pedido A-1003", chain({ order, tell: tell("soporte") }), "unmetRecipient"],
  ["Mándale a Ana el pedido A-1003", chain({ order, tell: tell("luis@example.com") }), "unmetRecipient"],
  ["Open a ticket for shipping about A-1003", chain({ order, ticket: ticket("shipping") }), "met"],
  ["Open a ticket for shipping about A-1003", chain({ order, ticket: ticket("support") }), "unmetRecipient"],
  ["Abre un ticket para ingeniería sobre A-1003", chain({ order, ticket: ticket("shipping") }), "unmetRecipient"],
  ["Sing a song", chain({ drop }), "unclear"],
  ["Pide a soporte que llame a Ana", chain({ drop }), "unmetAction"],
  ["Pide a soporte que llame a Ana", chain({ tell: tell("soporte") }), "met"],
  ["Let the customer know about A-1003", chain({ order, think }), "unmetAction"],
  ["Look at A-1003 and mail it to them", chain({ order, think }), "met unmetAction"],
  ["Read the mail about A-1003", chain({ order, think }), "met"],
  ["Send A-1003 to Ana and a copy to Luis", chain({ order, tell: tell("ana") }), "met unmetRecipient"],
  ["Send A-1003 to Ana and a copy to Luis", chain({ order, tell: tell("ana"), copy: tell("luis") }), "met met"],
  ["Manda el pedido A-1003 a Ana y una copia a Luis", chain({ order, tell: tell("ana") }), "met unmetRecipient"],
  ["Open a ticket for the shipping team about A-1003", chain({ order, ticket: ticket("shipping") }), "met"],
  ["Quiero saber qué tickets tiene soporte", chain({ list: call("list_tickets", { team: "support" }) }), "met"],
  ["Never tell shipping about A-1003", chain({ order, tell: tell("support") }), "met"],
  ["Never tell shipping about A-1003", chain({ order, tell: tell("shipping") }), "unmetProhibition"],
  ["What is the weather in Oslo", chain({ sky: weather("Lima") }), "met"],
  ["Get the weather in Oslo", chain({ sky: weather("Lima") }), "unmetValue"],
  ["Get the weather in London", chain({ sky: weather("Londres") }), "met"],
  [
    "Ask support to answer, and tell Luis by Friday",
    chain({ tell: tell("luis", "today") }),
    "unmetRecipient unmetValue",
  ],
  ["Tell Luis to pay by Friday", chain({ tell: tell("luis", "Pay by Friday.") }), "met"],
  ["Di a Luis que pague antes del viernes", chain({ tell: tell("luis", "Paga antes del lunes.") }), "unmetValue"],
  ["Wait two hours, then tell support", chain({ pause: wait(7_200_000), tell: tell() }), "met met"],
  ["Wait two hours, then tell support", chain({ pause: wait("2h"), tell: tell() }), "met met"],
  ["Wait two hours, then tell support", chain({ pause: wait(2000), tell: tell() }), "unmetValue met"],
  ["Espera media hora y avisa a soporte", chain({ pause: wait(1_800_000), tell: tell() }), "met met"],
  ["Espera media hora y avisa a soporte", chain({ pause: wait(60_000), tell: tell() }), "unmetValue met"],
  ["Find at most three cups", chain({ stock }), "unmetValue"],
  ["Find at most three cups", chain({ stock: call("search_products", { query: "cup", limit: 3 }) }), "met"],
])
  test(`values in words: ${request} → ${expected}, ${JSON.stringify(workflow.nodes).slice(0, 120)}`, () => {
    assert.equal(review(request, workflow).join(" "), expected);
  });

for (const [request, claims, right] of [
  ["First check the stock of cups, then refund A-1003", { stock: "stock", refund: "refund" }, { stock, refund }],
  ["Check the stock of cups, then refund A-1003", { stock: "stock", refund: "refund" }, { stock, refund }],
  ["Check the stock of cups. After that, refund A-1003", { stock: "stock", refund: "refund" }, { stock, refund }],
  ["Before refunding A-1003, look up the help on returns", { all: ["docs", "refund"] }, { docs, refund }],
  ["Look up the help on returns before you refund A-1003", { all: ["docs", "refund"] }, { docs, refund }],
  ["Refund A-1003 after you have looked up the help on returns", { all: ["docs", "refund"] }, { docs, refund }],
  ["Refund A-1003. Once that is done, tell support", { refund: "refund", tell: "tell" }, { refund, tell: tell() }],
  ["Refund A-1003, but look up the help first", { refund: "refund", docs: "docs" }, { docs, refund }],
  ["Antes de borrar notes/a.md, léelo", { all: ["read", "drop"] }, { read, drop }],
  ["Borra notes/a.md después de leerlo", { all: ["read", "drop"] }, { read, drop }],
  ["Primero busca tazas y después reembolsa A-1003", { stock: "stock", refund: "refund" }, { stock, refund }],
  ["Reembolsa A-1003 y, una vez hecho, avisa a soporte", { refund: "refund", tell: "tell" }, { refund, tell: tell() }],
])
  test(`the order of nodes: ${request}`, () => {
    assert.deepEqual(
      review(request, chain(right), { claims }).filter((why) => why !== "met"),
      [],
    );
    const inverted = chain(Object.fromEntries(Object.entries(right).reverse()));
    assert.deepEqual(
      review(request, inverted, { claims }).filter((why) => why !== "met"),
      ["unmetOrder"],
    );
  });

test("branches that run at the same time have no order", () => {
  const at = (first, second) => ({
    type: "parallel",
    branches: { first: { nodes: { stock: first } }, second: { nodes: { refund: second } } },
  });
  const request = "Check the stock of cups, then refund A-1003";
  const claims = { stock: "both/first/stock", refund: "both/second/refund" };
  assert.deepEqual(review(request, { nodes: { both: at(stock, refund) }, edges: [] }, { claims }), [
    "met",
    "unmetOrder",
  ]);
});

test("what only reads may be done in any order", () => {
  const plan = chain({ stock, order });
  assert.deepEqual(
    review("Look at A-1003, then check the stock", plan, { claims: { look: "order", stock: "stock" } }),
    ["met", "met"],
  );
});

test("recipients are names, teams and whoever follows a verb of telling", () => {
  for (const [text, expected] of [
    ["Tell Dr. Smith about it", ["smith"]],
    ["Send the weather in Oslo to Ana", ["ana"]],
    ["Send it to the kitchen table", []],
    ["Tell me what happened", []],
    ["Tell marketing", ["marketing"]],
    ["Write it to notes/a.md", []],
    ["Dile a la Sra. García que espere", ["garcia"]],
    ["Envía el tiempo de Lima a soporte", ["soporte"]],
  ])
    assert.deepEqual(recipientsIn(text), expected, text);
});
