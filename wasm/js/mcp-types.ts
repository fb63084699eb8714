/** The shapes of a connection to an MCP server: what the client is given, and what it gives. */
import type { McpHost } from "./mcp-host.js";
import type { Fetch, ToolClient } from "./types.js";

/** A revision of the protocol. */
export type McpVersion = "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** How a server is reached, and what it may ask. */
export interface McpOptions extends McpHost {
  /** What its tools are qualified with where names clash; the address's host unless given. */
  name?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Sent as a bearer token. */
  key?: string;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /**
   * How long the server may be silent about one request; a minute unless given. Progress that it reports counts as a
   * sign of life.
   */
  timeoutMs?: number;
  /** How long an operation may take in all, however much progress is reported; ten minutes unless given. */
  maxTimeoutMs?: number;
  /** Gets a token when the server asks for one: `oauth({ ... })`, or a way of your own. */
  auth?: McpAuth | McpAuthSource;
  /** The one revision to be spoken. Without it the client finds out what the server speaks, which costs a request. */
  version?: McpVersion;
}

/** Where tokens come from: an OAuth flow, or whatever the host knows. */
export interface McpAuth {
  /** Sent as a bearer token, if there is one yet. Goes before {@link McpOptions.key}. */
  token(): string | undefined;
  /**
   * The server has refused a request: with 401, or with 403 because the token does not reach far enough. Gives whether
   * there is a new token now, so that the request is worth sending again. `wwwAuthenticate` is what the server says of
   * it, if it can be read; `token` is what the request had: there may be a newer one by now.
   */
  challenged(status: number, wwwAuthenticate: string | null, signal?: AbortSignal, token?: string): Promise<boolean>;
}

/** Gives what gets tokens for the server at `url`, over this connection. */
export type McpAuthSource = (url: string, how: { fetch?: Fetch; timeoutMs?: number }) => McpAuth;

/** How one request is made. */
export interface McpRequestOptions {
  signal?: AbortSignal;
  /** Asks for page after page and gives them as one result, its lists joined. */
  pages?: boolean;
  /** Asks even if an earlier answer may still be used. */
  fresh?: boolean;
  /** See {@link McpOptions.timeoutMs}. */
  timeoutMs?: number;
}

/** What has changed on a server: one of its lists, or a resource. */
export type McpChange = { what: "tools" | "prompts" | "resources" } | { what: "resource"; uri: string };

/** What to listen for. */
export interface McpWatchOptions {
  /** Ends the watching; that is no failure. */
  signal?: AbortSignal;
  /**
   * Addresses of resources whose changes are wanted. To a server of 2025-11-25 or before, send `resources/subscribe`
   * instead.
   */
  resources?: readonly string[];
}

/** What a server says of itself, as far as it is known. */
export interface McpServerInfo {
  /** The revision that is spoken; `null` before the first operation. */
  version: McpVersion | null;
  server: { name: string; version?: string; title?: string } | null;
  capabilities: Record<string, unknown> | null;
  instructions: string | null;
}

/** The tools of one server, and everything else that the protocol has. */
export interface McpClient extends ToolClient {
  /** What is known of the server. */
  about(): McpServerInfo;
  /**
   * Sends any request of the protocol, such as `resources/read` or `prompts/get`, and gives its result. An answer that
   * the server says may be kept is given again until it is too old or the server says that it has changed.
   */
  request(method: string, params?: Record<string, unknown>, options?: McpRequestOptions): Promise<unknown>;
  /**
   * Tells of changes for as long as the server has a stream of them: until the signal is aborted, the client is closed,
   * or the server says that there will be no more. A stream that breaks is taken up again, and then everything counts
   * as changed. Fails if the server has none.
   */
  watch(listener: (change: McpChange) => void, options?: McpWatchOptions): Promise<void>;
}
