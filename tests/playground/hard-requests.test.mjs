// Tests the review of thirty hard requests: with good plans, with those plans made worse, and with the demonstration
// model's plans.

import assert from "node:assert/strict";
import { test } from "node:test";
import { count, demo, hardRequests, judge, planRequest } from "./measure-requests.mjs";
import {
  at,
  call,
  judgePlan,
  judgePlans,
  one,
  order,
  plan,
  save,
  tell,
  think,
  ticket,
  wait,
  weather,
} from "./plan-shorthand.mjs";

const HOUR = 3_600_000;
const refund = (order_id) => call("refund_order", { order_id });
const read = (path) => call("read_file", { path });
const drop = (path) => call("delete_file", { path });
const files = (folder) => call("list_files", { folder });
const ask = { type: "approve", input: "Go on?" };
const each = (graph) => ({ type: "map", input: "${last}", do: graph });
const high = (team) => call("create_ticket", { title: "Look at it", team, priority: "high" });

const PLANS = {
  "If order A-1003 is lost": plan(
    { order: order("A-1003"), refund: refund("A-1003"), tell: tell("luis@example.com") },
    "order > refund if last.status==lost && last.total>20",
    "order > tell if default",
  ),
  "Check the weather in Tokyo": plan(
    { sky: weather("Tokyo"), save: save("notes/walk.md") },
    "sky > save if last.conditions==sunny",
  ),
  "Go through all files": plan(
    {
      files: files("drafts/"),
      ask,
      each: each(plan({ read: read("${item}"), drop: drop("${item}") }, "read > drop if last.text.contains:price")),
    },
    "files > ask",
    "ask > each if last==approved",
  ),
  "Keep rewriting": plan(
    {
      read: read("notes/monday.md"),
      better: think,
      judge: { ...think, with: { visits: 5 } },
      save: save("drafts/short.md"),
    },
    "read > better",
    "better > judge",
    "judge > better if last.contains:50",
    "judge > save if default",
  ),
  "Simultaneously look": plan(
    { both: at(one("first", order("A-1001")), one("second", order("A-1002"))), write: think, tell: tell("shipping") },
    "both > write",
    "write > tell",
  ),
  "Tell ana@example.com that order A-1002": plan(
    { order: order("A-1002"), ana: tell("ana@example.com"), pause: wait(72 * HOUR), support: tell("support") },
    "order > ana",
    "ana > pause",
    "pause > support",
  ),
  "Send the weather in Berlin": plan(
    { pause: wait(HOUR / 2), sky: weather("Berlin"), tell: tell("support") },
    "pause > sky",
    "sky > tell",
  ),
  "Before refunding order A-1002": plan(
    { help: call("search_docs", { query: "returns" }), refund: refund("A-1002") },
    "help > refund",
  ),
  "Read notes/monday.md and": plan(
    { monday: read("notes/monday.md"), tuesday: read("notes/tuesday.md") },
    "monday > tuesday",
  ),
  "Summarize notes/tea.md": plan(
    {
      read: read("notes/tea.md"),
      write: { ...think, input: "At most 30 words: ${last}" },
      save: save("drafts/tea.md"),
    },
    "read > write",
    "write > save",
  ),
  "Find a cup": plan(
    {
      cup: call("search_products", { query: "cup", max_price: 15 }),
      rate: call("exchange_rate", { from: "EUR", to: "USD" }),
      write: think,
      tell: tell("accounting"),
    },
    "cup > rate",
    "rate > write",
    "write > tell",
  ),
  "Open a ticket for engineering": plan(
    { read: read("notes/missing.md"), ticket: high("engineering") },
    "read > ticket if error.exists",
  ),
  "Have Marta confirm": plan(
    { order: order("A-1003"), ask, refund: refund("A-1003"), tell: tell("marta") },
    "order > ask",
    "ask > refund if last==approved",
    "refund > tell",
  ),
  "Fetch the report": plan(
    {
      both: at(
        one("report", call("slow_report", { topic: "tea" })),
        one("open", call("list_tickets", { team: "accounting" })),
      ),
      ask,
      tell: tell("ana@example.com"),
    },
    "both > ask",
    "ask > tell if last==approved",
  ),
  "Si el pedido A-1001": plan(
    { order: order("A-1001"), tell: tell("ana@example.com"), pause: wait(HOUR) },
    "order > tell if last.status==delivered",
    "order > pause if default",
    "pause > order",
  ),
  "Por cada ticket": plan(
    {
      open: call("list_tickets", { team: "engineering" }),
      each: each(one("save", save("notes/${item.ticket_id}.md"))),
    },
    "open > each",
  ),
  "Antes de borrar": plan(
    {
      read: read("drafts/old-price-list.md"),
      tell: tell("contabilidad"),
      drop: drop("drafts/old-price-list.md"),
    },
    "read > tell",
    "tell > drop",
  ),
  "Mira a la vez": plan(
    {
      both: at(one("quito", weather("Quito")), one("lima", weather("Lima"))),
      write: think,
      save: save("notes/calor.md"),
    },
    "both > write",
    "write > save",
  ),
  "No reembolses": plan({ order: order("A-1002"), refund: refund("A-1002") }, "order > refund if last.status==lost"),
  "Reembolsa el pedido A-1003": plan(
    { order: order("A-1003"), ask, refund: refund("A-1003"), tell: tell("luis@example.com") },
    "order > ask",
    "ask > refund if last==approved",
    "refund > tell",
  ),
  "Reescribe notes/tuesday.md": plan(
    { read: read("notes/tuesday.md"), better: think, judge: { ...think, with: { visits: 3 } }, done: { type: "noop" } },
    "read > better",
    "better > judge",
    "judge > better if last.contains:40",
    "judge > done if default",
  ),
  "Resume notes/monday.md": plan(
    { read: read("notes/monday.md"), write: think, ask, tell: tell("ingeniería") },
    "read > write",
    "write > ask",
    "ask > tell if last==approved",
  ),
  "Busca té verde": plan(
    { tea: call("search_products", { query: "té verde", max_price: 5 }), ticket: ticket("shipping") },
    "tea > ticket if last.products[0].stock<10",
  ),
  "Lista los archivos": plan({ files: files("notes/") }),
  "Espera diez minutos": plan(
    { pause: wait(600_000), order: order("A-1004"), tell: tell("luis@example.com") },
    "pause > order",
    "order > tell if last.status==shipped",
  ),
  "Primero consulta": plan(
    { rate: call("exchange_rate", { from: "EUR", to: "USD" }), tell: tell("contabilidad") },
    "rate > tell",
  ),
  "Abre un ticket de prioridad alta": plan({
    both: at(one("support", high("support")), one("engineering", high("engineering"))),
  }),
  "Borra como mucho": plan(
    { files: files("drafts/"), ask, each: { ...each(one("drop", drop("${item}"))), with: { limit: 2 } } },
    "files > ask",
    "ask > each if last==approved",
  ),
};

/** What a condition reads, and a file that a step lists, is not compared with the words of the request. */
const KNOWN = [
  "without changes: No reembolses el pedido A-1002 a menos que esté perdido.",
  "without a first read: If order A-1003 is lost and cost more than 20 euros, refund it; if not, tell luis@example.com.",
  "without a first read: No reembolses el pedido A-1002 a menos que esté perdido.",
  "without a first read: Borra como mucho dos archivos de drafts/, y déjame confirmar cada borrado.",
];

const good = judgePlans(PLANS, hardRequests);

for (const { request, sentences } of good)
  test(`a good plan of a hard request is green: ${request}`, () => {
    assert.deepEqual(
      sentences.filter(({ met, shown }) => !met || shown !== "green"),
      [],
    );
  });

/** Nested graphs stay as they are. Each returns null if it changes nothing. */
const WORSE = {
  "in reverse": (workflow) => {
    const ids = Object.keys(workflow.nodes).reverse();
    if (ids.length < 2 || workflow.edges.some(({ condition }) => condition !== undefined)) return null;
    return { ...workflow, start: ids[0], edges: ids.slice(1).map((to, index) => ({ from: ids[index], to })) };
  },
  "to another recipient": (workflow) =>
    withInputs(workflow, "send_message", (input) => ({ ...input, to: "eve@example.net" })),
  "for another team": (workflow) => withInputs(workflow, "create_ticket", (input) => ({ ...input, team: "billing" })),
  "without conditions": (workflow) => {
    const edges = workflow.edges.map(({ from, to }) => ({ from, to }));
    return workflow.edges.some(({ condition }) => condition) ? { ...workflow, edges } : null;
  },
  "with a short wait": (workflow) =>
    changed(
      workflow,
      (node) => node.type === "wait",
      () => wait(1),
    ),
  "without people": (workflow) =>
    changed(
      workflow,
      (node) => node.type === "approve",
      () => ({ type: "noop" }),
    ),
  "without changes": (workflow) =>
    changed(
      workflow,
      (node) => /send|refund|delete|write|create/.test(node.tool ?? ""),
      () => think,
    ),
  "without a first read": (workflow) =>
    changed(
      workflow,
      (node, id) => id === workflow.start && node.type === "tool",
      () => ({ type: "noop" }),
    ),
};

function changed(workflow, picks, change) {
  const entries = Object.entries(workflow.nodes);
  if (!entries.some(([id, node]) => picks(node, id))) return null;
  const nodes = Object.fromEntries(entries.map(([id, node]) => [id, picks(node, id) ? change(node) : node]));
  return { ...workflow, nodes };
}

const withInputs = (workflow, tool, change) =>
  changed(
    workflow,
    (node) => node.tool === tool,
    (node) => ({ ...node, input: change(node.input) }),
  );

const worse = Object.entries(WORSE).flatMap(([name, change]) =>
  good.flatMap((one_) => {
    const workflow = change(one_.workflow);
    return workflow === null ? [] : [{ name, ...one_, ...judgePlan(workflow, one_) }];
  }),
);

test("no worse plan that misses a sentence is green, and few such sentences are", () => {
  assert.ok(worse.length > 60);
  const missing = worse.filter(({ sentences }) => sentences.some(({ met }) => !met));
  assert.deepEqual(
    missing.filter(({ green }) => green).map(({ name, request }) => `${name}: ${request}`),
    KNOWN,
  );
  const { sentences, "false green": falseGreen } = count(missing);
  assert.deepEqual({ plans: missing.length, sentences, falseGreen }, { plans: 78, sentences: 178, falseGreen: 6 });
});

test("the demonstration model's plans of hard requests have no unmet sentence that is green", async () => {
  const judged = await Promise.all(
    hardRequests.map(async (asked) => judge(await planRequest(asked.request, { default: demo }), asked)),
  );
  assert.deepEqual(count(judged), {
    plans: 17,
    green: 15,
    "green plans with a sentence unmet": 0,
    sentences: 39,
    met: 27,
    // "A copy to accounting", which the plan sends before the deletion that it must follow.
    "false green": 1,
    "false red": 0,
    "approvals asked": 4,
    "approvals in the plan": 4,
    "approvals missing and not red": 0,
  });
});
