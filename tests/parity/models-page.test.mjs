// Tests the model clients in Chromium with servers of another origin: CORS preflights and answers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { visit } from "../package/pages.mjs";
import { json, serve } from "../servers/serve.mjs";

const TIMEOUT = { timeout: 120_000 };
/** In the order of the browser's preflight. */
const HEADERS = {
  openai: ["authorization", "content-type"],
  openaiResponses: ["authorization", "content-type"],
  anthropic: ["anthropic-dangerous-direct-browser-access", "anthropic-version", "content-type", "x-api-key"],
  gemini: ["content-type", "x-goog-api-key"],
};
const TEXT = "grüezi 😀";
const RESPONSES = {
  openai: { choices: [{ message: { content: TEXT }, finish_reason: "stop" }] },
  openaiResponses: {
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: TEXT }] }],
  },
  anthropic: { content: [{ type: "text", text: TEXT }], stop_reason: "end_turn" },
  gemini: { candidates: [{ content: { parts: [{ text: TEXT }] }, finishReason: "STOP" }] },
};
const STREAMS = {
  openai: [{ choices: [{ delta: { content: TEXT }, finish_reason: "stop" }] }],
  openaiResponses: [
    { type: "response.output_text.delta", delta: TEXT },
    { type: "response.completed", response: RESPONSES.openaiResponses },
  ],
  anthropic: [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXT } },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
  ],
  gemini: [RESPONSES.gemini],
};

let [open, shut, visited, found] = [];
const preflightHeaders = {};
before(async () => {
  open = await serve(({ request, body, response }) => {
    const provider = request.url.split("/")[1];
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": HEADERS[provider].join() };
    if (request.method === "OPTIONS") {
      preflightHeaders[provider] = request.headers["access-control-request-headers"].split(",");
      return response.writeHead(204, cors).end();
    }
    if (!body.stream && !request.url.includes("alt=sse")) return json(response, 200, RESPONSES[provider], cors);
    response.writeHead(200, { "content-type": "text/event-stream", ...cors });
    response.end(STREAMS[provider].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  });
  shut = await serve(({ response }) => json(response, 200, RESPONSES.openai));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  visited = await visit(root, {
    page: `/tests/parity/models-page.mjs?open=${encodeURIComponent(open.url)}&shut=${encodeURIComponent(shut.url)}`,
  });
  found = JSON.parse(await visited.told.page);
}, TIMEOUT);
after(() => Promise.all([visited?.close(), open?.stop(), shut?.stop()]));

for (const [provider, headers] of Object.entries(HEADERS)) {
  test(`${provider}: the browser preflights only necessary headers, and the answer arrives whole and streamed`, () => {
    assert.deepEqual(preflightHeaders[provider], headers);
    assert.deepEqual(found[provider], [TEXT, TEXT, TEXT]);
  });
}

test("a server without CORS can't be reached, and no key is sent", () => {
  assert.match(
    found.shut,
    /^model\/unreachable: `127\.0\.0\.1:\d+` could not be reached: .+ allow this page's origin and the headers content-type, authorization$/,
  );
  assert.ok(!found.shut.includes("sk-marker"));
});

test("a browser without a model reports it", () => assert.match(found.chrome, /^model\/unreachable: /));
