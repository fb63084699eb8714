// Tests the choices that the demonstration model plans: their review, and which call a run makes.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as engine from "../../dist/node.js";
import { demo, judge, planRequest } from "./measure-requests.mjs";
import { load } from "./scripts.mjs";

const { DemoTools } = await load("connect/demo-tools.ts");

/** The tools that a run calls. */
async function calledTools({ workflow, params }) {
  const called = [];
  const tools = new DemoTools({ pace: 0 });
  const report = await engine.run(engine.PlanGraph.parse(JSON.stringify(workflow)).graph, {
    input: params,
    tools: [tools],
    onApproval: () => "approved",
    onEvent: (event) => event.type === "node-started" && called.push(workflow.nodes[event.node]?.tool),
  });
  assert.equal(report.outcome.type, "completed", JSON.stringify(report));
  return called.map((tool) => tool ?? "approve");
}

const CASES = [
  {
    request: "Find order A-1001. If it is late, refund it, otherwise thank the customer.",
    needs: {
      "If it is late, refund it": ["get_order", "refund_order", "condition refund_order"],
      "otherwise thank the customer": ["send_message", "to customer", "condition send_message"],
    },
    calls: ["get_order", "today", "send_message"],
  },
  {
    request: "Look up order A-1003. If it is lost, refund it; otherwise tell ana@example.com that it is on its way.",
    needs: {
      "If it is lost, refund it": ["get_order", "refund_order", "condition refund_order"],
      "otherwise tell ana@example.com": ["send_message", "to ana@example.com", "condition send_message"],
    },
    calls: ["get_order", "refund_order"],
  },
  {
    request: "If the order A-1003 is late, refund 40 EUR after I approve, otherwise thank the customer",
    needs: {
      "refund 40 EUR after I approve": ["refund_order", "approval refund_order", "condition approve", "has 40"],
      "otherwise thank the customer": ["send_message", "to customer", "condition send_message"],
    },
    calls: ["get_order", "today", "approve", "refund_order"],
  },
  {
    request: "If order A-1001 is delayed, ask me for approval and refund €40.50; otherwise say thanks to the customer.",
    needs: {
      "ask me for approval and refund €40.50": ["approval refund_order", "condition approve", "has 40.5"],
      "otherwise say thanks": ["send_message", "to customer", "condition send_message"],
    },
    calls: ["get_order", "today", "send_message"],
  },
  {
    request: "Find order A-1001. If it is late, refund it, but ask me first.",
    needs: {
      "If it is late, refund it": ["get_order", "refund_order", "condition refund_order"],
      "but ask me first": ["approval refund_order"],
    },
    calls: ["get_order", "today"],
  },
  {
    request:
      "Si el pedido A-1003 llega tarde, reembolsa 40 EUR después de que yo lo apruebe; si no, da las gracias al cliente.",
    needs: {
      "reembolsa 40 EUR después de que yo lo apruebe": ["approval refund_order", "condition approve", "has 40"],
      "si no, da las gracias": ["send_message", "to cliente", "condition send_message"],
    },
    calls: ["get_order", "today", "approve", "refund_order"],
  },
  {
    request:
      "Si el pedido A-1003 lleva retraso, pídeme permiso y reembolsa 40 €; en caso contrario, agradezca al cliente.",
    needs: {
      "pídeme permiso y reembolsa 40 €": ["approval refund_order", "condition approve", "has 40"],
      "en caso contrario, agradezca": ["send_message", "to cliente", "condition send_message"],
    },
    calls: ["get_order", "today", "approve", "refund_order"],
  },
  {
    request: "If order A-1002 is lost, refund it.",
    needs: { "If order A-1002 is lost, refund it": ["get_order", "refund_order", "condition refund_order"] },
    calls: ["get_order"],
  },
  {
    request: "Busca el pedido A-1003. Si está retrasado, reembólsalo, si no, avise a luis@example.com.",
    needs: {
      "Si está retrasado, reembólsalo": ["get_order", "refund_order", "condition refund_order"],
      "si no, avise a luis@example.com": ["send_message", "to luis@example.com", "condition send_message"],
    },
    calls: ["get_order", "today", "refund_order"],
  },
  {
    request: "Busca el pedido A-1003. Si está entregado, dele las gracias al cliente, si no, avise a luis@example.com.",
    needs: {
      "Si está entregado, dele las gracias": ["send_message", "to cliente", "condition send_message"],
      "si no, avise a luis@example.com": ["send_message", "to luis@example.com", "condition send_message"],
    },
    calls: ["get_order", "send_message"],
  },
];

for (const { request, needs, calls } of CASES)
  test(`plans: ${request}`, async () => {
    const record = await planRequest(request, { default: demo });
    assert.equal(record.status, "planned", record.message);
    const { green, sentences } = judge(record, { needs });
    assert.ok(
      sentences.every(({ met }) => met),
      JSON.stringify(sentences),
    );
    assert.ok(green, JSON.stringify(sentences));
    assert.deepEqual(await calledTools(record), calls);
  });

for (const request of [
  "Find orders A-1001 and A-1002. If they are late, refund them.",
  "Find order A-1001. If it is red, refund it.",
  "Find order A-1001. If it is not late, thank the customer.",
  "Find order A-1001. If it is late, refund it, otherwise thank the customer. Then write notes/monday.md.",
  "Wait ten minutes and check order A-1004. If it is shipped, tell ana@example.com.",
  "If order A-1003 is late, refund it after I approve and delete notes/monday.md, otherwise thank the customer.",
  "If order A-1003 is late, refund it, otherwise thank the customer, but ask me first. Then tell ana@example.com.",
  "Find order A-1001. If it is late, thank the customer and refund it.",
  "If it is sunny in Oslo, refund order A-1001.",
  "Find order A-1001. If it is late and cost more than 10 euros, refund it.",
])
  test(`says what it can't do: ${request}`, async () => {
    const record = await planRequest(request, { default: demo });
    assert.notEqual(record.status, "planned");
    const missing = record.missing_capabilities;
    assert.ok(
      missing.some((text) => /^(?:if|wait)/i.test(text)),
      JSON.stringify(missing),
    );
  });
