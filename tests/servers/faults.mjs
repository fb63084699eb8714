// Faulty tool servers for the doctor of connections, each with one fault and the expected finding.

import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { selfSigned } from "./certificate.mjs";
import { startRefusingServer } from "./serve.mjs";

export const KEY = "the-key-of-the-server";
const ALLOWED = [
  "content-type",
  "authorization",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
  "x-own",
];
const OPEN = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "mcp-session-id, www-authenticate",
  "access-control-allow-methods": "POST, GET, DELETE",
  "access-control-allow-headers": ALLOWED.join(", "),
};
/** Some of the allowed headers are missing. */
const without = (...names) => ({
  ...OPEN,
  "access-control-allow-headers": ALLOWED.filter((name) => !names.includes(name)).join(", "),
});
/** Lets pages read responses, but answers no preflight. */
const refusePreflight = (request, response) => {
  response.setHeader("access-control-allow-origin", "*");
  if (request.method !== "OPTIONS") return false;
  return response.writeHead(405).end();
};

const answer = (response, status, body, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const result = (response, body, value, headers) =>
  answer(response, 200, { jsonrpc: "2.0", id: body.id, result: value }, headers);

/** The older era may have sessions. */
const modern = ({ body, response }) =>
  result(response, body ?? {}, { supportedVersions: ["2026-07-28"], tools: [], resultType: "complete" });
const olderEra =
  ({ sessions = new Set(["s1"]), version = "2025-11-25" } = {}) =>
  ({ request, body, response }) => {
    if (request.method === "DELETE") return response.writeHead(200).end();
    if (body?.method === "initialize")
      return result(response, body, { protocolVersion: version }, { "mcp-session-id": "s1" });
    if (body?.method === "server/discover")
      return answer(response, 400, {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32000, message: "Server not initialized" },
      });
    if (!sessions.has(request.headers["mcp-session-id"]))
      return answer(response, request.headers["mcp-session-id"] ? 404 : 400, {
        error: { code: -32000, message: "no valid session" },
      });
    return body.method === "tools/call"
      ? result(response, body, { content: [{ type: "text", text: "older" }] })
      : result(response, body, { tools: [] });
  };
/** The older era has no sessions. */
const eitherEra = (call) => {
  const { request, body, response } = call;
  if (request.headers["mcp-protocol-version"] === "2026-07-28")
    return body?.method === "tools/call"
      ? result(response, body, { content: [{ type: "text", text: "newer" }], resultType: "complete" })
      : modern(call);
  if (body?.method === "initialize") return result(response, body, { protocolVersion: "2025-11-25" });
  if (body?.method === "tools/call") return result(response, body, { content: [{ type: "text", text: "older" }] });
  return body?.method?.startsWith("notifications/")
    ? response.writeHead(202).end()
    : result(response, body ?? {}, { tools: [] });
};
const stateless = ({ body, response }) =>
  body?.method === "initialize"
    ? result(response, body, { protocolVersion: "2025-11-25" })
    : body?.method === "tools/list"
      ? result(response, body, { tools: [] })
      : answer(response, 500, { oops: true });
const always =
  (status, text, headers = {}) =>
  ({ response }) =>
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(text);

/** The browser must not read the response. Other clients find no fault. */
const page = (code, words) => ({ page: [code, words], elsewhere: ["ok", ""] });
const all = (code, words) => ({ page: [code, words], elsewhere: [code, words] });

/** CORS headers or other setup, responses, the request, and the findings. */
export const faults = {
  "nothing wrong, newer era": { cors: OPEN, serve: modern, ...all("ok", "") },
  "nothing wrong, older era": { cors: OPEN, serve: olderEra(), ...all("ok", "") },
  "nothing wrong, no sessions, fails on what it does not know": { cors: OPEN, serve: stateless, ...all("ok", "") },
  "no page may read": { cors: {}, serve: modern, ...page("cors-origin", "access-control-allow-origin") },
  "another origin's pages may read": {
    cors: { ...OPEN, "access-control-allow-origin": "https://other.example" },
    serve: modern,
    ...page("cors-origin", "access-control-allow-origin"),
  },
  "no answer to OPTIONS": { cors: refusePreflight, serve: modern, ...page("cors-preflight", "`OPTIONS`") },
  "refuses the header of the version": {
    cors: without("mcp-protocol-version"),
    serve: olderEra(),
    ...page("cors-headers", "send `mcp-protocol-version`"),
  },
  "refuses headers of both eras": {
    cors: without("mcp-method", "mcp-name", "mcp-protocol-version"),
    serve: olderEra(),
    ...page("cors-headers", "`mcp-protocol-version`, `mcp-method` and `mcp-name`"),
  },
  "refuses headers of the newer era only, and speaks the older": {
    cors: without("mcp-method", "mcp-name"),
    serve: olderEra(),
    ...all("ok", ""),
  },
  "refuses headers of the only era it speaks": {
    cors: without("mcp-method", "mcp-name"),
    serve: (call) => (call.body?.method === "initialize" ? always(404, "")(call) : modern(call)),
    ...page("cors-headers", "`mcp-method` and `mcp-name`"),
  },
  "refuses the name of a tool": {
    cors: without("mcp-name"),
    serve: modern,
    ...page("cors-headers", "send `mcp-name`"),
  },
  "refuses the name of a tool, and speaks both eras": {
    cors: without("mcp-name"),
    serve: eitherEra,
    ...page("cors-headers", "send `mcp-name`"),
  },
  "refuses the header of the session": {
    cors: without("mcp-session-id"),
    serve: olderEra(),
    ...page("cors-headers", "send `mcp-session-id`"),
  },
  "refuses the key's header": {
    cors: without("authorization"),
    serve: modern,
    how: { key: KEY },
    ...page("cors-headers", "send `authorization`"),
  },
  "refuses a header of the user's own": {
    cors: without("x-own"),
    serve: modern,
    how: { headers: { "X-Own": KEY } },
    ...page("cors-headers", "send `x-own`"),
  },
  "hides the session": {
    cors: { ...OPEN, "access-control-expose-headers": "" },
    serve: olderEra(),
    ...page("cors-expose", "access-control-expose-headers: mcp-session-id"),
  },
  "lets no page end a session": {
    cors: { ...OPEN, "access-control-allow-methods": "POST, GET" },
    serve: olderEra(),
    ...page("cors-methods", "DELETE"),
  },
  "refuses the key": {
    cors: OPEN,
    serve: always(401, `not ${KEY}`),
    how: { key: KEY },
    ...all("key-wrong", "status 401"),
  },
  "wants a key": { cors: OPEN, serve: always(401, ""), ...all("key-missing", "`key`") },
  "wants a token": {
    cors: OPEN,
    serve: always(401, "", { "www-authenticate": 'Bearer resource_metadata="http://x/y"' }),
    ...all("sign-in", "oauth("),
  },
  "wants a key, unreadably": {
    cors: {},
    serve: always(401, ""),
    page: ["cors-origin", "a missing key looks the same"],
    elsewhere: ["key-missing", "401"],
  },
  "refuses the origin": {
    cors: OPEN,
    serve: always(403, "Invalid Origin header"),
    ...all("origin-refused", "Invalid Origin header"),
  },
  "refuses the host": {
    cors: OPEN,
    serve: always(421, "Invalid Host header"),
    ...all("origin-refused", "Invalid Host header"),
  },
  "another path": {
    cors: OPEN,
    serve: (call) => (call.request.url === "/mcp" ? modern(call) : always(404, "nothing here")(call)),
    path: "/wrong",
    ...all("path-near", "/mcp`"),
  },
  "no path at all": { cors: OPEN, serve: always(404, "nothing here"), path: "/wrong", ...all("path", "status 404") },
  "a page of the web": { cors: OPEN, serve: always(200, "<h1>Welcome</h1>"), ...all("not-mcp", "<h1>Welcome</h1>") },
  elsewhere: {
    cors: OPEN,
    serve: always(307, "", { location: "http://127.0.0.1:9/there?secret" }),
    page: ["redirect", "redirects"],
    elsewhere: ["redirect", "`127.0.0.1:9/there`"],
  },
  broken: { cors: OPEN, serve: always(500, "out of memory"), ...all("server-error", "out of memory") },
  "of the future": {
    cors: OPEN,
    serve: ({ body, response }) =>
      answer(response, 400, {
        id: body?.id,
        error: { code: -32022, message: "no", data: { supported: ["2099-01-01"] } },
      }),
    ...all("version", "2099-01-01"),
  },
  "forgets its sessions": { cors: OPEN, serve: olderEra({ sessions: new Set() }), ...all("session", "forgets it") },
  "never answers": { cors: OPEN, serve: () => {}, how: { timeoutMs: 400 }, ...all("timeout", "does not answer") },
  down: { down: true, page: ["down", "no server answers"], elsewhere: ["down", "no server answers"] },
  "a certificate that nobody trusts": {
    secure: true,
    cors: OPEN,
    serve: modern,
    page: ["unreachable-page", "certificate"],
    elsewhere: ["tls", "certificate"],
  },
  "not encrypted after all": {
    cors: OPEN,
    serve: modern,
    scheme: "https:",
    page: ["unreachable-page", "certificate"],
    elsewhere: ["tls", "encrypted connection"],
  },
};

/** `{ url, requests, stop }`. */
export async function startFaultServer(
  { cors, serve, path = "/mcp", secure = false, scheme = secure ? "https:" : "http:", down = false },
  tls = {},
) {
  const requests = [];
  if (down) {
    const { url, stop } = await startRefusingServer();
    return { url: `${url}${path}`, requests, stop };
  }
  const listener = async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    requests.push(request.method);
    if (typeof cors === "function") {
      if (cors(request, response)) return;
    } else {
      for (const [name, value] of Object.entries(cors ?? {})) response.setHeader(name, value);
      // A server with CORS headers answers the preflight. One without refuses it like any unknown method.
      if (request.method === "OPTIONS") return response.writeHead(Object.keys(cors ?? {}).length > 0 ? 204 : 405).end();
    }
    await serve({ request, response, body: text.startsWith("{") ? JSON.parse(text) : null });
  };
  const server = secure ? createSecureServer({ ...selfSigned(), ...tls }, listener) : createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { url: `${scheme}//127.0.0.1:${server.address().port}${path}`, requests, stop };
}
