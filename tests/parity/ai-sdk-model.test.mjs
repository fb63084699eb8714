// Tests models of AI SDK with the real package `ai`, for each version of the specification.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aiSdk } from "stepgraph/ai-sdk";
import { load } from "../servers/chat-packages.mjs";

const { APICallError, LoadAPIKeyError, UnsupportedFunctionalityError } = await load("@ai-sdk/provider");
const { MockLanguageModelV3, MockLanguageModelV4 } = await load("ai/test");

/** `ai` 7 has no test model of v2. Its methods are those of v3. */
class MockLanguageModelV2 extends MockLanguageModelV3 {
  specificationVersion = "v2";
}
const MOCKS = { v2: MockLanguageModelV2, v3: MockLanguageModelV3, v4: MockLanguageModelV4 };
const USAGE = {
  inputTokens: { total: 9, noCache: 4, cacheRead: 5, cacheWrite: 2 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
};
const USAGE_V2 = { inputTokens: 9, outputTokens: 7, totalTokens: 16, reasoningTokens: 3, cachedInputTokens: 5 };
const finish = (version, reason) => (version === "v2" ? reason : { unified: reason, raw: reason });
const usage = (version) => (version === "v2" ? USAGE_V2 : USAGE);
const REQUEST = { model: null, messages: [{ role: "user", content: "hi" }], schema: null, max_tokens: null };

function whole(content, { version = "v4", reason = "stop", ...more } = {}) {
  const result = { content, finishReason: finish(version, reason), usage: usage(version), warnings: [], ...more };
  return new MOCKS[version]({ provider: "mock", modelId: "m", doGenerate: async () => result });
}

function streamed(parts, version = "v4") {
  const doStream = async () => ({ stream: ReadableStream.from(parts) });
  return new MOCKS[version]({ provider: "mock", modelId: "m", doStream });
}

const failing = (error) => new MockLanguageModelV4({ doGenerate: async () => Promise.reject(error) });
const apiError = (statusCode, more = {}) =>
  new APICallError({ message: "no", url: "http://127.0.0.1:9", requestBodyValues: {}, statusCode, ...more });
const NO_RETRY = { responseHeaders: { "x-should-retry": "false" } };

test("a reply has the same form for each version of the specification", async () => {
  for (const version of Object.keys(MOCKS)) {
    const content = [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "one " },
      { type: "source", sourceType: "url", id: "s", url: "http://x" },
      { type: "text", text: "two" },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"a":1}' },
      { type: "tool-call", toolCallId: "own", toolName: "search", input: "{}", providerExecuted: true },
      { type: "tool-call", toolCallId: "d", toolName: "g", input: "{broken" },
      { type: "tool-call", toolCallId: "e", toolName: "g", input: "" },
    ];
    const { provider, ...reply } = await aiSdk(whole(content, { version, reason: "tool-calls" })).chat(REQUEST);
    assert.deepEqual(reply, {
      text: "one two",
      tool_calls: [
        { id: "c", name: "f", arguments: { a: 1 } },
        { id: "d", name: "g", arguments: "{broken" },
        { id: "e", name: "g", arguments: {} },
      ],
      finish: "tool_calls",
      usage: {
        input: 9,
        output: 7,
        cached_input: 5,
        reasoning_output: 3,
        ...(version !== "v2" && { cache_write_input: 2 }),
      },
    });
    assert.equal(provider["ai-sdk"], "mock");
  }
});

test("a streamed reply has deltas, and the same form", async () => {
  for (const version of Object.keys(MOCKS)) {
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "reasoning-end", id: "r", providerMetadata: { mock: { signature: "s" } } },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "one " },
      { type: "text-delta", id: "t", delta: "two" },
      { type: "text-end", id: "t" },
      { type: "tool-input-start", id: "c", toolName: "f" },
      { type: "tool-input-delta", id: "c", delta: '{"a"' },
      { type: "tool-input-delta", id: "c", delta: ":1}" },
      { type: "tool-input-end", id: "c" },
      { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"a":1}' },
      { type: "tool-call", toolCallId: "d", toolName: "g", input: '{"b":2}' },
      { type: "finish", finishReason: finish(version, "tool-calls"), usage: usage(version) },
    ];
    const deltas = [];
    const client = aiSdk(streamed(parts, version));
    const reply = await client.chat(REQUEST, { onDelta: (delta) => deltas.push(delta) });
    assert.deepEqual(deltas, [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "one " },
      { type: "text", text: "two" },
      { type: "tool-call", index: 0, id: "c", name: "f" },
      { type: "tool-call", index: 0, arguments: '{"a"' },
      { type: "tool-call", index: 0, arguments: ":1}" },
      { type: "tool-call", index: 1, id: "d", name: "g", arguments: '{"b":2}' },
    ]);
    assert.deepEqual([reply.text, reply.finish, reply.usage.output], ["one two", "tool_calls", 7]);
    assert.deepEqual(
      reply.tool_calls.map(({ arguments: args }) => args),
      [{ a: 1 }, { b: 2 }],
    );
    assert.deepEqual(reply.provider.parts[0].options, { mock: { signature: "s" } });
  }
});

test("a request has all that the run asks for", async () => {
  const model = whole([{ type: "text", text: "{}" }]);
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const tool = { name: "f", description: "d", input_schema: { type: "object" } };
  const messages = [
    { role: "system", content: "be kind", cache: true },
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: "ok",
      tool_calls: [
        { id: "c", name: "f", arguments: { a: 1 } },
        { id: "d", name: "f", arguments: "{bad" },
      ],
    },
    { role: "tool", content: "1", call_id: "c", tool: "f" },
    { role: "tool", content: "no", call_id: "d", tool: "f", is_error: true },
  ];
  const request = { model: null, messages, schema, max_tokens: 50, temperature: 0.5, tools: [tool], cache_key: "k" };
  const client = aiSdk(model, { providerOptions: { mock: { x: 1 } }, headers: { "x-own": "1" } });
  for (const [choice, expected] of [
    ["required", { type: "required" }],
    [{ name: "f" }, { type: "tool", toolName: "f" }],
  ]) {
    await client.chat({ ...request, tool_choice: choice });
    const { abortSignal, ...call } = model.doGenerateCalls.at(-1);
    assert.ok(abortSignal instanceof AbortSignal);
    assert.deepEqual(call, {
      prompt: [
        { role: "system", content: "be kind" },
        { role: "user", content: [{ type: "text", text: "hi" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "ok" },
            { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } },
            { type: "tool-call", toolCallId: "d", toolName: "f", input: { not_json: "{bad" } },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "1" } },
            { type: "tool-result", toolCallId: "d", toolName: "f", output: { type: "error-text", value: "no" } },
          ],
        },
      ],
      maxOutputTokens: 50,
      temperature: 0.5,
      responseFormat: { type: "json", schema, name: "answer" },
      tools: [{ type: "function", name: "f", description: "d", inputSchema: { type: "object" } }],
      toolChoice: expected,
      providerOptions: { mock: { x: 1 } },
      headers: { "x-own": "1" },
    });
  }
  await client.chat(REQUEST);
  const { prompt, ...rest } = model.doGenerateCalls.at(-1);
  assert.equal(prompt.length, 1);
  assert.deepEqual(Object.keys(rest).sort(), ["abortSignal", "headers", "providerOptions"]);
});

test("OpenAI and Anthropic get the settings that their providers need", async () => {
  const of = (provider) =>
    new MockLanguageModelV4({
      provider,
      doGenerate: async () => ({ content: [], finishReason: finish("v4", "stop"), usage: USAGE, warnings: [] }),
    });
  const sent = async (model, request, options) => {
    await aiSdk(model, options).chat({ ...REQUEST, ...request });
    return model.doGenerateCalls.at(-1);
  };
  const open = { type: "object", properties: { a: { type: "object", properties: {} } } };
  const closed = {
    type: "object",
    properties: { a: { type: "number" } },
    required: ["a"],
    additionalProperties: false,
  };
  const openai = of("openai.responses");
  assert.deepEqual((await sent(openai, { schema: open, cache_key: "k" })).providerOptions, {
    openai: { promptCacheKey: "k", strictJsonSchema: false },
  });
  assert.equal((await sent(openai, { schema: closed })).providerOptions, undefined);
  const own = { providerOptions: { openai: { strictJsonSchema: true } } };
  assert.deepEqual((await sent(openai, { schema: open }, own)).providerOptions, own.providerOptions);
  const messages = Array.from({ length: 6 }, (_, at) => ({ role: "user", content: `${at}`, cache: true }));
  const { prompt } = await sent(of("anthropic.messages"), { messages });
  const marked = prompt.flatMap(({ providerOptions }, at) => (providerOptions?.anthropic.cacheControl ? [at] : []));
  assert.deepEqual(marked, [0, 3, 4, 5]);
});

test("thoughts and signatures return to their provider, and to no other", async () => {
  const content = [
    { type: "reasoning", text: "hm", providerMetadata: { mock: { signature: "s" } } },
    { type: "text", text: "see" },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: "{}", providerMetadata: { mock: { thought: "t" } } },
  ];
  const { text, tool_calls, provider } = await aiSdk(whole(content)).chat(REQUEST);
  const message = { role: "assistant", content: text, tool_calls, provider: JSON.parse(JSON.stringify(provider)) };
  const sent = async (changed, name = "mock") => {
    const model = whole([]);
    model.provider = name;
    await aiSdk(model).chat({ ...REQUEST, messages: [{ ...message, ...changed }] });
    return model.doGenerateCalls[0].prompt[0].content;
  };
  assert.deepEqual(await sent({}), [
    { type: "reasoning", text: "hm", providerOptions: { mock: { signature: "s" } } },
    { type: "text", text: "see" },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: {}, providerOptions: { mock: { thought: "t" } } },
  ]);
  const bare = [
    { type: "text", text: "see" },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
  ];
  assert.deepEqual(await sent({}, "other"), bare);
  assert.deepEqual(await sent({ provider: { "ai-sdk": "mock", parts: [] } }), bare);
  assert.deepEqual(await sent({ provider: { "ai-sdk": "mock" } }), bare);
  assert.equal((await aiSdk(whole([{ type: "text", text: "x" }])).chat(REQUEST)).provider, undefined);
});

test("the reasons to finish", async () => {
  for (const [reason, expected] of [
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "filtered"],
    ["tool-calls", "tool_calls"],
    ["unknown", "other"],
    ["new one", "other"],
  ]) {
    const { finish } = await aiSdk(whole([], { reason })).chat(REQUEST);
    assert.equal(finish, expected, reason);
  }
  await assert.rejects(aiSdk(whole([], { reason: "error" })).chat(REQUEST), { code: "model/failed" });
});

test("a text for structured output wins over the rest", async () => {
  const content = [
    { type: "text", text: "draft" },
    { type: "text", text: "{}" },
  ];
  assert.equal((await aiSdk(whole(content, { structuredOutputText: "{}" })).chat(REQUEST)).text, "{}");
});

test("errors have the codes of the other clients", async () => {
  for (const [error, code] of [
    [apiError(401), "model/unauthorized"],
    [apiError(402), "model/quota"],
    [apiError(404), "model/not-found"],
    [apiError(413), "model/context-length"],
    [apiError(400), "model/refused"],
    [apiError(400, { responseBody: '{"code":"context_length_exceeded"}' }), "model/context-length"],
    [apiError(429, { ...NO_RETRY, responseBody: "insufficient_quota" }), "model/quota"],
    [apiError(429, NO_RETRY), "model/rate-limited"],
    [apiError(503, NO_RETRY), "model/overloaded"],
    [apiError(500, { ...NO_RETRY, responseBody: "context_length" }), "model/failed"],
    [apiError(504, NO_RETRY), "model/timeout"],
    [apiError(undefined, NO_RETRY), "model/unreachable"],
    [new LoadAPIKeyError({ message: "no key" }), "model/unauthorized"],
    [new UnsupportedFunctionalityError({ functionality: "tools" }), "model/refused"],
    [Object.assign(new Error("own"), { code: "model/quota" }), "model/quota"],
    [new Error("odd"), "model/failed"],
    ["text", "model/failed"],
    [null, "model/failed"],
  ])
    await assert.rejects(aiSdk(failing(error)).chat(REQUEST), { code, name: "CallError" }, String(error));
});

test("temporary errors are retried after the requested delay, and no more than twice", async () => {
  const model = failing(apiError(429, { responseHeaders: { "Retry-After-Ms": "1" } }));
  await assert.rejects(aiSdk(model).chat(REQUEST), { code: "model/rate-limited" });
  assert.equal(model.doGenerateCalls.length, 3);
  for (const headers of [{ "retry-after": "61" }, { "retry-after": "Mon, 07 Nov 2094 08:49:37 GMT" }]) {
    const patient = failing(apiError(429, { responseHeaders: headers }));
    await assert.rejects(aiSdk(patient).chat(REQUEST), { code: "model/rate-limited" });
    assert.equal(patient.doGenerateCalls.length, 1);
  }
  let calls = 0;
  const second = new MockLanguageModelV4({
    doGenerate: async () => {
      if (calls++ === 0) throw apiError(503, { responseHeaders: { "retry-after-ms": "1" } });
      return {
        content: [{ type: "text", text: "ok" }],
        finishReason: finish("v4", "stop"),
        usage: USAGE,
        warnings: [],
      };
    },
  });
  assert.equal((await aiSdk(second).chat(REQUEST)).text, "ok");
});

test("after a delta there is no retry", async () => {
  const error = apiError(503, { responseHeaders: { "retry-after-ms": "1" } });
  const model = streamed([
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "one" },
    { type: "error", error },
  ]);
  await assert.rejects(aiSdk(model).chat(REQUEST, { onDelta() {} }), { code: "model/overloaded" });
  assert.equal(model.doStreamCalls.length, 1);
});

test("a stream that ends early is no reply", async () => {
  const model = streamed([
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "one" },
  ]);
  await assert.rejects(aiSdk(model).chat(REQUEST, { onDelta() {} }), { code: "model/unreachable" });
});

test("an error of the listener is the listener's, and ends the stream", async () => {
  let cancelled = false;
  const stream = new ReadableStream({
    pull: (to) => to.enqueue({ type: "text-delta", id: "t", delta: "x" }),
    cancel: () => void (cancelled = true),
  });
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) });
  const own = new Error("own");
  const onDelta = () => {
    throw own;
  };
  await assert.rejects(aiSdk(model).chat(REQUEST, { onDelta }), (error) => error === own);
  assert.ok(cancelled);
});

test("an abort ends the call, also if the provider ignores it", async () => {
  const leave = new AbortController();
  const reason = new Error("enough");
  const model = new MockLanguageModelV4({
    doGenerate: () => {
      leave.abort(reason);
      return new Promise(() => {});
    },
  });
  await assert.rejects(aiSdk(model).chat(REQUEST, { signal: leave.signal }), (error) => error === reason);
  assert.ok(model.doGenerateCalls[0].abortSignal.aborted);
  const silent = new MockLanguageModelV4({ doGenerate: () => new Promise(() => {}) });
  await assert.rejects(aiSdk(silent, { timeoutMs: 1 }).chat(REQUEST), { code: "model/timeout" });
  assert.equal(silent.doGenerateCalls.length, 1);
});

test("a node may name a model of the provider", async () => {
  const model = whole([{ type: "text", text: "default" }]);
  const asked = [];
  const provider = {
    languageModel: (name) => {
      asked.push(name);
      return whole([{ type: "text", text: name }]);
    },
  };
  const named = { ...REQUEST, model: "big" };
  assert.equal((await aiSdk(model, { provider }).chat(named)).text, "big");
  assert.deepEqual(asked, ["big"]);
  assert.equal((await aiSdk(model).chat({ ...REQUEST, model: "m" })).text, "default");
  await assert.rejects(aiSdk(model).chat(named), { code: "model/not-found", message: /`big`/ });
});

test("other versions of the specification are refused, and names of models", () => {
  const model = whole([]);
  for (const specificationVersion of ["v1", "v5", undefined])
    assert.throws(() => aiSdk({ ...model, doGenerate() {}, doStream() {}, specificationVersion }), {
      code: "api/bad-option",
      message: /v2, v3, v4, not/,
    });
  assert.throws(() => aiSdk("openai/gpt-5"), { code: "api/bad-option", message: /create it with a provider/ });
  assert.throws(() => aiSdk(null), { code: "api/bad-option" });
  assert.throws(() => aiSdk(model, { providerOption: {} }), { code: "api/unknown-option" });
});
