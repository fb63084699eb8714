/**
 * Sends what the protocols in WebAssembly want to be sent, and tells them what comes back. Decides nothing but when the
 * time is up.
 */
import type { CallTrace, Fetch } from "./types.js";

/** A request as the protocols give it. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: string | null;
}

/** How long one request may take, its answer's body included, unless said otherwise. */
export const TIMEOUT_MS = 60_000;

/** The longest that the platform's timers can wait: after more they would fire at once. */
export const MAX_TIMER_MS = 0x7fffffff;

/** What hears of an answer as it arrives. */
export interface Listener {
  /** Gives whether the body need not be read; nothing where it has to be. */
  head(status: number, headers: string): boolean | void;
  /** A part of the body. Gives whether the rest need not be read. */
  chunk(bytes: Uint8Array): boolean;
  end(): void;
  /** There is no answer, or it broke off. */
  failed(timeout: boolean, message: string): void;
}

/** How a request is sent. */
export interface SendOptions {
  fetch?: Fetch | undefined;
  timeoutMs?: number | undefined;
  /** Aborting it makes {@link send} throw its reason; it is no failure of the server. */
  signal?: AbortSignal | undefined;
  /** Says when the time is up, instead of `timeoutMs`. */
  clock?: Deadline | undefined;
  trace?: CallTrace | undefined;
}

/** Sends one request and tells the listener of its answer. Throws only if the caller's signal is aborted. */
export async function send(request: HttpRequest, listener: Listener, options: SendOptions): Promise<void> {
  const clock = options.clock ?? startDeadline(options.timeoutMs ?? TIMEOUT_MS, options.signal);
  try {
    const response = await startRequest(withTraceHeaders(request, options.trace), clock.signal, options.fetch);
    const needsNoBody = listener.head(response.status, JSON.stringify([...response.headers]));
    if (needsNoBody) response.body?.cancel().catch(() => {});
    else await readBody(response, listener);
    listener.end();
  } catch (error) {
    options.signal?.throwIfAborted();
    listener.failed(clock.isOver(), errorReason(error));
  } finally {
    clock.stop();
  }
}

/** What a message that is nobody's request was answered with; status 0 when there was no answer. */
export interface HeadResponse {
  status: number;
  wwwAuthenticate: string | null;
}

/**
 * Sends a request of whose answer only the head matters, if that. Failing is no failure: whoever waits for it will say
 * so.
 */
export async function sendForHead(request: HttpRequest, options: SendOptions): Promise<HeadResponse> {
  const answer: HeadResponse = { status: 0, wwwAuthenticate: null };
  const head = (status: number, headers: string) => {
    const named = (JSON.parse(headers) as [string, string][]).find(
      ([name]) => name.toLowerCase() === "www-authenticate",
    );
    Object.assign(answer, { status, wwwAuthenticate: named?.[1] ?? null });
    return true;
  };
  await send(request, { head, chunk: () => true, end() {}, failed() {} }, options).catch(() => {});
  return answer;
}

/**
 * Whether a page or one of its workers asks: only there is an address of one's own, and a browser that sends only what
 * servers allow.
 */
export function isInPage(): boolean {
  return typeof (globalThis as { location?: unknown }).location === "object";
}

/**
 * Redirects are not followed: they could carry the key, or a call, to somebody else. The answer then has a status of
 * 300 and more, or, in pages, 0.
 */
async function startRequest(
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
  custom?: Fetch,
): Promise<Response> {
  const init: RequestInit = { method, headers, body, signal, redirect: "manual" };
  // A method of the global object must be called as one.
  const response = await (custom ? custom(url, init) : globalThis.fetch(url, init));
  if (response.type === "opaqueredirect") throw new Error("the server redirects to another address; use that one");
  return response;
}

/** The request with the headers of a trace, unless it has its own. */
function withTraceHeaders(request: HttpRequest, trace: CallTrace | undefined): HttpRequest {
  if (trace === undefined) return request;
  const { traceparent, tracestate, onRequest } = trace;
  const headerValue = (wanted: string) => request.headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  onRequest?.(request.url, headerValue("mcp-session-id"));
  if (!trace.headers || headerValue("traceparent") !== undefined) return request;
  return {
    ...request,
    headers: [
      ...request.headers,
      ["traceparent", traceparent],
      ...(tracestate ? [["tracestate", tracestate] as [string, string]] : []),
    ],
  };
}

async function readBody(response: Response, listener: Listener): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || listener.chunk(value)) return;
    }
  } finally {
    // After the end this does nothing; before it, it frees the connection. Either way nobody waits for it.
    reader.cancel().catch(() => {});
  }
}

/** The time that a request has. */
export interface Deadline {
  /** Aborted when the time is up or the caller's signal is. */
  signal: AbortSignal;
  isOver(): boolean;
  /** Nobody waits any more. */
  stop(): void;
}

/** A signal that is aborted when the time is up or the caller's signal is. */
function startDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  const timer = setTimeout(
    () => {
      over = true;
      controller.abort();
    },
    Math.min(ms, MAX_TIMER_MS),
  );
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    stop: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
    },
  };
}

/** What went wrong, in the words of the host. Node says the true reason only in the cause. */
function errorReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error) {
    const { code } = cause as Error & { code?: unknown };
    return cause.message || (typeof code === "string" ? code : cause.name);
  }
  return String(cause);
}

/** Waits, unless the signal is aborted: then it throws its reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
