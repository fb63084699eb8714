/**
 * Calls from a worker to the server.
 *
 * Invariant: arguments cross as JSON, so their length is limited.
 */
import { CallError } from "../../package-internals.js";
import type {
  CallTrace,
  ChatReply,
  Fetch,
  Handler,
  ModelClient,
  ToolClient,
  ToolInfo,
  ToolResult,
} from "../../types.js";
import type { HostRequest, OutgoingTrace, FromWorker, ToWorker } from "./worker-messages.js";
import type { HandlerAnswer } from "./handler-calls.js";
import { jsonLength } from "./render.js";

/** Characters of arguments or of a model request. */
const MAX_REQUEST = 16 * 1024 * 1024;

interface OpenCall {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  onRequest: CallTrace["onRequest"];
}

export class HostCalls {
  readonly #open = new Map<number, OpenCall>();
  #last = 0;

  constructor(readonly send: (message: FromWorker) => void) {}

  request(request: HostRequest, signal?: AbortSignal | null, onRequest?: CallTrace["onRequest"]): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const drop = () => {
        if (!this.#open.delete(id)) return;
        this.send({ type: "drop", id });
        reject(signal?.reason);
      };
      const done = <T>(then: (value: T) => void) => {
        return (value: T) => {
          signal?.removeEventListener("abort", drop);
          then(value);
        };
      };
      signal?.addEventListener("abort", drop, { once: true });
      this.#open.set(id, { resolve: done(resolve), reject: done(reject), onRequest });
      this.send({ type: "ask", id, request });
    });
  }

  receive(message: Extract<ToWorker, { type: "answer" | "refusal" | "requested" }>): void {
    const open = this.#open.get(message.id);
    // It may have been dropped meanwhile.
    if (open === undefined) return;
    if (message.type === "requested") return open.onRequest?.(message.url, message.session ?? undefined);
    this.#open.delete(message.id);
    if (message.type === "answer") open.resolve(message.value);
    else open.reject(message.code === null ? new Error(message.message) : new CallError(message.code, message.message));
  }

  /** `server` is an index. */
  tools(name: string, server: number): ToolClient {
    return {
      name,
      list: (signal) => this.request({ kind: "list", server }, signal) as Promise<ToolInfo[]>,
      call: async (tool, args, { signal, call, run, trace } = {}) => {
        const request = { kind: "tool" as const, server, name: tool, args: toJsonText(args, "tool/invalid-arguments") };
        const about = { ...(call === undefined ? {} : { call }), ...(run === undefined ? {} : { run }) };
        return (await this.request(
          { ...request, ...about, ...outgoingTrace(trace) },
          signal,
          trace?.onRequest,
        )) as ToolResult;
      },
      close: async () => {},
    };
  }

  /** The server's, or the client's. */
  model(own: { name: string; provider?: string } | null = null): ModelClient {
    return {
      ...(own ?? { name: "model" }),
      chat: async (request, { signal, call, trace } = {}) => {
        const hostRequest = { kind: "model" as const, request: toJsonText(request, "model/context-length") };
        const about = { ...(call === undefined ? {} : { call }), ...outgoingTrace(trace) };
        return (await this.request({ ...hostRequest, ...about }, signal, trace?.onRequest)) as ChatReply;
      },
    };
  }

  /** It runs in the server. */
  handler(type: string): Handler {
    return async (node, state) => {
      const { last, input, context } = state;
      // The call's name is a getter.
      const about = { node: { ...node, call: node.call }, last, input, context };
      const request = { kind: "handler" as const, type, args: toJsonText(about, "handler/invalid-arguments") };
      const { output, writes } = (await this.request(request, state.signal)) as HandlerAnswer;
      for (const [key, value] of Object.entries(writes)) state.write(key, value);
      return output;
    };
  }

  /** For the telemetry receiver. */
  fetch(): Fetch {
    return async (url, { method = "POST", headers, body, signal }) => {
      const request = { url, method, headers: Object.fromEntries(new Headers(headers)), body: body ?? null };
      const answer = await this.request({ kind: "send", ...request }, signal);
      const { status, headers: own, text } = answer as { status: number; headers: [string, string][]; text: string };
      return new Response([101, 204, 205, 304].includes(status) ? null : text, { status, headers: own });
    };
  }
}

function toJsonText(value: unknown, code: string): string {
  if (jsonLength(value) > MAX_REQUEST)
    throw new CallError(code, `the arguments of the call take more than ${MAX_REQUEST / 1024 / 1024} MiB as JSON`);
  return JSON.stringify(value);
}

function outgoingTrace(trace: CallTrace | undefined): { trace?: OutgoingTrace } {
  if (trace === undefined) return {};
  const { onRequest: _hears, ...place } = trace;
  return { trace: place };
}
