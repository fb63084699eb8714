// Tests that plans which do all of a hard request are green: conditions, loops, parallel work and waits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { count, requests } from "./measure-requests.mjs";
import { at, call, judgePlans, one, order, plan, save, tell, think, ticket, wait, weather } from "./plan-shorthand.mjs";

/** By the beginning of the request. */
const PLANS = {
  "If it snows": plan({ sky: weather("Oslo"), tell: tell("support") }, "sky > tell if last.conditions==snow"),
  "Look at order A-1003 and refund": plan(
    { order: order("A-1003"), refund: call("refund_order", { order_id: "A-1003" }) },
    "order > refund if last.status==lost",
  ),
  "Look at order A-1001. When": plan(
    { order: order("A-1001"), tell: tell("ana@example.com"), ticket: ticket("shipping") },
    "order > tell if last.status==delivered",
    "order > ticket if default",
  ),
  "Get the rate": plan(
    { rate: call("exchange_rate", { from: "EUR", to: "USD" }), tell: tell("accounting") },
    "rate > tell if last.rate<=1.05",
  ),
  "Si llueve": plan({ sky: weather("Londres"), tell: tell("soporte") }, "sky > tell if last.conditions==rain"),
  "Mira el pedido A-1004": plan(
    { order: order("A-1004"), ticket: ticket("shipping") },
    "order > ticket if last.status==processing",
  ),
  "For each order": plan(
    {
      orders: call("find_orders", { user_email: "ana@example.com" }),
      each: { type: "map", input: "${last.orders}", do: one("ticket", ticket("shipping")) },
    },
    "orders > each",
  ),
  "Improve the text": plan(
    { read: call("read_file", { path: "notes/monday.md" }), better: think, judge: think, save: save("notes/short.md") },
    "read > better",
    "better > judge",
    "judge > better if last.contains:80",
    "judge > save if default",
  ),
  "Check order A-1004": plan(
    { order: order("A-1004"), pause: wait(60_000), tell: tell("luis@example.com") },
    "order > tell if last.status==shipped",
    "order > pause if default",
    "pause > order",
  ),
  "Lee cada archivo": plan(
    {
      files: call("list_files", { folder: "notes/" }),
      each: { type: "map", input: "${last.files}", do: one("read", call("read_file", { path: "${item}" })) },
      sum: think,
      save: save("drafts/resumen.md"),
    },
    "files > each",
    "each > sum",
    "sum > save",
  ),
  "Get the weather in Oslo": plan({ both: at(one("oslo", weather("Oslo")), one("lima", weather("Lima"))) }),
  "In parallel": plan(
    {
      both: at(one("order", order("A-1001")), one("tickets", call("list_tickets", { team: "shipping" }))),
      sum: think,
      save: save("reports/today.md"),
    },
    "both > sum",
    "sum > save",
  ),
  "Busca a la vez": plan({ both: at(one("madrid", weather("Madrid")), one("berlin", weather("Berlín"))) }),
  "Look at order A-1004, wait": plan(
    { order: order("A-1004"), pause: wait(7_200_000), again: order("A-1004"), tell: tell("luis@example.com") },
    "order > pause",
    "pause > again",
    "again > tell",
  ),
  "Tomorrow at 9": plan(
    {
      morning: { type: "wait", with: { until: "2026-03-03T09:00:00Z" } },
      sky: weather("Madrid"),
      tell: tell("ana@example.com"),
    },
    "morning > sky",
    "sky > tell",
  ),
  "Refund order A-1003 and tell": plan(
    { refund: call("refund_order", { order_id: "A-1003" }), pause: wait(600_000), tell: tell("accounting") },
    "refund > pause",
    "pause > tell",
  ),
  "Mira el pedido A-1001, espera": plan(
    { order: order("A-1001"), pause: wait(1_800_000), tell: tell("ana@example.com") },
    "order > pause",
    "pause > tell",
  ),
};

const judged = judgePlans(PLANS, requests);

for (const { request, valid, green, sentences } of judged)
  test(`a good plan is green: ${request}`, () => {
    assert.ok(valid);
    assert.deepEqual(
      sentences.filter(({ met, shown }) => !met || shown !== "green"),
      [],
    );
    assert.ok(green);
  });

test("all hard requests have a good plan, except those that no plan can meet", () => {
  const { plans, "false red": falseRed } = count(judged);
  assert.deepEqual([plans, falseRed], [17, 0]);
});
