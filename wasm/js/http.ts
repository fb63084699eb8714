/** Sends requests of the WebAssembly protocols. */
import { unlessAborted } from "./abort.js";
import { isUnusable } from "./engine.js";
import type { CallTrace, Fetch } from "./types.js";

export interface HttpRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: string | null;
}

/** Includes the body. */
export const TIMEOUT_MS = 60_000;

/** Platform timers fire at once after longer delays. */
export const MAX_TIMER_MS = 0x7fffffff;

export interface Listener {
  /** Returns true to skip the body. */
  head(status: number, headers: string): boolean | void;
  /** Returns true to skip the rest. */
  chunk(bytes: Uint8Array): boolean;
  end(): void;
  /** The response is missing or incomplete. */
  failed(timeout: boolean, message: string): void;
}

export interface SendOptions {
  fetch?: Fetch | undefined;
  timeoutMs?: number | undefined;
  /** Its abort makes {@link send} throw. */
  signal?: AbortSignal | undefined;
  /** Replaces `timeoutMs`. */
  clock?: Deadline | undefined;
  trace?: CallTrace | undefined;
  /** Loads what reads a refusal. */
  beforeRefusal?: (() => Promise<unknown>) | undefined;
}

/** Throws only after an abort by the caller, or if a part of the module is missing. */
export async function send(request: HttpRequest, listener: Listener, options: SendOptions): Promise<void> {
  const clock = options.clock ?? startDeadline(options.timeoutMs ?? TIMEOUT_MS, options.signal);
  try {
    const response = await startRequest(withTraceHeaders(request, options.trace), clock.signal, options.fetch);
    if (!response.ok && options.beforeRefusal) await unlessAborted(options.beforeRefusal(), clock.signal);
    const needsNoBody = listener.head(response.status, JSON.stringify([...response.headers]));
    if (needsNoBody) response.body?.cancel().catch(() => {});
    else await readBody(response, listener);
    listener.end();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isUnusable(error)) throw error;
    listener.failed(clock.isOver(), errorReason(error));
  } finally {
    clock.stop();
  }
}

/** Status 0: no response. */
export interface HeadResponse {
  status: number;
  wwwAuthenticate: string | null;
}

/** Ignores failures, which the waiting request will report. */
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

/** Whether CORS applies. */
export function isInPage(): boolean {
  return typeof (globalThis as { location?: unknown }).location === "object";
}

/** Redirects could carry keys or calls elsewhere. They end with status 300 or more, or 0 in pages. */
async function startRequest(
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
  custom?: Fetch,
): Promise<Response> {
  const init: RequestInit = { method, headers, body, signal, redirect: "manual" };
  // Must be called as a method of the global object.
  const response = await (custom ? custom(url, init) : globalThis.fetch(url, init));
  if (response.type === "opaqueredirect") throw new Error("the server redirects to another address; use that one");
  return response;
}

/** Existing trace headers stay. */
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
    reader.cancel().catch(() => {});
  }
}

export interface Deadline {
  signal: AbortSignal;
  isOver(): boolean;
  stop(): void;
}

export function startDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
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

/** Node hides the reason in `cause`. */
function errorReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error) {
    const { code } = cause as Error & { code?: unknown };
    return cause.message || (typeof code === "string" ? code : cause.name);
  }
  return String(cause);
}

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
