// Tests model clients against llama.cpp, a third-party server for every format, and small servers that misbehave.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import {
  anthropic,
  chromeModel,
  gemini,
  openai,
  openaiResponses,
  PlanGraph,
  run,
  startSync,
} from "../../dist/package-internals.js";
import { json, serve } from "../servers/serve.mjs";
import * as servers from "../servers/servers.mjs";
import { fails, KEY } from "./assert-failure.mjs";

before(() => startSync(readFileSync(new URL("../../pkg/stepgraph_wasm_bg.wasm", import.meta.url))));

const PROVIDERS = [
  ["openai", openai, "/v1"],
  ["openai-responses", openaiResponses, "/v1"],
  ["anthropic", anthropic, "/v1"],
  ["gemini", gemini, "/v1beta"],
];

const user = (content) => ({ role: "user", content });
const chatRequest = (content, more = {}) => ({
  model: null,
  messages: [user(content)],
  schema: null,
  max_tokens: 16,
  ...more,
});

async function chat(model, request, streams) {
  const told = [];
  const reply = await model.chat(request, streams ? { onDelta: (delta) => told.push(delta) } : {});
  const text = (type) =>
    told
      .filter((delta) => delta.type === type)
      .map((delta) => delta.text)
      .join("");
  return { ...reply, told, said: text("text"), thought: text("reasoning") };
}

function counting() {
  const count = Object.assign((url, init) => (count.times++, fetch(url, init)), { times: 0 });
  return count;
}

const weatherTool = {
  name: "weather",
  description: "the weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const moodSchema = {
  type: "object",
  properties: { mood: { enum: ["good", "bad"] } },
  required: ["mood"],
  additionalProperties: false,
};

test("every provider's format", async (context) => {
  const server = await servers.aimock(fileURLToPath(new URL("../servers/models", import.meta.url)));
  context.after(() => server.stop());
  const origin = new URL(server.url).origin;
  for (const [name, make, path] of PROVIDERS) {
    for (const streams of [false, true]) {
      const title = (what) => `${name}, ${streams ? "in pieces" : "whole"}: ${what}`;
      // The server counts its sequences separately for each of these ids.
      const client = (more = {}) =>
        make({
          baseUrl: origin + path,
          model: "m",
          apiKey: KEY,
          headers: { "x-test-id": `${name}-${streams}` },
          ...more,
        });
      const check = (what, run) => context.test(title(what), run);

      await check("text", async () => {
        const { text, finish, said, usage, tool_calls } = await chat(client(), chatRequest("greet"), streams);
        assert.deepEqual([text, finish, tool_calls], ["Hello, Zürich 😀!", "stop", undefined]);
        assert.equal(said, streams ? text : "");
        assert.ok(usage.cached_input <= usage.input);
      });
      await check("a model's reasoning is no part of the answer", async () => {
        const { text, thought } = await chat(client(), chatRequest("think"), streams);
        assert.deepEqual([text, thought], ["42", streams ? "six times seven" : ""]);
      });
      await check("a conversation contains calls and their results", async () => {
        const request = chatRequest("two calls", { tools: [weatherTool] });
        const { told, ...reply } = await chat(client(), request, streams);
        assert.equal(reply.finish, "tool_calls");
        assert.deepEqual(
          reply.tool_calls.map((call) => [call.name, call.arguments.city]),
          [
            ["weather", "Oslo"],
            ["weather", "Bergen"],
          ],
        );
        assert.equal(new Set(reply.tool_calls.map(({ id }) => id)).size, 2);
        const callDeltas = (index) => told.filter((delta) => delta.type === "tool-call" && delta.index === index);
        for (const [at, city] of streams ? ["Oslo", "Bergen"].entries() : []) {
          assert.equal(callDeltas(at)[0].name, "weather");
          assert.deepEqual(
            JSON.parse(
              callDeltas(at)
                .map((delta) => delta.arguments ?? "")
                .join(""),
            ),
            { city },
          );
        }
        const said = {
          role: "assistant",
          content: reply.text,
          tool_calls: reply.tool_calls,
          ...(reply.provider && { provider: reply.provider }),
        };
        const answers = reply.tool_calls.map(({ id }, at) => ({
          role: "tool",
          content: "-4",
          call_id: id,
          tool: "weather",
          is_error: at === 1,
        }));
        const next = await chat(client(), { ...request, messages: [...request.messages, said, ...answers] }, streams);
        assert.deepEqual([next.text, next.finish], ["cold in both", "stop"]);
      });
      await check("text and a call", async () => {
        const { text, tool_calls } = await chat(
          client(),
          chatRequest("say and call", { tools: [weatherTool] }),
          streams,
        );
        assert.deepEqual([text, tool_calls.length, tool_calls[0].arguments], ["Let me see.", 1, { city: "Oslo" }]);
      });
      await check("arguments that are no JSON stay text", async () => {
        const { tool_calls } = await chat(client(), chatRequest("half arguments", { tools: [weatherTool] }), streams);
        // For the other formats the server repairs the arguments.
        assert.deepEqual(tool_calls[0].arguments, name.startsWith("openai") ? '{"city": "Ber' : {});
      });
      await check("an answer by a schema, and a truncated answer", async () => {
        const { text } = await chat(client(), chatRequest("as JSON", { schema: moodSchema }), streams);
        assert.deepEqual(JSON.parse(text), { mood: "good" });
        assert.equal((await chat(client(), chatRequest("too long"), streams)).finish, "length");
      });
      await check("too many requests are repeated, a wrong key and garbage are not", async () => {
        const count = counting();
        const { text } = await chat(client({ fetch: count }), chatRequest("busy once"), streams);
        assert.deepEqual([text, count.times], ["now", 2]);
        await fails(
          chat(client({ fetch: count }), chatRequest("wrong key"), streams),
          "model/unauthorized",
          /status 401: wrong key \[secret\]/,
        );
        await fails(chat(client({ fetch: count }), chatRequest("garbage"), streams), "model/bad-reply", /malformed/);
        assert.equal(count.times, 4);
      });
      if (!streams) continue;
      await check("a stream that breaks after its first delta is not repeated", async () => {
        const [count, told] = [counting(), []];
        const broken = client({ fetch: count }).chat(chatRequest("break off"), {
          onDelta: (delta) => told.push(delta),
        });
        await fails(broken, "model/unreachable");
        assert.ok(
          told.length > 0 &&
            "This is cut off before".startsWith(
              told
                .map(({ text }) => text)
                .join("")
                .slice(0, 10),
            ),
        );
        assert.equal(count.times, 1);
      });
    }
  }
  for (const [name, make, path] of PROVIDERS) {
    await context.test(`${name}: an agent's whole run`, async () => {
      const { graph } = PlanGraph.parse(
        JSON.stringify({ nodes: { help: { type: "agent", input: "two calls", with: { system: "Be brief." } } } }),
      );
      const asked = [];
      const call = async (tool, args) => (asked.push([tool, args.city]), { value: { degrees: -4 }, isError: false });
      const tools = [
        {
          name: "own",
          list: async () => [{ ...weatherTool, annotations: { readOnlyHint: true } }],
          call,
          close: async () => {},
        },
      ];
      const models = {
        default: make({ baseUrl: origin + path, model: "m", apiKey: KEY, headers: { "x-test-id": `agent-${name}` } }),
      };
      const report = await run(graph, { models, tools });
      assert.deepEqual(
        [report.outcome.type, report.last],
        ["completed", "cold in both"],
        JSON.stringify(report.outcome),
      );
      assert.deepEqual(asked, [
        ["weather", "Oslo"],
        ["weather", "Bergen"],
      ]);
      assert.ok(!JSON.stringify(report).includes(KEY));
    });
  }
  await context.test("a disconnecting or overloaded provider is called three times", async () => {
    await Promise.all(
      PROVIDERS.flatMap(([, make, path], at) =>
        [
          ["hang up", "model/unreachable"],
          ["overloaded", "model/overloaded"],
        ].map(async ([what, code]) => {
          const count = counting();
          const model = make({ baseUrl: origin + path, model: "m", apiKey: KEY, fetch: count });
          await fails(chat(model, chatRequest(what), at % 2 === 0), code);
          assert.equal(count.times, 3);
        }),
      ),
    );
  });
});

test("llama.cpp with SmolLM2", async (context) => {
  const server = await servers.llama();
  context.after(() => server.stop());
  let came;
  const listening = async (url, init) => {
    const response = await fetch(url, init);
    came = response.clone().text();
    return response;
  };
  const clients = [openai, openaiResponses, anthropic].map((make) =>
    make({ baseUrl: server.url, model: "smollm2", apiKey: KEY, fetch: listening }),
  );
  const [model, , messages] = clients;
  for (const [at, name] of ["chat completions", "Responses", "Messages"].entries()) {
    for (const streams of [false, true]) {
      await context.test(`${name}, ${streams ? "in pieces" : "whole"}`, async () => {
        const { text, finish, usage, said } = await chat(
          clients[at],
          chatRequest("Say hello.", { max_tokens: 8 }),
          streams,
        );
        assert.ok(text.length > 0 && ["stop", "length"].includes(finish), JSON.stringify({ text, finish }));
        assert.equal(said, streams ? text : "");
        // If the first token is part of a character, this server omits `message_start` with its input usage.
        const headless = name === "Messages" && streams && !(await came).includes("message_start");
        if (headless) assert.equal(usage, null);
        else
          assert.ok(
            usage.input > 0 && usage.output > 0 && usage.output <= 9 && usage.cached_input <= usage.input,
            JSON.stringify(usage),
          );
      });
    }
    await context.test(`${name}: a conversation with calls`, async () => {
      const call = { id: "call_1", name: "weather", arguments: { city: "Oslo" } };
      const said = [
        { role: "system", content: "Be brief.", cache: true },
        user("How is Oslo?"),
        { role: "assistant", content: "", tool_calls: [call] },
      ];
      const answer = { role: "tool", content: "-4 and snow", call_id: "call_1", tool: "weather", cache: true };
      const request = {
        ...chatRequest("", { tools: [weatherTool], max_tokens: 4, cache_key: "k" }),
        messages: [...said, answer],
      };
      const { finish, usage } = await chat(clients[at], request, false);
      assert.ok(finish !== "filtered" && usage.input > 10, JSON.stringify({ finish, usage }));
    });
  }
  await context.test("the model answers by a schema", async () => {
    const { text } = await chat(
      model,
      chatRequest("How is the weather today? It is sunny.", { schema: moodSchema, max_tokens: 160 }),
      true,
    );
    assert.ok(["good", "bad"].includes(JSON.parse(text).mood), text);
  });
  await context.test("the client counts cached tokens", async () => {
    const system = { role: "system", content: "You are a helpful clerk of a small shop. ".repeat(8), cache: true };
    const chatOnce = (client, content) =>
      client.chat({ ...chatRequest("", { max_tokens: 2 }), messages: [system, user(content)] });
    await chatOnce(model, "One?");
    for (const client of [model, messages]) {
      const { usage } = await chatOnce(client, "Two?");
      assert.ok(usage.cached_input > 40 && usage.cached_input < usage.input, JSON.stringify(usage));
    }
  });
  await context.test("the client rejects unsupported requests", async () => {
    await fails(model.chat(chatRequest("hi", { schema: { type: "no-such-type" } })), "model/refused");
    const long = "one two three four five six seven eight ".repeat(700);
    for (const client of clients) await fails(client.chat(chatRequest(long)), "model/context-length", /context/);
  });
});

/** Each with the expected code, or one code for each of the four formats. */
const invalidReplies = [
  ["HTML", (r) => r.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>"), "model/bad-reply"],
  ["nothing", (r) => r.writeHead(200).end(), "model/bad-reply"],
  [
    "half of a JSON text",
    (r) => r.writeHead(200, { "content-type": "application/json" }).end('{"choices":['),
    "model/bad-reply",
  ],
  [
    "JSON of another shape",
    (r) => json(r, 200, { choices: "none", output: 3, content: {}, candidates: [7] }),
    "model/bad-reply",
  ],
  ["no choices", (r) => json(r, 200, { choices: [], output: {}, content: "a", candidates: [] }), "model/bad-reply"],
  [
    "no UTF-8",
    (r) => r.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0x22, 0xff, 0x22])),
    "model/bad-reply",
  ],
  [
    "a deep list",
    (r) => r.writeHead(200, { "content-type": "application/json" }).end("[".repeat(1e6)),
    "model/bad-reply",
  ],
  [
    "an event of garbage",
    (r) => r.writeHead(200, { "content-type": "text/event-stream" }).end("data: <h1>\n\n"),
    "model/bad-reply",
  ],
  [
    "an error under 200",
    (r) => json(r, 200, { error: { message: `no more of ${KEY}`, code: "insufficient_quota" } }),
    "model/quota",
  ],
  [
    "an event of an error",
    (r) =>
      r
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`data: {"type":"error","error":{"message":"${KEY}","type":"invalid_request_error"}}\n\n`),
    "model/refused",
  ],
  ["an endless line", (r) => sendSlowly(r, Buffer.alloc(1 << 20, 97)), "model/too-large"],
  [
    "a hundred megabytes of small events",
    (r) => sendSlowly(r, Buffer.from(": nothing\n\n".repeat(1e5))),
    "model/too-large",
  ],
  ["a redirect", (r) => r.writeHead(307, { location: "http://127.0.0.1:1/" }).end(), "model/bad-reply"],
  ["an HTML page for a wrong path", (r) => r.writeHead(404).end("not here"), "model/not-found"],
];

/** Sends a hundred megabytes, unless the client closes the connection. */
function sendSlowly(response, part) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return pipeline(Array(Math.ceil(1e8 / part.length)).fill(part), response).catch(() => {});
}

for (const [what, answer, code] of invalidReplies) {
  test(`a model that answers ${what}`, async (context) => {
    const { url, requests, stop } = await serve(({ response }) => answer(response));
    context.after(stop);
    // The size limit is the same for all formats.
    const formats = code === "model/too-large" ? PROVIDERS.slice(0, 1) : PROVIDERS;
    for (const [, make] of formats) {
      for (const streams of [false, true])
        await fails(chat(make({ baseUrl: url, model: "m", apiKey: KEY }), chatRequest("hi"), streams), code);
    }
    assert.equal(requests.length, 2 * formats.length);
  });
}

test("a model that never answers, or stops in the middle, times out", async (context) => {
  const silent = await serve(() => {});
  const slow = await serve(({ response }) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {"),
  );
  context.after(() => Promise.all([silent.stop(), slow.stop()]));
  await Promise.all(
    [silent, slow].flatMap(({ url }) =>
      PROVIDERS.map(([, make], at) =>
        fails(
          chat(make({ baseUrl: url, model: "m", apiKey: KEY, timeoutMs: 1500 }), chatRequest("hi"), at % 2 === 0),
          "model/timeout",
        ),
      ),
    ),
  );
  assert.equal(silent.requests.length + slow.requests.length, 2 * PROVIDERS.length);
});

test("a stream that ends before its first delta is requested again", async (context) => {
  const event = (r) =>
    r.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "yes" }, finish_reason: "stop" }] })}\n\n`);
  const { url, requests, stop } = await serve(({ response, count }) => {
    response.writeHead(200, { "content-type": "text/event-stream", "retry-after-ms": "1" });
    if (count > 1) event(response);
    response.end(": so long\n\n");
  });
  context.after(stop);
  assert.equal((await chat(openai({ baseUrl: url }), chatRequest("hi"), true)).text, "yes");
  assert.equal(requests.length, 2);
});

test("an answer is read to its end mark, not to the end of the connection", async (context) => {
  const { url, stop } = await serve(({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const byte of Buffer.from(
      'data: {"choices":[{"delta":{"content":"ä€😀"},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    ))
      response.write(Buffer.of(byte));
  });
  context.after(stop);
  const { text, said } = await chat(openai({ baseUrl: url }), chatRequest("hi"), true);
  assert.deepEqual([text, said], ["ä€😀", "ä€😀"]);
});

test("a stream is cancelled when the signal is aborted or the listener throws", async (context) => {
  let closed;
  const { url, requests, stop } = await serve(({ response }) => {
    closed = new Promise((resolve) => response.on("close", resolve));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
  });
  context.after(stop);
  const controller = new AbortController();
  const model = openai({ baseUrl: url, apiKey: KEY });
  await assert.rejects(
    model.chat(chatRequest("hi"), { signal: controller.signal, onDelta: () => controller.abort(new Error("enough")) }),
    /enough/,
  );
  await closed;
  const mistake = new TypeError("a mistake of the listener");
  await assert.rejects(
    model.chat(chatRequest("hi"), {
      onDelta: () => {
        throw mistake;
      },
    }),
    mistake,
  );
  await closed;
  assert.equal(requests.length, 2);
});

test("a request contains only necessary fields for each provider", async (context) => {
  const { url, requests, stop } = await serve(({ response }) => json(response, 400, {}));
  context.after(stop);
  const own = new Set([
    "host",
    "connection",
    "accept",
    "accept-language",
    "sec-fetch-mode",
    "user-agent",
    "accept-encoding",
    "content-length",
  ]);
  for (const [name, make] of PROVIDERS) {
    await fails(make({ baseUrl: url, model: "m", apiKey: KEY }).chat(chatRequest("hi")), "model/refused");
    const { headers, body } = requests.at(-1);
    const sent = Object.fromEntries(Object.entries(headers).filter(([header]) => !own.has(header)));
    assert.deepEqual(sent, {
      "content-type": "application/json",
      ...({ anthropic: { "x-api-key": KEY, "anthropic-version": "2023-06-01" }, gemini: { "x-goog-api-key": KEY } }[
        name
      ] ?? { authorization: `Bearer ${KEY}` }),
    });
    assert.ok(!/temperature|top_p|top_k|topP|seed|penalty/i.test(JSON.stringify(body)));
  }
});

test("an unrepresentable message is rejected", async (context) => {
  const { url, requests, stop } = await serve(({ response }) => json(response, 200, {}));
  context.after(stop);
  const deep = JSON.parse(`${'{"a":'.repeat(130)}1${"}".repeat(130)}`);
  const called = { role: "assistant", content: "", tool_calls: [{ id: "c", name: "f", arguments: deep }] };
  for (const [, make] of PROVIDERS) {
    const model = make({ baseUrl: url, model: "m", apiKey: KEY });
    const say = (messages, more = {}) => model.chat({ ...chatRequest("", more), messages });
    await fails(say([user("hi"), called]), "model/refused", /nested more than 128 deep/);
    await fails(say([user("hi")], { schema: deep }), "model/refused", /nested/);
    await fails(say([user("hi"), user([{ type: "text", text: "there" }])]), "model/refused", /`messages\[1\]`/);
    await fails(say(undefined), "model/refused", /`messages`/);
  }
  assert.equal(requests.length, 0);
});

/** Like Chrome's `LanguageModel`. */
function languageModel(answers, availability = "available") {
  const asked = [];
  const answer = () => {
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const session = (made) => ({
    prompt: async (input, options) => (asked.push({ ...made, input, options }), answer()),
    promptStreaming: (input, options) => {
      asked.push({ ...made, input, options });
      return new ReadableStream({
        start: (control) => (
          answer()
            .match(/../g)
            .forEach((part) => control.enqueue(part)),
          control.close()
        ),
      });
    },
    destroy: () => (asked.at(-1).destroyed = true),
  });
  return { asked, availability: async () => availability, create: async (made) => session(made) };
}

test("the model that Chrome brings along", async (context) => {
  context.after(() => delete globalThis.LanguageModel);
  const model = chromeModel();
  const given = (...answers) => (globalThis.LanguageModel = languageModel(answers)).asked;
  const system = { role: "system", content: "Be brief." };

  await fails(model.chat(chatRequest("hi")), "model/unreachable", /no language model/);
  globalThis.LanguageModel = languageModel([], "unavailable");
  await fails(model.chat(chatRequest("hi")), "model/unreachable", /not available/);

  let asked = given("hello");
  const { text } = await chat(
    model,
    { ...chatRequest("", { schema: moodSchema }), messages: [system, user("hi")] },
    false,
  );
  assert.equal(text, "hello");
  assert.deepEqual(
    [asked[0].initialPrompts, asked[0].input, asked[0].options.responseConstraint, asked[0].destroyed],
    [[system], [user("hi")], moodSchema, true],
  );

  given("hey you");
  assert.equal((await chat(model, chatRequest("hi"), true)).said, "hey yo");

  asked = given(
    '{"tool_calls":[{"name":"weather","arguments":{"city":"Oslo"}}]}',
    '{"answer":"cold"}',
    "just text",
    '{"answer":{"mood":"bad"}}',
  );
  const request = chatRequest("How is Oslo?", { tools: [weatherTool] });
  const reply = await chat(model, request, true);
  assert.deepEqual(
    [reply.finish, reply.tool_calls, reply.told],
    ["tool_calls", [{ id: "call_1_0", name: "weather", arguments: { city: "Oslo" } }], []],
  );
  const answered = { role: "tool", content: "-4", call_id: "call_1_0", tool: "weather" };
  const next = {
    ...request,
    messages: [...request.messages, { role: "assistant", content: "", tool_calls: reply.tool_calls }, answered],
  };
  assert.equal((await chat(model, next, false)).text, "cold");
  assert.match(asked[1].input[0].content, /`weather`:\n-4/);
  assert.match(asked[1].initialPrompts[0].content, /weather: the weather of a city/);
  assert.equal(asked[0].options.responseConstraint.anyOf.length, 2);
  assert.equal((await chat(model, request, false)).text, "just text");
  assert.equal((await chat(model, { ...request, schema: moodSchema }, false)).text, '{"mood":"bad"}');

  const namedError = (name) => Object.assign(new Error("no"), { name });
  for (const [name, code] of [
    ["QuotaExceededError", "model/context-length"],
    ["NotSupportedError", "model/refused"],
    ["UnknownError", "model/failed"],
  ]) {
    given(namedError(name));
    await fails(model.chat(chatRequest("hi")), code);
  }
  given("late");
  await assert.rejects(model.chat(chatRequest("hi"), { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});
