// Tests models of AI SDK in runs, with a real provider over HTTP.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { run } from "stepgraph";
import { aiSdk } from "stepgraph/ai-sdk";
import * as chat from "./chat-runs.mjs";
import { plan } from "./plans.mjs";
import { load } from "../servers/chat-packages.mjs";

const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { status = 200, headers = {}, text } = server.answer(JSON.parse(body), request.headers);
  const type = text.startsWith("data:") ? "text/event-stream" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(text);
});
let provider;
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
  provider = createOpenAICompatible({ name: "local", baseURL, apiKey: "sk-marker", includeUsage: true });
});
after(() => server.close());

const sse = (chunks) =>
  [...chunks.map((one) => JSON.stringify(one)), "[DONE]"].map((one) => `data: ${one}\n\n`).join("");
const choice = (delta, finish_reason = null) => ({ id: "x", choices: [{ index: 0, delta, finish_reason }] });
const call = (name, args) => ({ index: 0, id: `id-${name}`, type: "function", function: { name, arguments: args } });

test("an agent runs with a real provider: tools, results, and deltas", async () => {
  const requests = [];
  const replies = [
    [
      choice({ role: "assistant", content: "let me see" }),
      choice({ tool_calls: [call("rooms", '{"city":"Oslo"}')] }),
      choice({}, "tool_calls"),
    ],
    [
      choice({ content: "nor" }),
      choice({ content: "th" }),
      choice({}, "stop"),
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
    ],
  ];
  server.answer = (body, headers) => {
    requests.push({ body, headers });
    return { text: sse(replies.shift()) };
  };
  const deltas = [];
  const report = await run(plan(chat.AGENT), {
    tools: chat.tools({ rooms: [1] }),
    models: { default: aiSdk(provider("tiny")) },
    onUpdate: ({ type, delta }) => type === "model-delta" && delta.type === "text" && deltas.push(delta.text),
  });
  assert.deepEqual([report.outcome.type, report.last], ["completed", "north"]);
  assert.deepEqual(deltas, ["let me see", "nor", "th"]);
  assert.equal(report.counts.tokens, 7);
  const [{ body: first, headers }, { body: second }] = requests;
  assert.deepEqual([first.model, first.stream, headers.authorization], ["tiny", true, "Bearer sk-marker"]);
  assert.deepEqual(
    first.tools.map(({ function: { name } }) => name),
    ["rooms", "book"],
  );
  assert.deepEqual(
    second.messages.map(({ role, content, tool_call_id }) => [role, content, tool_call_id]),
    [
      ["user", "hi", undefined],
      ["assistant", "let me see", undefined],
      ["tool", "[1]", "id-rooms"],
    ],
  );
});

test("a real provider's errors are mapped and retried, and its answer can be structured", async () => {
  const bodies = [];
  const answers = [
    { status: 429, headers: { "retry-after-ms": "1" }, text: '{"error":{"message":"slow down"}}' },
    { text: JSON.stringify({ choices: [{ message: { content: '{"a": 1}' }, finish_reason: "stop" }] }) },
    { status: 401, text: '{"error":{"message":"wrong key"}}' },
  ];
  server.answer = (body) => {
    bodies.push(body);
    return answers.shift();
  };
  const text = "nodes: {a: {type: llm, input: hi, with: {schema: {type: object, required: [a]}}}}";
  const models = { default: aiSdk(provider("tiny")) };
  assert.deepEqual((await run(plan(text), { models })).last, { a: 1 });
  assert.deepEqual(
    bodies.map(({ stream, response_format }) => [stream, response_format?.type]),
    Array(2).fill([undefined, "json_object"]),
  );
  const { outcome } = await run(plan(text), { models });
  assert.deepEqual([outcome.code, /wrong key/.test(outcome.message)], ["model/unauthorized", true]);
});
