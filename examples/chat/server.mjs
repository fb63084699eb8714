/**
 * A chat in the browser that runs a plan: steps, text as it streams, and an approval with buttons.
 *
 *   node examples/chat/server.mjs
 *
 * It works without a network. Set OPENAI_API_KEY to talk to a model of OpenAI, and PORT for another port than 8787.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { openai, PlanGraph, run } from "stepgraph";
import { decisionsOf, toUIMessageStreamResponse } from "stepgraph/ai-sdk";
import { houseTools, scriptedModel } from "./model.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const FILES = {
  "/": ["index.html", "text/html"],
  "/chat.css": ["chat.css", "text/css"],
  "/chat.js": ["chat.js", "text/javascript"],
  "/message.js": ["message.js", "text/javascript"],
};
const MAX_BODY = 1_000_000;

/** Starts the server. Returns its address and a function that ends it. */
export async function startChat({ port = 0, model = scriptedModel(), tools = houseTools() } = {}) {
  const graph = PlanGraph.load(read("trip.yaml"));
  /** Paused runs, by chat. Use a database: then a run survives a restart. */
  const paused = new Map();
  const options = { models: { default: model }, tools: [tools], updates: true };

  function answer({ id, messages }) {
    const last = messages.at(-1);
    const resumes = last.role === "assistant";
    const snapshot = paused.get(id);
    if (resumes && snapshot === undefined) return new Response("This run is over.", { status: 409 });
    const input = resumes ? { snapshot, decisions: decisionsOf(last) } : { input: textOf(last) };
    const stream = run.stream(graph, { ...options, ...input });
    paused.delete(id);
    stream.report.then(
      ({ outcome, snapshot }) => outcome.type === "paused" && paused.set(id, snapshot),
      (error) => console.error(error),
    );
    return toUIMessageStreamResponse(stream, resumes ? { message: last } : {});
  }

  const server = createServer(async (request, response) => {
    try {
      await send(response, request.method === "POST" ? answer(await readJson(request)) : file(request.url));
    } catch (error) {
      // If the client disconnects, the run is cancelled. Everything else is a mistake in the request.
      if (response.headersSent) response.destroy();
      else response.writeHead(400).end(error instanceof Error ? error.message : "bad request");
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

const textOf = ({ parts }) => parts.map(({ text = "" }) => text).join("");

function file(url) {
  const [name, type] = FILES[url] ?? [];
  if (name === undefined) return new Response("not found", { status: 404 });
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy": "default-src 'self'; img-src data:",
  };
  return new Response(read(name), { headers });
}

async function readJson(request) {
  // A page of another origin can't send this type without asking first.
  if (!request.headers["content-type"]?.startsWith("application/json")) throw new Error("send JSON");
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY) throw new Error("the request is too long");
  }
  return JSON.parse(body);
}

async function send(response, { status, headers, body }) {
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) response.end();
  else await pipeline(Readable.fromWeb(body), response);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const apiKey = process.env.OPENAI_API_KEY;
  const model = apiKey ? openai({ apiKey, model: "gpt-5-mini" }) : scriptedModel();
  const { url } = await startChat({ port: Number(process.env.PORT ?? 8787), model });
  console.log(`The chat is at ${url} (Ctrl-C ends it).`);
}
