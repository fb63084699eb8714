/**
 * Sessions of older revisions. They end on request, after an hour of silence, or after ten minutes if space is needed.
 * If all are active, new clients receive 503.
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

const MAX_SESSIONS = 512;
const SESSION_TIMEOUT_MS = 60 * 60_000;
/** Silence without an open stream. Models and users need time in between. */
const EVICTABLE_AFTER_MS = 10 * 60_000;
const MAX_RETRY_AFTER_S = 30;
/** Per session. */
const MAX_REPLAYED = 512;
/** Before a client reconnects its stream. */
const RETRY_MS = 1000;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  close: () => Promise<void>;
  seenAt: number;
  open: number;
}

export class Sessions {
  readonly #all = new Map<string, Session>();
  #starting = 0;

  constructor(
    readonly factory: McpServerFactory,
    readonly now: () => number = Date.now,
    readonly most = MAX_SESSIONS,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  /** `body` is parsed JSON. */
  async answer(request: Request, body: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#all.get(id);
      return session === undefined
        ? errorResponse(404, -32001, "unknown session: start a new one with `initialize`")
        : this.#answerInSession(session, request, body);
    }
    const messages = Array.isArray(body) ? body : [body];
    if (request.method !== "POST" || !messages.some(isInitializeRequest))
      return errorResponse(
        400,
        -32000,
        "a session starts with `initialize`, and later requests carry its `Mcp-Session-Id`",
      );
    this.#evict();
    if (this.#all.size + this.#starting >= this.most) return this.#rejectBusy();
    this.#starting++;
    try {
      return await this.#start(request, body);
    } finally {
      this.#starting--;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.values()].map((session) => session.close()));
    this.#all.clear();
  }

  /** `Retry-After` says when the first idle session can be evicted. */
  #rejectBusy(): Response {
    const idle = [...this.#all.values()]
      .filter(({ open }) => open === 0)
      .map(({ seenAt }) => seenAt + EVICTABLE_AFTER_MS);
    const seconds = Math.ceil((Math.min(...idle) - this.now()) / 1000);
    const response = errorResponse(503, -32000, `all ${this.most} sessions are in use: try again later`);
    response.headers.set("retry-after", String(Math.max(1, Math.min(MAX_RETRY_AFTER_S, seconds))));
    return response;
  }

  async #start(request: Request, body: unknown): Promise<Response> {
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
      eventStore: new ReplayStore(),
      retryInterval: RETRY_MS,
    });
    await server.connect(session.transport);
    const response = await this.#answerInSession(session, request, body);
    if (session.transport.sessionId === undefined) await session.close();
    return response;
  }

  async #answerInSession(session: Session, request: Request, body: unknown): Promise<Response> {
    session.seenAt = this.now();
    session.open++;
    const leave = () => {
      session.open--;
      session.seenAt = this.now();
    };
    try {
      const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      return response.body === null ? (leave(), response) : onBodyEnd(response, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Expired sessions and, if necessary, idle ones, oldest first. */
  #evict(): void {
    const idle = [...this.#all].filter(([, { open }]) => open === 0).sort(([, a], [, b]) => a.seenAt - b.seenAt);
    for (const [id, session] of idle) {
      const silentMs = this.now() - session.seenAt;
      if (
        silentMs < SESSION_TIMEOUT_MS &&
        (silentMs < EVICTABLE_AFTER_MS || this.#all.size + this.#starting < this.most)
      )
        return;
      this.#all.delete(id);
      void session.close().catch(() => undefined);
    }
  }
}

/** Calls `ended` after the body was read or cancelled. */
function onBodyEnd(response: Response, ended: () => void): Response {
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

/** Last messages, for clients that reconnect. */
class ReplayStore implements EventStore {
  readonly #messages: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  #count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${++this.#count}`;
    this.#messages.push({ id, stream, message });
    if (this.#messages.length > MAX_REPLAYED) this.#messages.shift();
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
    for (const { id, stream: own, message } of [...this.#messages]) {
      if (own === stream && Number(id.slice(id.lastIndexOf("_") + 1)) > after! && Object.keys(message).length > 0)
        await send(id, message);
    }
    return stream;
  }
}

function errorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
