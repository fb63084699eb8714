// Tests that the demonstration model meets each demand of simple requests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import * as engine from "../../dist/node.js";
import { root } from "../../scripts/lib/paths.mjs";
import { load } from "./scripts.mjs";

const { DemoTools } = await load("connect/demo-tools.ts");
const { DEMO_TOOLS } = await load("connect/demo-tool-list.ts");
const { demoModel } = await load("connect/demo-model.ts");
const { clauses } = await load("../../wasm/js/request-review/sentences.ts");
const { demandsOf } = await load("../../wasm/js/request-review/demands.ts");
const { requestedCalls } = await load("connect/demo-intents.ts");
const OFFERED = DEMO_TOOLS.map((tool) => ({ ...tool, input_schema: tool.inputSchema ?? tool.input_schema }));
const requests = parse(readFileSync(join(root, "tests", "playground", "requests.yaml"), "utf8"));

for (const { request, tools = [], approve = false, status = "planned" } of requests)
  test(`the plan does what is asked: ${request}`, async () => {
    const result = await engine.flows.author(
      { user_input: request },
      { tools: [new DemoTools({ pace: 0 })], models: { default: demoModel({ pace: 0 }) } },
    );
    assert.equal(result.status, status, JSON.stringify(result.errors ?? result.outcome ?? result.message));
    if (status !== "planned") return;
    const nodes = result.workflow.nodes;
    const called = Object.values(nodes).flatMap(({ tool }) => tool ?? []);
    assert.deepEqual([...new Set(called)].sort(), [...tools].sort());
    const people = Object.keys(nodes).filter((id) => nodes[id].type === "approve");
    assert.equal(people.length, approve ? 1 : 0);
    const unmet = demandsOf(request, result, DEMO_TOOLS).filter(({ why }) => why !== undefined);
    assert.deepEqual(unmet, []);
  });

test("addresses, files, numbers and abbreviations stay whole", () => {
  assert.deepEqual(clauses("Send it to ada@example.org. Dr. Ada Smith pays 3.50 for notes/v2.1.md, e.g. today."), [
    "Send it to ada@example.org",
    "Dr. Ada Smith pays 3.50 for notes/v2.1.md, e.g. today",
  ]);
  assert.deepEqual(clauses("Draft a note, wait for my approval, then send it"), [
    "Draft a note",
    "wait for my approval",
    "send it",
  ]);
  assert.deepEqual(clauses("Mira el tiempo de Quito y de Lima y guárdalo después de leerlo, y luego avisa a Ana"), [
    "Mira el tiempo de Quito y de Lima",
    "guárdalo después de leerlo",
    "avisa a Ana",
  ]);
});

const receivers = (request) =>
  requestedCalls(request, OFFERED).flatMap(({ name, arguments: { to } }) => (name === "send_message" ? [to] : []));

test("a message goes to those whom its own sentence names", () => {
  for (const text of ["avisa", "avise", "notifica", "notifíquele", "infórmale", "avisa por favor"])
    assert.deepEqual(receivers(`Mire el pedido A-1003 del cliente y ${text} a contabilidad`), ["contabilidad"], text);
  for (const [text, expected] of [
    ["Mire los pedidos de ada@example.org y avise a contabilidad", ["contabilidad"]],
    ["Look at the orders of ada@example.org and tell accounting", ["accounting"]],
    ["Avisa a los de contabilidad", ["contabilidad"]],
    ["Avisa al cliente y a contabilidad", ["cliente", "contabilidad"]],
    ["Tell the customer and accounting", ["customer", "accounting"]],
    ["Send it to ada@example.org and bob@example.org", ["ada@example.org", "bob@example.org"]],
    ["It belongs to luis@example.com. Tell Luis.", ["luis@example.com"]],
    ["Tell them about it", ["them"]],
  ])
    assert.deepEqual(receivers(text), expected, text);
});

test("a number of times, results or hours is no price", () => {
  const priceIn = (request) =>
    requestedCalls(request, OFFERED).flatMap(({ name, arguments: { max_price } }) =>
      name === "search_products" ? [max_price] : [],
    );
  for (const [text, expected] of [
    ["Search the products under 20.50 euros", [20.5]],
    ["Search the products up to 30", [30]],
    ["Search the products. Retry up to 3 times.", [undefined]],
    ["Search the products. Retry up to 30 times.", [undefined]],
    ["Search the products, at most 5 results", [undefined]],
    ["Busca productos. Reintenta hasta 3 veces.", [undefined]],
    ["Busca productos de menos de 20,50 euros", [20.5]],
  ])
    assert.deepEqual(priceIn(text), expected, text);
});
