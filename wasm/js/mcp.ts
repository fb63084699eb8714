/** Tools of an MCP server over Streamable HTTP. The protocol lives in WebAssembly; here is what waits for the network. */
import * as wasm from "../pkg/stepgraph_wasm.js";
import { assertStarted } from "./engine.js";
import { CallError } from "./errors.js";
import { send, sendAside } from "./http.js";
import type { HttpRequest, SendOptions } from "./http.js";
import type { Fetch, ToolClient, ToolInfo, ToolResult } from "./types.js";

/** How a server is reached. */
export interface McpOptions {
  /** What its tools are qualified with where names clash; the address's host unless given. */
  name?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Sent as a bearer token. */
  key?: string;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /** How long one request may take; a minute unless given. */
  timeoutMs?: number;
  /** Gets a token when the server asks for one: `oauth({ ... })`, or a way of your own. */
  auth?: McpAuth | McpAuthSource;
}

/** Where tokens come from: an OAuth flow, or whatever the host knows. */
export interface McpAuth {
  /** Sent as a bearer token, if there is one yet. Goes before {@link McpOptions.key}. */
  token(): string | undefined;
  /**
   * The server has refused a request: with 401, or with 403 because the token does not reach far enough. Gives whether there is a new
   * token now, so that the request is worth sending again. `wwwAuthenticate` is what the server says of it, if it can be read.
   */
  challenged(status: number, wwwAuthenticate: string | null, signal?: AbortSignal): Promise<boolean>;
}

/** Gives what gets tokens for the server at `url`, over this connection. */
export type McpAuthSource = (url: string, how: { fetch?: Fetch; timeoutMs?: number }) => McpAuth;

/**
 * The tools of the MCP server at `url`. Nothing is sent before the first {@link ToolClient.list} or `call`.
 *
 * Failures are thrown as {@link CallError}; a tool's own failure is a result with `isError`.
 */
export function mcp(url: string, options: McpOptions = {}): ToolClient {
  return new McpClient(url, options);
}

type Step =
  | { type: "send"; request: HttpRequest }
  | { type: "wait" }
  | { type: "challenge"; status: number; header: string | null }
  | { type: "done"; value: unknown }
  | { type: "failed"; code: string; message: string };

class McpClient implements ToolClient {
  readonly name: string;
  readonly #url: string;
  readonly #options: McpOptions;
  readonly #auth: McpAuth | undefined;
  /** Made at the first use: the module need not be ready before. */
  #session: wasm.McpSession | undefined;
  /** Operations that wait for another one to open the connection. */
  #waiting: (() => void)[] = [];

  constructor(url: string, options: McpOptions) {
    this.#url = url;
    this.#options = options;
    this.#auth = typeof options.auth === "function" ? options.auth(url, options) : options.auth;
    this.name = options.name ?? hostOf(url);
  }

  async list(signal?: AbortSignal): Promise<ToolInfo[]> {
    return (await this.#run((session) => session.list(), signal)) as ToolInfo[];
  }

  async call(name: string, args: Record<string, unknown>, options: { signal?: AbortSignal } = {}): Promise<ToolResult> {
    const text = JSON.stringify(args);
    try {
      const value = await this.#run((session) => session.call(name, text), options.signal);
      return { value, isError: false };
    } catch (error) {
      if (!(error instanceof CallError && error.code === "tool/failed")) throw error;
      return { value: error.message, isError: true, message: error.message };
    }
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#run((session) => session.close());
  }

  async #run(begin: (session: wasm.McpSession) => wasm.McpExchange, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    assertStarted();
    const { headers, key = null } = this.#options;
    const options = { url: this.#url, name: this.name, key, headers: Object.entries(headers ?? {}), auth: this.#auth !== undefined };
    const exchange = begin((this.#session ??= new wasm.McpSession(JSON.stringify(options))));
    try {
      return await this.#drive(exchange, { ...this.#options, signal });
    } finally {
      // Freed before others are woken: one of them may have to take over what this one leaves undone.
      exchange.free();
      this.#wake();
    }
  }

  async #drive(exchange: wasm.McpExchange, options: SendOptions): Promise<unknown> {
    const { key } = this.#options;
    for (;;) {
      if (this.#auth) this.#session?.set_key(this.#auth.token() ?? key);
      const step = JSON.parse(exchange.step()) as Step;
      if (step.type === "done") return step.value;
      if (step.type === "failed") throw new CallError(step.code, step.message);
      if (step.type === "wait") await this.#progress(options.signal);
      else if (step.type === "challenge") {
        exchange.authorized(await this.#auth!.challenged(step.status, step.header, options.signal));
      } else {
        await send(step.request, listener(exchange, options), options);
        this.#wake();
      }
    }
  }

  /** Until another operation has got on, or the signal is aborted. */
  #progress(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => reject(signal?.reason);
      this.#waiting.push(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Hands what arrives to the exchange, and sends at once what it says in between. */
function listener(exchange: wasm.McpExchange, options: SendOptions) {
  return {
    head: (status: number, headers: string) => exchange.head(status, headers),
    chunk(bytes: Uint8Array): boolean {
      const whole = exchange.chunk(bytes);
      const asides = exchange.asides();
      if (asides !== undefined) for (const request of JSON.parse(asides) as HttpRequest[]) void sendAside(request, options);
      return whole;
    },
    end: () => exchange.end(),
    failed: (timeout: boolean, message: string) => exchange.failed(timeout, message),
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "server";
}
