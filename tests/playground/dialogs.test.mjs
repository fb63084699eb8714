// Tests the dialogs without a page: gallery search, the planner's plan, and its stages' texts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import * as engine from "../../dist/node.js";
import { load } from "./scripts.mjs";

const { matchingPlans, PLANS, textOf } = await load("dialogs/gallery-plans.ts");
const { callsAsPlan, reviewFlow, printPlan } = await load("connect/planner-output.ts");
const { missingContext, namedCalls, stageFindings } = await load("dialogs/stage-summary.ts");
const { valueText } = await load("dialogs/short-values.ts");
const { idFromRequest, nameFromRequest } = await load("dialogs/request-name.ts");
const { gatherAnswer } = await load("dialogs/run-planner.ts");
const { DemoTools } = await load("connect/demo-tools.ts");
const { demoModel } = await load("connect/demo-model.ts");
const { FINDINGS: headlines, t } = await load("dialogs/i18n.ts");

const offer = () => ({ tools: [new DemoTools({ pace: 0 })], models: { default: demoModel({ pace: 0 }) } });
const choice = (some) =>
  matchingPlans({ lang: "en", search: "", seed: "", feature: "", level: 0, ...some }).map(({ id }) => id);

test("plans are found by words in any order, without accents and case, and by filters", () => {
  assert.equal(choice({}).length, PLANS.length);
  assert.deepEqual(choice({ search: "parcel COME" }), ["branches"]);
  assert.deepEqual(choice({ lang: "es", search: "APROBACION" }), choice({ search: "approval" }));
  assert.deepEqual(choice({ seed: "004" }), ["author"]);
  assert.ok(choice({ feature: "loops" }).length > 1 && choice({ feature: "loops", level: 1 }).length === 0);
  assert.deepEqual(choice({ search: "zebra" }), []);
});

test("one thing is counted in the singular", () => {
  for (const [lang, expected] of [
    ["en", ["1 model call", "2 model calls", "connected, 1 tool", "connected, 0 tools"]],
    ["es", ["1 llamada al modelo", "2 llamadas al modelo", "conectado, 1 herramienta", "conectado, 0 herramientas"]],
  ]) {
    globalThis.document = { documentElement: { lang } };
    const said = [t("modelTurns", 1), t("modelTurns", 2), t("ready", 1), t("ready", 0)];
    delete globalThis.document;
    assert.deepEqual(said, expected);
  }
});

test("the texts are those of the files", async () => {
  for (const lang of ["en", "es"]) {
    const file = readFileSync(join(root, "examples", "gallery", lang, "loop.yaml"), "utf8");
    assert.equal(await textOf("loop", lang), file);
  }
});

test("a written plan has the request as a comment and its values as defaults, and runs as requested", async () => {
  for (const [request, words] of [
    [
      "What should I wear in Oslo today? Save it to notes/oslo.md",
      { head: "Planned for the request:", steps: "To be done:" },
    ],
    ["Mira el pedido A-1003, reembólsalo y avisa a contabilidad.", { head: "Planificado para:", steps: "Por hacer:" }],
  ]) {
    const made = await engine.flows.author(request, offer());
    assert.equal(made.status, "planned");
    const text = printPlan(engine, request, made, ["first", "second"], words);
    assert.ok(text.startsWith(`# ${words.head}\n#   ${request.slice(0, 20)}`), text);
    assert.ok(text.includes("#   2. second"));
    assert.match(text, /\n(?:#.*\n)*id: [a-z\d-]{5,32}\n/);
    const { graph, diagnostics } = engine.PlanGraph.parse(text);
    assert.deepEqual(diagnostics, []);
    const report = await engine.run(graph, { ...offer(), allow: true });
    assert.equal(report.outcome.type, "completed", JSON.stringify(report.outcome));
  }
});

test("no server that a model names gets into a plan, and values fit their kinds", () => {
  const workflow = {
    servers: { evil: { url: "https://evil.example" } },
    inputs: { n: { type: "integer" }, on: { type: "boolean" }, s: { type: "string" } },
    nodes: { a: { type: "log" } },
  };
  const text = printPlan(engine, "do\nit", { workflow, params: { n: "20", on: "true", s: "20" } }, [], {
    head: "For:",
    steps: "",
  });
  assert.ok(!text.includes("evil"), text);
  const { inputs } = engine.PlanGraph.parse(text).graph.toJSON();
  assert.deepEqual(
    Object.values(inputs).map((one) => one.default),
    [20, true, "20"],
  );
});

test("planned calls become a plan: one node each, references between nodes, and trusted values from the context", async () => {
  const calls = [
    { tool_name: "find_orders", parameters: { user_email: "ana@example.com" }, reasoning: "to know them" },
    { tool_name: "get_order", parameters: { order_id: "${call[0].orders[0].order_id}" }, reasoning: null },
    { tool_name: "get_order", parameters: { order_id: "A-1003" }, reasoning: "" },
  ];
  const text = callsAsPlan(engine, "Where are my orders?", { tool_calls: calls }, ["user_email"], {
    head: "Calls for:",
  });
  const { graph, diagnostics } = engine.PlanGraph.parse(text);
  assert.deepEqual(diagnostics, []);
  const { nodes } = graph.toJSON();
  assert.deepEqual(Object.keys(nodes), ["find_orders", "get_order", "get_order_2"]);
  assert.deepEqual(
    [nodes.find_orders.input, nodes.get_order.input],
    [{ user_email: "${context.user_email}" }, { order_id: "${output.find_orders.orders[0].order_id}" }],
  );
  const report = await engine.run(graph, { ...offer(), context: { user_email: "ana@example.com" } });
  assert.deepEqual(report.path, ["find_orders", "get_order", "get_order_2"]);
});

test("the calls of a tool plan run only after the user's consent", async () => {
  const { graph, diagnostics } = engine.PlanGraph.parse(reviewFlow(engine).source);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  const asked = (decision) =>
    engine.run(graph, {
      ...offer(),
      input: "Where are my orders?",
      context: { user_email: "ana@example.com" },
      onApproval: () => decision,
    });
  assert.deepEqual((await asked("rejected")).path, ["plan", "review"]);
  const report = await asked("approved");
  assert.deepEqual(report.path, ["plan", "review", "gather", "answer"]);
  assert.match(String(report.last), /A-1001/);
});

test("each stage of the planner shows its result when the next stage starts", async () => {
  const lines = {};
  await engine.flows.author("What should I wear in Oslo?", {
    ...offer(),
    onEvent: (event) =>
      event.type === "node-started" &&
      stageFindings(event.node, event.input).forEach(([node, text]) => (lines[node] = text)),
  });
  assert.deepEqual(lines, {
    parameter_discovery: "city = Oslo",
    requirements_analysis: "What should I wear in a city",
    component_browsing: "weather, llm",
    planning: "FEASIBLE: weather >> llm",
    workflow_generator: "weather, write",
  });
  assert.deepEqual(stageFindings("planning", null), []);
});

test("without planned calls nobody is asked, and no call is made", async () => {
  globalThis.document = { documentElement: { lang: "en" } };
  try {
    const nodes = [];
    const plan = (answersWithoutCalls) =>
      gatherAnswer(
        "xyzzy",
        {},
        {
          answersWithoutCalls,
          flow: () => {},
          event: (event) => event.type === "node-completed" && nodes.push(event.node),
          confirmCalls: () => assert.fail("asked to confirm calls"),
          requestApproval: () => assert.fail("asked to approve a call"),
        },
        new AbortController().signal,
      );
    assert.deepEqual(await plan(false), { type: "uncalled" });
    assert.deepEqual(nodes.splice(0), ["plan", "review"]);
    const { type, answer, text } = await plan(true);
    assert.deepEqual([type, text], ["answer", ""]);
    assert.match(answer, /^Xyzzy/);
    assert.deepEqual(nodes, ["plan", "review", "gather", "answer"]);
  } finally {
    delete globalThis.document;
  }
});

test("values of steps are names and values, not JSON", () => {
  for (const [value, text] of [
    ["as it is", "as it is"],
    [undefined, ""],
    [null, "null"],
    [{ order_id: "A-1003", total: 34, eta: null, items: ["teapot"] }, "order_id: A-1003, total: 34, items: teapot"],
    [{ found: [], of: { shop: "tea" }, days: [1, 2] }, "found: [], of: (shop: tea), days: [1, 2]"],
  ])
    assert.equal(valueText(value), text);
  assert.deepEqual(namedCalls({ tool_results: [{ tool_name: "send_fax", success: false }] }), [
    { name: "send_fax", failed: true },
  ]);
  assert.deepEqual(namedCalls({ tool_calls: [] }), []);
  assert.equal(namedCalls({ status: "lost" }), null);
  assert.deepEqual(missingContext({ code: "plan/missing-context", missing: ["user_email"] }), ["user_email"]);
  assert.equal(missingContext("plan/missing-context"), null);
});

test("each finding of the doctor has a headline in both languages", async () => {
  const { FINDINGS } = await import("../../dist/package-internals.js");
  assert.deepEqual(Object.keys(headlines).sort(), Object.keys(FINDINGS).sort());
  for (const [en, es] of Object.values(headlines)) assert.ok(en.length > 10 && es.length > 10 && en !== es);
});

test("the demo model is deterministic and ignores unknown words", async () => {
  const model = demoModel({ pace: 0 });
  const ask = (content) =>
    model.chat({ model: null, messages: [{ role: "user", content }], schema: null, max_tokens: null });
  const [first, second] = [await ask("Sum up: rain. sun. snow."), await ask("Sum up: rain. sun. snow.")];
  assert.deepEqual(first, second);
  assert.match((await ask("xyzzy")).text, /^\(Demo\)/);
  assert.match((await ask("¿Qué es el amor?")).text, /^\(Demo\)/);
});

test("the demonstration's tools keep changes to themselves, and stop when their caller is gone", async () => {
  const tools = new DemoTools({ pace: 0 });
  assert.equal((await tools.call("refund_order", { order_id: "A-1003" })).isError, false);
  assert.match((await tools.call("refund_order", { order_id: "A-1003" })).message, /refunded already/);
  await tools.call("send_message", { to: "Ana", text: "hi" });
  assert.deepEqual(tools.sentMessages, [{ to: "Ana", text: "hi" }]);
  assert.equal((await new DemoTools({ pace: 0 }).call("refund_order", { order_id: "A-1003" })).isError, false);
  assert.equal((await tools.call("send_fax", { number: "1", text: "" })).isError, true);
  await assert.rejects(tools.call("nothing", {}), { code: "tool/unknown" });
  const stop = new AbortController();
  const slow = new DemoTools({ pace: 1000 }).call("slow_report", { topic: "sales" }, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(slow, /enough/);
});

test("the id of a plan from a request has its telling words", () => {
  for (const [request, id] of [
    ["If the order A-1003 is late, refund 40 EUR after I approve, otherwise thank the customer", "order-1003-late"],
    ["Si el pedido está perdido, avísame", "pedido-esta-perdido-avisame"],
    ["Send the weather forecast for Oslo to the whole team and to Ana", "send-weather-forecast-oslo"],
    ["the", "the"],
    ["x".repeat(60), "x".repeat(32)],
    ["…", "plan"],
  ]) {
    assert.equal(idFromRequest(request), id);
    assert.match(idFromRequest(request), /^[a-z\d]+(?:-[a-z\d]+)*$/);
  }
});

test("a plan from a request has a short name, which ends after a clause or a word", () => {
  for (const [request, name] of [
    ["Look at order A-1003, refund it, and tell accounting.", "Look at order A-1003, refund it"],
    ["Tell Ana.", "Tell Ana"],
    ["  Mira el pedido\nA-1003  ", "Mira el pedido A-1003"],
    ["If it rains in Oslo, save a note to notes/oslo.md, otherwise mail ana@example.com", "If it rains in Oslo"],
    ["Send the weather forecast for Oslo to the whole team and to Ana", "Send the weather forecast for Oslo"],
    ["Say hi, then summarize notes/quarterly-feedback.md for support", "Say hi, then summarize"],
    ["Mail the report to ana.maria.lopez@example.com and to Luis", "Mail the report"],
    ["x".repeat(60), "x".repeat(40)],
    ["", ""],
  ]) {
    assert.equal(nameFromRequest(request), name);
    assert.ok(nameFromRequest(request).length <= 40);
  }
});
