/** Servers of the wire's profile: functions in place of `fetch`, so that pieces of responses always arrive alike. */

export const LEGACY = "2025-11-25";
export const MODERN = "2026-07-28";

export const TOOLS = [
  {
    name: "price",
    title: "Price",
    description: "The price of an item",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        item: { type: "string", description: "its name", minLength: 1, maxLength: 80 },
        n: { type: "integer", minimum: 1, default: 1 },
        kind: { type: "string", enum: ["tea", "jam"] },
        tags: { type: "array", items: { type: "string" }, default: [] },
      },
      required: ["item"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { price: { type: "number" } },
      required: ["price"],
      additionalProperties: false,
    },
    annotations: { title: "Price", readOnlyHint: true, openWorldHint: false },
    _meta: { team: "shop" },
  },
  { name: "echo", inputSchema: { type: "object" } },
  { name: "broken", description: "fails", inputSchema: { type: "object", properties: {} }, annotations: null },
];

const RESULTS = {
  price: { content: [{ type: "text", text: '{"price": 4}' }], structuredContent: { price: 4 } },
  echo: { content: [{ type: "text", text: 'Echo: h\u00e9 "q" \\ \ud83e\udd75\n' }] },
  broken: { content: [{ type: "text", text: "no such item" }], isError: true },
};

const json = (value, headers = {}, status = 200) =>
  new Response(JSON.stringify(value), {
    status,
    headers: {
      "content-type": "application/json",
      date: "Tue, 14 Nov 2023 22:13:20 GMT",
      "x-request-id": "1",
      ...headers,
    },
  });

/** In pieces that end anywhere. */
function stream(text, headers = {}) {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    start(controller) {
      const size = Math.max(1, Math.ceil(bytes.length / 3));
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...headers },
  });
}

const event = (value) => `event: message\ndata: ${JSON.stringify(value)}\n\n`;

function mcpResult(method, params, isModern) {
  const common = isModern ? { resultType: "complete" } : {};
  const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} };
  const serverInfo = { name: "shop", title: "Shop", version: "1.2" };
  if (method === "initialize") return { protocolVersion: LEGACY, capabilities, serverInfo, instructions: "Be kind." };
  if (method === "server/discover")
    return {
      ...common,
      supportedVersions: [MODERN],
      capabilities,
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
      ttlMs: 0,
    };
  if (method === "tools/list") return { ...common, tools: TOOLS, ...(isModern && { ttlMs: 60_000 }) };
  return { ...common, ...RESULTS[params.name] };
}

/** An MCP server. Legacy ones answer the probe as real servers do. */
export function mcpServer({ isModern = false, isStream = false, hasSession = false, refusal = 404 }) {
  return async (_url, init) => {
    if (init.method !== "POST") return new Response(null, { status: 204 });
    const { id, method, params } = JSON.parse(init.body);
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "server/discover" && !isModern) {
      if (refusal === 200) return json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
      return json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "no session" } }, {}, refusal);
    }
    const headers = hasSession ? { "mcp-session-id": "s1" } : {};
    const reply = { jsonrpc: "2.0", id, result: mcpResult(method, params, isModern) };
    if (!isStream) return json(reply, headers);
    const progressToken = params?._meta?.progressToken;
    const progress = { progressToken, progress: 1, total: 2, message: "half" };
    const note = { jsonrpc: "2.0", method: "notifications/progress", params: progress };
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hi" } };
    const first = progressToken === undefined ? "" : event(note) + event(log);
    return stream(`: hi\n\n${first}id: 1\n${event(reply)}`, headers);
  };
}

const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 5,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const called = (index) => ({
  ...(index !== undefined && { index }),
  id: "c1",
  type: "function",
  function: { name: "price", arguments: '{"item": "t\u00e9a", "n": 2}' },
});

/** In OpenAI's format. */
export function chatServer(isCall) {
  return async (_url, init) => {
    const { stream: isStream } = JSON.parse(init.body);
    const finish = isCall ? "tool_calls" : "stop";
    const head = { id: "chatcmpl-1", created: 1, model: "m", system_fingerprint: "f", service_tier: "default" };
    if (!isStream) {
      const message = isCall
        ? { role: "assistant", content: null, refusal: null, tool_calls: [called()] }
        : { role: "assistant", content: "f\u00f6ur \ud83e\udd75", annotations: [] };
      const choice = { index: 0, message, logprobs: null, finish_reason: finish };
      return json({ ...head, object: "chat.completion", choices: [choice], usage: USAGE });
    }
    const [start, end] = [called(0), { index: 0, function: { arguments: "}" } }];
    start.function.arguments = '{"item": "tea"';
    const deltas = isCall
      ? [{ tool_calls: [start] }, { tool_calls: [end] }]
      : [{ content: "f\u00f6" }, { content: "ur" }];
    const chunk = (delta, finish_reason = null, more = {}) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
    const chunks = [{ role: "assistant", content: "" }, ...deltas].map((delta) => chunk(delta));
    const usage = `data: ${JSON.stringify({ ...head, choices: [], usage: USAGE })}\n\n`;
    return stream(`${chunks.join("")}${chunk({}, finish)}${usage}data: [DONE]\n\n`);
  };
}

const sse = (...events) =>
  events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`).join("");
const INPUT = { item: "t\u00e9a", n: 2 };

export function anthropicServer(isCall) {
  const usage = { input_tokens: 3, cache_creation_input_tokens: 1, cache_read_input_tokens: 1, output_tokens: 2 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m" };
  const stop_reason = isCall ? "tool_use" : "end_turn";
  const text = { type: "text", text: "f\u00f6ur" };
  const call = { type: "tool_use", id: "c1", name: "price" };
  return async (_url, init) => {
    if (!JSON.parse(init.body).stream)
      return json({ ...head, content: [text, ...(isCall ? [{ ...call, input: INPUT }] : [])], stop_reason, usage });
    const block = (index, start, delta) => [
      ["content_block_start", { index, content_block: start }],
      ["content_block_delta", { index, delta }],
      ["content_block_stop", { index }],
    ];
    return stream(
      sse(
        ["message_start", { message: { ...head, content: [], stop_reason: null, usage } }],
        ["ping", {}],
        ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "f\u00f6ur" }),
        ...(isCall
          ? block(1, { ...call, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(INPUT) })
          : []),
        ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } }],
        ["message_stop", {}],
      ),
    );
  };
}

export function geminiServer(isCall) {
  const parts = [{ text: "f\u00f6ur" }, ...(isCall ? [{ functionCall: { name: "price", args: INPUT } }] : [])];
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5, thoughtsTokenCount: 1 };
  const candidates = [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }];
  const reply = { candidates, usageMetadata, modelVersion: "m", responseId: "r" };
  return async (url) => (url.includes("alt=sse") ? stream(`data: ${JSON.stringify(reply)}\n\n`) : json(reply));
}

export function responsesServer(isCall) {
  const content = [{ type: "output_text", text: "f\u00f6ur", annotations: [] }];
  const message = { id: "m1", type: "message", role: "assistant", status: "completed", content };
  const call = { id: "f1", type: "function_call", call_id: "c1", name: "price", arguments: JSON.stringify(INPUT) };
  const output = [message, ...(isCall ? [call] : [])];
  const usage = { input_tokens: 3, output_tokens: 2, input_tokens_details: { cached_tokens: 1 } };
  const response = { id: "r", object: "response", status: "completed", error: null, model: "m", output, usage };
  return async (_url, init) => {
    if (!JSON.parse(init.body).stream) return json(response);
    const done = (output_index, item) => ["response.output_item.done", { output_index, item }];
    const place = { output_index: 0, content_index: 0, item_id: "m1" };
    return stream(
      sse(
        ["response.created", { response: { ...response, status: "in_progress", output: [], usage: null } }],
        ["response.output_item.added", { output_index: 0, item: { ...message, content: [] } }],
        ["response.output_text.delta", { ...place, delta: "f\u00f6ur" }],
        done(0, message),
        ...(isCall
          ? [
              ["response.output_item.added", { output_index: 1, item: { ...call, arguments: "" } }],
              ["response.function_call_arguments.delta", { output_index: 1, delta: call.arguments }],
              done(1, call),
            ]
          : []),
        ["response.completed", { response }],
      ),
    );
  };
}

/** Also the authorization server. */
export function authServer(origin) {
  const server = mcpServer({ isModern: true });
  return async (url, init) => {
    const { pathname } = new URL(url);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ["tools"] });
    if (pathname.startsWith("/.well-known/"))
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        code_challenge_methods_supported: ["S256"],
        scopes_supported: ["tools"],
      });
    if (pathname === "/register") return json({ client_id: "client", client_id_issued_at: 1 }, {}, 201);
    if (pathname === "/token")
      return json({ access_token: "token", token_type: "Bearer", expires_in: 1, refresh_token: "r", scope: "tools" });
    if (new Headers(init.headers).get("authorization") !== "Bearer token") {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="tools"`;
      return json({ error: "invalid_token" }, { "www-authenticate": challenge }, 401);
    }
    return server(url, init);
  };
}
