// Tests planning and gathering end to end in the formats of OpenAI and Anthropic, with a third-party server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { anthropic, openai, openaiResponses, PlanGraph, run, startSync } from "../../dist/package-internals.js";
import * as servers from "../servers/servers.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const tools = [
  {
    name: "get_user_jobs",
    annotations: { readOnlyHint: true },
    description: "Current jobs",
    input_schema: { type: "object", properties: { user_email: { type: "string" } }, required: ["user_email"] },
    output_schema: {
      type: "object",
      properties: { jobs: { type: "array", items: { type: "object", properties: { title: { type: "string" } } } } },
    },
  },
  {
    name: "search_talent_docs",
    annotations: { readOnlyHint: true },
    description: "Search documentation",
    input_schema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query", "limit"],
    },
  },
];
const values = { get_user_jobs: { jobs: [{ title: "baker" }] }, search_talent_docs: [{ title: "Baking" }] };

const nodes = {
  p: { type: "plan", input: "${input}" },
  g: { type: "gather" },
  answer: { type: "llm", input: "What came of it: ${last.get_user_jobs_data}" },
};
const { graph } = PlanGraph.parse(
  JSON.stringify({
    start: "p",
    nodes,
    edges: [
      { from: "p", to: "g" },
      { from: "g", to: "answer" },
    ],
  }),
);

const WIRES = [
  ["openai", openai, "/v1", (body) => [body.messages[0].content, body.response_format.json_schema.schema]],
  ["openai-responses", openaiResponses, "/v1", (body) => [JSON.stringify(body.input[0]), body.text.format.schema]],
  // This provider's schemas cannot express parameters of any type, so the instructions contain the schema.
  ["anthropic", anthropic, "/v1", (body) => [body.system[0].text, JSON.parse(/\{.*\}/s.exec(body.system[1].text)[0])]],
];

test("the planner writes a plan, fixes it and runs it", async (context) => {
  const server = await servers.aimock(fileURLToPath(new URL("../servers/planners", import.meta.url)));
  context.after(() => server.stop());
  for (const [name, make, path, read] of WIRES) {
    await context.test(name, async () => {
      const [bodies, called] = [[], []];
      const listening = (url, init) => (
        bodies.push(JSON.parse(typeof init.body === "string" ? init.body : new TextDecoder().decode(init.body))),
        fetch(url, init)
      );
      const model = make({
        baseUrl: new URL(server.url).origin + path,
        model: "m",
        apiKey: "none",
        fetch: listening,
        headers: { "x-test-id": name },
      });
      const client = {
        name: "talent",
        list: async () => tools,
        call: async (tool, args) => (called.push([tool, args]), { value: values[tool], isError: false }),
        close: async () => {},
      };
      const runPlanner = (input) =>
        run(graph, { input, tools: [client], models: { default: model }, context: { user_email: "me@home.example" } });

      const report = await runPlanner("which jobs have I?");
      assert.deepEqual(
        [report.outcome.type, report.path, report.last],
        ["completed", ["p", "g", "answer"], "You are a baker."],
        JSON.stringify(report.outcome),
      );
      assert.deepEqual(called, [
        ["get_user_jobs", { user_email: "me@home.example" }],
        ["search_talent_docs", { query: "about baker", limit: 5 }],
      ]);
      assert.deepEqual([report.outputs.p.needs_user_email, report.outputs.g.success_rate], [true, 1]);

      const [first, second] = bodies;
      for (const body of [first, second]) {
        const [instructions, schema] = read(body);
        assert.ok(instructions.includes("search_talent_docs") && !instructions.includes("evil"));
        assert.deepEqual(
          schema.properties.tool_calls.items.properties.tool_name.enum,
          tools.map((tool) => tool.name),
        );
      }
      const told = JSON.stringify(second);
      for (const wrong of ["did you mean `get_user_jobs`?", "is its own result", "/limit"])
        assert.ok(told.includes(wrong), `${wrong} in ${told}`);
      const promptOf = (body) =>
        (body.messages ?? body.input).map((message) =>
          JSON.stringify(message).replaceAll(/,?"cache_control":\{"type":"ephemeral"\}/g, ""),
        );
      assert.deepEqual(promptOf(second).slice(0, promptOf(first).length), promptOf(first));
      if (name === "anthropic")
        assert.ok(first.system[0].cache_control && second.messages.at(-1).content.at(-1).cache_control);
      assert.ok(!("prompt_cache_key" in first), "only OpenAI itself is sent the key");

      const failed = await runPlanner("never a plan");
      assert.deepEqual(
        [failed.outcome.type, failed.outcome.code, failed.outcome.node],
        ["failed", "plan/not-json", "p"],
      );
      assert.equal(called.length, 2);
    });
  }
  await context.test("OpenAI receives the cache key of the prompt", async () => {
    const keys = [];
    const own = openai({
      model: "m",
      apiKey: "none",
      fetch: async (_, { body }) => (
        keys.push(JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)).prompt_cache_key),
        Response.json({ choices: [{ message: { content: "no" }, finish_reason: "stop" }] })
      ),
    });
    const client = {
      name: "talent",
      list: async () => tools,
      call: async () => ({ value: null, isError: false }),
      close: async () => {},
    };
    for (const input of ["one", "two"]) await run(graph, { input, tools: [client], models: { default: own } });
    assert.equal(keys.length, 6);
    assert.match(keys[0], /^[0-9a-f]{12}$/);
    assert.equal(new Set(keys).size, 1, "the same tools, the same key");
  });
});
