// Tests planning with a real, weak model: SmolLM2 with 135 million weights on llama.cpp.
//
// Checks the integration, not the answers' quality. Schema limits keep answers short, because tokens are slow.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { anthropic, checkToolPlan, openai, PlanGraph, run, startSync } from "../../dist/package-internals.js";
import { authorRun, SCRIPT, tools as catalogue } from "../bench/cache-cost.mjs";
import * as servers from "../servers/servers.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

function withLimits(schema) {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withLimits);
  const own = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "enum" || key === "required" ? value : withLimits(value),
    ]),
  );
  if (own.type === "string" && !own.enum) own.maxLength = 4;
  if (own.type === "array") Object.assign(own, { minItems: 1, maxItems: 1 });
  if (own.type === "object") Object.assign(own, { properties: own.properties ?? {}, additionalProperties: false });
  return own;
}

function calls({ properties: { tool_calls: list }, ...schema }, tool) {
  const own = structuredClone(list);
  const { tool_name: name, parameters } = own.items.properties;
  own.items = {
    type: "object",
    properties: { tool_name: { ...name, enum: [tool] }, parameters },
    required: ["tool_name", "parameters"],
  };
  return { ...schema, properties: { tool_calls: own }, required: ["tool_calls"] };
}

function recordModel(model, change = (request) => request) {
  const asked = [];
  const chat = async (request, options) => {
    const reply = await model.chat(change(request), options);
    asked.push({ request, reply });
    return reply;
  };
  return { asked, model: { chat } };
}
/** Leaves room for blanks: the grammar allows about twenty at each place. */
const bounded = (tool) => (request) => ({
  ...request,
  schema: withLimits(tool ? calls(request.schema, tool) : request.schema),
  temperature: 0,
  max_tokens: 400,
});

const tools = [
  {
    name: "stats",
    annotations: { readOnlyHint: true },
    description: "System statistics",
    input_schema: { type: "object", properties: {}, additionalProperties: false },
  },
  {
    name: "find",
    annotations: { readOnlyHint: true },
    description: "Search documentation",
    input_schema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query", "limit"],
    },
  },
];

function server(offered) {
  const called = [];
  return {
    name: "talent",
    called,
    list: async () => offered,
    call: async (name, args) => (called.push([name, args]), { value: { documents: 12 }, isError: false }),
    close: async () => {},
  };
}
const planGather = (settings) =>
  PlanGraph.parse(
    JSON.stringify({
      start: "p",
      nodes: { p: { type: "plan", input: "How many documents are there?", with: settings }, g: { type: "gather" } },
      edges: [{ from: "p", to: "g" }],
    }),
  ).graph;

test("SmolLM2 plans", async (context) => {
  const started = await servers.llama();
  context.after(() => started.stop());
  const [chats, messages] = [openai, anthropic].map((make) => make({ baseUrl: started.url, model: "smollm2" }));

  await context.test("a plan constrained by the schema's grammar is executed", async () => {
    const { asked, model } = recordModel(chats, bounded("stats"));
    const own = server(tools);
    const report = await run(planGather({}), { input: "", tools: [own], models: { default: model } });
    assert.equal(
      report.outcome.type,
      "completed",
      JSON.stringify([report.outcome, asked.map(({ reply }) => reply.text)]),
    );
    assert.equal(asked.length, 1);
    const answer = JSON.parse(asked[0].reply.text);
    assert.deepEqual([checkToolPlan(answer, tools), Object.keys(answer)], [[], ["tool_calls"]]);
    assert.deepEqual(own.called, [["stats", {}]]);
    assert.deepEqual(report.last.stats_data, { documents: 12 });
    assert.ok(asked[0].reply.usage.output > 0);
  });

  await context.test(
    "an invalid plan returns to the model with all errors, and the final failure names them",
    async () => {
      // The grammar leaves the parameters empty, so no model can succeed.
      const { asked, model } = recordModel(chats, bounded("find"));
      const own = server(tools);
      const report = await run(planGather({ attempts: 2 }), { input: "", tools: [own], models: { default: model } });
      assert.deepEqual(
        [report.outcome.type, report.outcome.code, report.outcome.node, asked.length, own.called.length],
        ["failed", "plan/missing-parameter", "p", 2, 0],
      );
      for (const [at, { request }] of asked.entries()) {
        assert.equal(request.messages.length, 2 + 2 * at);
        if (at === 0) continue;
        assert.match(request.messages.at(-1).content, /has no `query`.*has no `limit`/);
        assert.equal(request.messages.at(-2).content, asked[at - 1].reply.text);
        assert.equal(request.cache_key, asked[0].request.cache_key);
      }
      // Each request starts with the previous one, byte for byte, so the server only reads the rest.
      for (const [
        at,
        {
          reply: { usage },
        },
      ] of asked.entries())
        if (at > 0)
          assert.ok(usage.cached_input > usage.input / 2, JSON.stringify(asked.map(({ reply }) => reply.usage)));
    },
  );

  await context.test("a truncated answer is reported as such, by another wire format", async () => {
    const { asked, model } = recordModel(messages);
    const report = await run(planGather({ attempts: 1, max_tokens: 5 }), {
      input: "",
      tools: [server(tools)],
      models: { default: model },
    });
    assert.deepEqual([report.outcome.type, report.outcome.code, report.outcome.node], ["failed", "agent/cut-off", "p"]);
    assert.deepEqual([asked.length, asked[0].reply.finish], [1, "length"]);
  });

  await context.test("a stage from a request to a plan", async () => {
    const { asked, model } = recordModel(chats, bounded());
    const nodes = {
      parameter_discovery: {
        type: "parameter_discovery",
        input: { user_input: "Count the documents of 2025" },
        with: { attempts: 1 },
      },
    };
    const report = await run(PlanGraph.parse(JSON.stringify({ nodes })).graph, {
      input: "",
      tools: [server(tools)],
      models: { default: model },
    });
    assert.deepEqual(
      [report.outcome.type, report.last, asked.length],
      ["completed", "discovered", 1],
      JSON.stringify(report.outcome),
    );
    assert.ok(Array.isArray(JSON.parse(asked[0].reply.text).parameters));
    // Parameters must come from the request, whatever the model answers.
    assert.ok(
      Object.values(report.outputs.discovered_params).every((value) =>
        "Count the documents of 2025".includes(String(value)),
      ),
    );
  });

  await context.test(
    "the second and the third generation of the author find most of their prompt in the server's cache",
    async () => {
      // The server reads each request and generates one token. A script answers.
      let turn = 0;
      const usages = [];
      const model = {
        chat: async (request) => {
          const text = SCRIPT[turn++];
          if (request.schema) return { text, finish: "stop" };
          const { usage } = await chats.chat({ ...request, max_tokens: 1 });
          usages.push(usage);
          return { text, finish: "stop", usage };
        },
      };
      const report = await authorRun(model, catalogue.slice(0, 4));
      assert.deepEqual(
        [report.outcome.type, report.last.status, report.last.generations],
        ["completed", "planned", 3],
        JSON.stringify(report.last),
      );
      assert.equal(usages.length, 4);
      const shares = usages.map(({ input, cached_input: cached }) => cached / input);
      context.diagnostic(
        `cached of planning and three generations: ${usages.map(({ input, cached_input: cached }) => `${cached}/${input}`).join(", ")}`,
      );
      for (const share of shares.slice(2)) assert.ok(share > 0.6, JSON.stringify(usages));
    },
  );
});
