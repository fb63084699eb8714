// Small test servers with scripted answers.

import { createServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";

/** `answer` gets the request, its body as JSON, the response, and the number of requests. */
export async function serve(answer) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: read(text) });
    await answer({ request, body: requests.at(-1).body, response, count: requests.length });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, stop };
}

/**
 * Returns an address that refuses connections until `stop`.
 *
 * It is the local port of an open connection, because the system may assign a closed port to another test's server.
 */
export async function startRefusingServer() {
  const peer = createTcpServer();
  await new Promise((resolve) => peer.listen(0, "127.0.0.1", resolve));
  const socket = connect(peer.address().port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const stop = () => new Promise((resolve) => (socket.destroy(), peer.close(resolve)));
  return { url: `http://127.0.0.1:${socket.localPort}`, stop };
}

/** A form stays text. */
function read(text) {
  if (text === "") return null;
  return /^[{["]/.test(text) ? JSON.parse(text) : text;
}

export function json(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export const modern = (call) =>
  serve(({ body, response, ...rest }) => {
    const supported = { supportedVersions: ["2026-07-28"], capabilities: {} };
    if (body.method === "server/discover") json(response, 200, { jsonrpc: "2.0", id: body.id, result: supported });
    else call({ body, response, ...rest });
  });

export const withTools = (tools, call) =>
  modern(({ body, response, ...rest }) => {
    if (body.method !== "tools/list") return call({ body, response, ...rest });
    const list = tools.map((name) => ({ name, inputSchema: { type: "object" } }));
    json(response, 200, { jsonrpc: "2.0", id: body.id, result: { resultType: "complete", tools: list } });
  });
