/**
 * MCP over Streamable HTTP. 2026-07-28 is stateless, `sessions.ts` serves older revisions.
 *
 * Invariants: `access.ts` allows a request before it is read. Bodies above the limit are not stored. A disconnect
 * closes the stream, and in 2026-07-28 cancels the request.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Streamable HTTP".
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServerFactory,
} from "@modelcontextprotocol/server";
import { corsHeaders, preflightHeaders, checkAccess, type AccessPolicy } from "./access.js";
import { INBOX, type Inbox } from "./inbox-routes.js";
import { Sessions } from "./sessions.js";

/** Only plans are large. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const PATH = "/mcp";

export interface HttpOptions extends AccessPolicy {
  factory: McpServerFactory;
  /** 0 for any free port. */
  port: number;
  host: string;
  /** Answers below `/approvals`, if there is a store. */
  inbox?: Inbox | undefined;
  /** Errors outside of a response. */
  onError?: (error: Error) => void;
}

export interface Listening {
  url: string;
  /** Notifies clients of the newest revision. */
  notify: McpHttpHandler["notify"];
  close(): Promise<void>;
}

/** Rejects with the system's error. */
export async function listen({
  factory,
  port,
  host,
  onError = () => undefined,
  inbox,
  ...admission
}: HttpOptions): Promise<Listening> {
  const modern = createMcpHandler(factory, { legacy: "reject", onerror: onError });
  const sessions = new Sessions(factory);
  const answer = async (request: Request, body: unknown): Promise<Response> => {
    if (await isLegacyRequest(request.clone(), body)) return sessions.answer(request, body);
    return modern.fetch(request, body === undefined ? {} : { parsedBody: body });
  };
  const own = { ...admission, hosts: [...(admission.hosts ?? []), host] };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing, own, answer, inbox).catch((error: Error) => {
      onError(error);
      if (!outgoing.headersSent) writePlain(outgoing, 500, "internal error");
      else outgoing.destroy();
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: chosen } = server.address() as AddressInfo;
  const close = async () => {
    await Promise.allSettled([modern.close(), sessions.close()]);
    await closeServer(server);
  };
  return {
    url: `http://${host.includes(":") ? `[${host.replace(/[[\]]/g, "")}]` : host}:${chosen}${PATH}`,
    notify: modern.notify,
    close,
  };
}

async function closeServer(server: Server): Promise<void> {
  const done = once(server, "close");
  server.close();
  server.closeAllConnections();
  await done;
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  policy: AccessPolicy,
  answer: (request: Request, body: unknown) => Promise<Response>,
  inbox: Inbox | undefined,
): Promise<void> {
  const isInbox = inbox !== undefined && (incoming.url === INBOX || incoming.url?.startsWith(`${INBOX}/`));
  // The inbox has its own key.
  const { token: _token, ...place } = policy;
  if (isInbox && checkAccess(incoming.headers, place) === null) return inbox.answer(incoming, outgoing);
  const denied = checkAccess(incoming.headers, policy);
  const cors = corsHeaders(incoming.headers, policy);
  // Browsers send preflight requests without the token.
  if (incoming.method === "OPTIONS" && Object.keys(cors).length > 0 && (denied === null || denied.status === 401)) {
    outgoing.writeHead(204, { ...cors, ...preflightHeaders(incoming.headers) }).end();
    return;
  }
  if (denied !== null) return writePlain(outgoing, denied.status, denied.message, { ...cors, ...denied.headers });
  if (incoming.url?.split("?")[0] !== PATH)
    return writePlain(outgoing, 404, `not found: the server is at ${PATH}`, cors);
  if (!["GET", "POST", "DELETE"].includes(incoming.method!))
    return writePlain(outgoing, 405, "use POST, GET or DELETE", { ...cors, allow: "GET, POST, DELETE" });
  // HTML forms can send other types across origins without a preflight request.
  if (incoming.method === "POST" && !isJsonContentType(incoming.headers["content-type"]))
    return writePlain(outgoing, 415, "the content type must be `application/json`", cors);
  const text = await textOf(incoming);
  if (text === null)
    return writePlain(outgoing, 413, `the request is longer than ${MAX_BODY_BYTES} bytes`, {
      ...cors,
      connection: "close",
    });
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const request = new Request(`http://localhost${PATH}`, {
    method: incoming.method!,
    headers: headersOf(incoming),
    signal: gone.signal,
    ...(incoming.method === "POST" ? { body: text } : {}),
  });
  await writeResponse(await answer(request, parseBody(incoming, text)), outgoing, cors, gone.signal);
}

/** The protocol library rejects invalid JSON. */
function parseBody({ method }: IncomingMessage, text: string): unknown {
  if (method !== "POST") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A slightly longer body is read to its end, so the client receives the response. */
async function textOf(incoming: IncomingMessage): Promise<string | null> {
  if (Number(incoming.headers["content-length"]) > 4 * MAX_BODY_BYTES) return null;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > 4 * MAX_BODY_BYTES) return null;
    if (length <= MAX_BODY_BYTES) parts.push(part);
  }
  return length > MAX_BODY_BYTES ? null : Buffer.concat(parts).toString("utf8");
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    // `fetch` manages connection headers itself.
    if (!/^(connection|transfer-encoding|keep-alive|upgrade|content-length)$/i.test(rawHeaders[at]!))
      headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return headers;
}

/** Respects backpressure. */
async function writeResponse(
  response: Response,
  outgoing: ServerResponse,
  further: Record<string, string>,
  gone: AbortSignal,
): Promise<void> {
  // Node decides how long the connection stays open.
  const { connection: _connection, ...headers } = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { ...headers, ...further, "x-content-type-options": "nosniff" });
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // Clients need the head before the first event.
  if (headers["content-type"]?.startsWith("text/event-stream")) outgoing.flushHeaders();
  const reader = response.body.getReader();
  gone.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || gone.aborted) break;
    if (!outgoing.write(value)) await once(outgoing, "drain", { signal: gone }).catch(() => undefined);
  }
  outgoing.end();
}

function writePlain(
  outgoing: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
  outgoing
    .writeHead(status, { "content-type": "application/json", "x-content-type-options": "nosniff", ...headers })
    .end(body);
}
