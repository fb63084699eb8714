/**
 * The calls of the wire's profile. A function that runs here is in the first part, or in the part of its group.
 */
import {
  anthropicServer,
  authServer,
  chatServer,
  geminiServer,
  LEGACY,
  mcpServer,
  MODERN,
  responsesServer,
  TOOLS,
} from "./profile-servers.mjs";

const delay = setTimeout;
/** Pauses before retries end at once. */
globalThis.setTimeout = (act, ms, ...rest) => delay(act, ms > 20_000 ? ms : 0, ...rest);

const inPage = async (act) => {
  globalThis.location = { origin: "http://host" };
  try {
    await act();
  } finally {
    delete globalThis.location;
  }
};

async function expectError(promise, ...codes) {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  if (!codes.includes(error?.code)) throw new Error(`the profile expected ${codes}: ${error?.stack ?? "no error"}`);
}

async function useTools(client) {
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  const tools = await client.list();
  if (tools.length !== TOOLS.length) throw new Error("the profile's server lost a tool");
  for (const { name } of TOOLS) {
    const options = { call: "c", run: "r", onProgress: () => {} };
    const { isError } = await client.call(name, { item: 't\u00e9a "x"', n: 1, deep: [1.5, true, null] }, options);
    if (isError !== (name === "broken")) throw new Error(`the profile's tool \`${name}\` ended otherwise`);
  }
  await client.call("echo", {}, { trace });
  client.about();
  await client.list();
  await client.close();
}

let servers = 0;
const address = () => `http://127.0.0.1:${3000 + servers++}/mcp`;

async function withTools({ mcp }) {
  for (const settings of [
    { isModern: true },
    { isModern: true, isStream: true },
    {},
    { refusal: 200 },
    { refusal: 400, hasSession: true },
    { refusal: 400, hasSession: true, isStream: true },
  ]) {
    for (const how of [(act) => act(), inPage]) {
      const url = address();
      const fetch = mcpServer(settings);
      await how(() => useTools(mcp(url, { fetch, name: "shop", headers: { "x-own": "1" } })));
      await how(() => useTools(mcp(url, { fetch, key: "secret" })));
      await how(() => useTools(mcp(url, { fetch, version: settings.isModern ? MODERN : LEGACY })));
    }
  }
}

const SCHEMA = {
  type: "object",
  properties: { n: { type: "number" }, list: { type: "array", items: { type: "string" } } },
  required: ["n", "list"],
  additionalProperties: false,
};
const PRICE = { name: "price", description: "its price", input_schema: TOOLS[0].inputSchema };

const CHATS = [
  { model: null, messages: [{ role: "user", content: 'Say "hi" \u00e9 \\' }], schema: null, max_tokens: null },
  {
    model: "large",
    messages: [
      { role: "system", content: "Be short." },
      { role: "user", content: "hi" },
      { role: "assistant", content: "hm" },
      { role: "user", content: "so?" },
    ],
    schema: SCHEMA,
    max_tokens: 20,
    temperature: 0.5,
    cache_key: "k",
  },
  {
    model: null,
    messages: [
      { role: "user", content: "tea" },
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "price", arguments: { item: "tea" } }] },
      { role: "tool", content: '{"price": 4}', tool_call_id: "c1" },
    ],
    tools: [PRICE],
    tool_choice: "auto",
    schema: { type: "object", properties: { n: { type: "number" } } },
    max_tokens: 100,
    temperature: 0,
  },
  {
    model: null,
    messages: [{ role: "user", content: "tea", cache: true }],
    tools: [PRICE, { name: "echo", input_schema: { type: "object" } }],
    schema: null,
    max_tokens: null,
    cache_key: "b49177e05868",
  },
];

async function chatAll(create, isCall, options) {
  for (const request of CHATS) {
    for (const how of [(act) => act(), inPage]) {
      for (const onDelta of [undefined, () => {}]) {
        await how(async () => {
          const { text, tool_calls } = await create(options).chat(request, { onDelta });
          if (isCall ? tool_calls?.length !== 1 : text === "") throw new Error("the profile's model said nothing");
        });
      }
    }
  }
}

async function withModel({ openai }) {
  for (const isCall of [false, true]) {
    const fetch = chatServer(isCall);
    await chatAll(openai, isCall, { baseUrl: "http://127.0.0.1:1/v1", model: "m", fetch });
    await chatAll(openai, isCall, { apiKey: "secret", fetch, headers: { "x-own": "1" } });
  }
}

const ABORTED = "aborted";

/** Answers after the abort, in the middle of a body. */
function interrupted(server, stop) {
  return async (url, init) => {
    const { method, stream: isStream } = JSON.parse(init.body ?? "{}");
    if (method !== "tools/call" && method !== undefined) return server(url, init);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(isStream === false ? "{" : ": hi\n\ndata: "));
        init.signal?.addEventListener("abort", () => controller.error(init.signal.reason));
        stop(controller);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

async function withAborts({ mcp, openai }) {
  for (const settings of [{ isModern: true }, { hasSession: true }]) {
    const controller = new AbortController();
    const fetch = interrupted(mcpServer(settings), () => setTimeout(() => controller.abort({ code: ABORTED }), 0));
    const client = mcp(address(), { fetch });
    await client.list();
    await expectError(client.call("price", {}, { signal: controller.signal }), ABORTED);
    await expectError(client.call("echo", {}, { signal: controller.signal }), ABORTED);
  }
  for (const onDelta of [undefined, () => {}]) {
    const controller = new AbortController();
    const fetch = interrupted(null, () => setTimeout(() => controller.abort({ code: ABORTED }), 0));
    await expectError(openai({ fetch }).chat(CHATS[0], { onDelta, signal: controller.signal }), ABORTED);
  }
}

/** A page that is offline can't load a part that says so. */
async function withoutNetwork({ mcp, openai }) {
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  const broken = (server) =>
    interrupted(server, (body) => setTimeout(() => body.error(new TypeError("terminated")), 0));
  for (const onDelta of [undefined, () => {}]) {
    await expectError(openai({ fetch, apiKey: "k" }).chat(CHATS[0], { onDelta }), "model/unreachable");
    await expectError(openai({ fetch: broken() }).chat(CHATS[0], { onDelta }), "model/unreachable");
  }
  await expectError(mcp(address(), { fetch }).list(), "tool/unreachable");
  for (const settings of [{ isModern: true }, { hasSession: true }]) {
    const server = mcpServer(settings);
    for (const lost of [fetch, broken(server)]) {
      let isOffline = false;
      const client = mcp(address(), { fetch: (...request) => (isOffline ? lost : server)(...request) });
      await client.list();
      isOffline = true;
      await expectError(client.call("price", {}), "tool/unreachable", "mcp/stream-broken");
    }
  }
}

async function withUsual(library) {
  await withTools(library);
  await withModel(library);
  await withAborts(library);
  await withoutNetwork(library);
}

async function withProviders({ anthropic, gemini, openaiResponses }) {
  for (const [create, serve] of [
    [anthropic, anthropicServer],
    [gemini, geminiServer],
    [openaiResponses, responsesServer],
  ])
    for (const isCall of [false, true])
      await chatAll(create, isCall, { model: "m", apiKey: "secret", fetch: serve(isCall) });
}

/** Signs in with the browser, and as a client with a secret. */
async function withSigningIn({ mcp, oauth }) {
  const redirectUri = "http://127.0.0.1:7/back";
  const authorize = (url) => {
    const { origin, searchParams } = new URL(url);
    return `${redirectUri}?code=c&state=${searchParams.get("state")}&iss=${encodeURIComponent(origin)}`;
  };
  const clock = Date.now;
  for (const options of [
    { authorize, redirectUri },
    { authorize, redirectUri, clientId: "me" },
    { clientId: "me", clientSecret: "secret" },
  ]) {
    const origin = new URL(address()).origin;
    const saved = new Map();
    const store = { load: (server) => saved.get(server), save: (server, text) => void saved.set(server, text) };
    const auth = oauth({ ...options, store });
    const connect = () => mcp(`${origin}/mcp`, { auth, fetch: authServer(origin) });
    const client = connect();
    await client.list();
    // The token expires.
    Date.now = () => clock() + 3_600_000;
    await client.call("price", {});
    await connect().call("price", {});
    Date.now = clock;
  }
}

/** First part, providers, signing in. */
export const groups = [withUsual, withProviders, withSigningIn];
