// Bundles scripts, opens each in a page and returns what it told. The server also plays an MCP server and a model.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { consumer, output } from "./consumer.mjs";
import { visit } from "./pages.mjs";
import * as kits from "./toolchains.mjs";

/**
 * `jobs` maps names to `{script, folder}`. A script exports its result. Returns `{user, told, close}`: the folder with
 * the bundles, and each page's promised text with `{result, files}`. `first` may answer a request before the server.
 */
export async function visitJobs(jobs, first = async () => false) {
  const files = Object.values(jobs).map(({ script }, at) => [
    `job${at}.mjs`,
    `${script}
     const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
     tell(JSON.stringify({ result, files }));`,
  ]);
  const user = consumer(Object.fromEntries(files));
  const names = files.map(([name]) => name);
  const flags = ["--bundle", "--splitting", "--format=esm", "--minify", "--outdir=bundle", "--log-level=error"];
  // Otherwise the jobs would share scripts.
  for (const name of names) await output(await kits.esbuild(), [name, ...flags], user.folder);
  // The scripts look for the modules beside their own folder.
  cpSync(join(user.folder, "node_modules/stepgraph/pkg"), join(user.folder, "pkg"), { recursive: true });
  const pages = Object.entries(jobs).map(([name, { folder = "/bundle" }], at) => [name, `${folder}/job${at}.js`]);
  const answer = async (request, response) => (await first(request, response, user)) || answerCall(request, response);
  const { told, close } = await visit(user.folder, Object.fromEntries(pages), answer);
  return { user, told, close: () => close().then(() => user.remove()) };
}

/** Answers calls of `/mcp` and `/v1`. */
export async function answerCall(request, response) {
  if (request.method !== "POST" || !/^\/(mcp|v1)/.test(request.url)) return false;
  const { id, method } = JSON.parse(await bodyOf(request));
  const isMcp = request.url.startsWith("/mcp");
  const reply = isMcp ? mcpReply(method) : CHAT;
  if (reply === null) return response.writeHead(202).end() && true;
  const json = isMcp ? { jsonrpc: "2.0", id, ...reply } : reply;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
  return true;
}

/** As real servers have it. */
const CHAT = {
  id: "chat-1",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "four" } }],
  usage: { prompt_tokens: 123, completion_tokens: 45, total_tokens: 168, prompt_tokens_details: { cached_tokens: 0 } },
};

export async function bodyOf(request) {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  return body;
}

function mcpReply(method) {
  const inputSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      item: { type: "string", description: "its name", minLength: 1, maxLength: 40 },
      currency: { type: "string", enum: ["EUR", "USD"], default: "EUR" },
      count: { type: "integer", minimum: 1, maximum: 9 },
    },
    required: ["item"],
    additionalProperties: false,
  };
  const outputSchema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };
  const annotations = { title: "Price", readOnlyHint: true, openWorldHint: false };
  const tool = { name: "price", description: "The price of an item", inputSchema, outputSchema, annotations };
  const results = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "shop", version: "1" },
    },
    "tools/list": { tools: [tool] },
    "tools/call": { content: [{ type: "text", text: '{"price": 4}' }], structuredContent: { price: 4 } },
  };
  if (method.startsWith("notifications/")) return null;
  const result = results[method];
  return result === undefined ? { error: { code: -32601, message: "unknown method" } } : { result };
}
