/**
 * Clients of the older revisions, which have sessions: one server and one transport for each, kept until the client
 * ends it, until it was silent for an hour, or until there are too many.
 *
 * Decides which session a request belongs to, and what goes when there is no room. A session that a request is under
 * way in is never given up for another.
 *
 * Source: MCP 2025-11-25, "Session Management" and "Resumability and Redelivery".
 */
import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
  type JSONRPCMessage,
  type McpServerFactory,
} from "@modelcontextprotocol/server";

const MOST = 256;
const SILENT_MS = 60 * 60_000;
/** How many messages of a session can be asked for again. */
const REPLAYABLE = 512;
/** How soon a client should come back that lost its stream. */
const RETRY_MS = 1000;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  close: () => Promise<void>;
  seenAt: number;
  open: number;
}

/** The sessions of one server. */
export class Sessions {
  readonly #all = new Map<string, Session>();

  constructor(
    readonly factory: McpServerFactory,
    readonly now: () => number = Date.now,
  ) {}

  /** How many there are. */
  get size(): number {
    return this.#all.size;
  }

  /** Answers a request of an older revision. `body` is its text as JSON, when it has one. */
  async answer(request: Request, body: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#all.get(id);
      return session === undefined
        ? wrong(404, -32001, "there is no such session: begin a new one by `initialize`")
        : this.#within(session, request, body);
    }
    const messages = Array.isArray(body) ? body : [body];
    if (request.method !== "POST" || !messages.some(isInitializeRequest))
      return wrong(400, -32000, "a session is begun by `initialize`, and its `Mcp-Session-Id` stands in what follows");
    this.#makeRoom();
    if (this.#all.size >= MOST) return wrong(503, -32000, `all ${MOST} sessions are in use: try again later`);
    return this.#begin(request, body);
  }

  /** Ends them all. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.values()].map((session) => session.close()));
    this.#all.clear();
  }

  async #begin(request: Request, body: unknown): Promise<Response> {
    const server = await this.factory({ era: "legacy", requestInfo: request });
    const session: Session = {
      transport: undefined as never,
      close: () => server.close(),
      seenAt: this.now(),
      open: 0,
    };
    session.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#all.set(id, session),
      onsessionclosed: (id) => void this.#all.delete(id),
      eventStore: new Replay(),
      retryInterval: RETRY_MS,
    });
    await server.connect(session.transport);
    const response = await this.#within(session, request, body);
    if (session.transport.sessionId === undefined) await session.close();
    return response;
  }

  async #within(session: Session, request: Request, body: unknown): Promise<Response> {
    session.seenAt = this.now();
    session.open++;
    const leave = () => {
      session.open--;
      session.seenAt = this.now();
    };
    try {
      const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      return response.body === null ? (leave(), response) : watched(response, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends who was silent for long, and, where that is not enough, who was silent for longest. */
  #makeRoom(): void {
    const idle = [...this.#all].filter(([, { open }]) => open === 0).sort(([, a], [, b]) => a.seenAt - b.seenAt);
    for (const [id, session] of idle) {
      if (this.now() - session.seenAt < SILENT_MS && this.#all.size < MOST) return;
      this.#all.delete(id);
      void session.close().catch(() => undefined);
    }
  }
}

/** The same response; `ended` is told when its body is read or nobody wants it any more. */
function watched(response: Response, ended: () => void): Response {
  const reader = response.body!.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      ended();
      controller.close();
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The last messages of a session, for a client whose stream broke. */
class Replay implements EventStore {
  readonly #kept: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  #count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${++this.#count}`;
    this.#kept.push({ id, stream, message });
    if (this.#kept.length > REPLAYABLE) this.#kept.shift();
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return id.slice(0, id.lastIndexOf("_")) || undefined;
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = (await this.getStreamIdForEventId(last)) ?? "";
    const [after] = last.split("_").slice(-1).map(Number);
    for (const { id, stream: own, message } of [...this.#kept]) {
      if (own === stream && Number(id.slice(id.lastIndexOf("_") + 1)) > after! && Object.keys(message).length > 0)
        await send(id, message);
    }
    return stream;
  }
}

function wrong(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
