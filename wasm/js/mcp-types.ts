/** Types of MCP clients: options, results and authentication. */
import type { McpHost } from "./mcp-host.js";
import type { Fetch, ToolClient } from "./types.js";

/** A protocol revision that the client supports. */
export type McpVersion = "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** Options of `mcp`. */
export interface McpOptions extends McpHost {
  /** Qualifies the server's tools if names clash. Default: the address's host. */
  name?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Sent as a bearer token. */
  key?: string;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** Longest silence of the server within a request, in milliseconds. Progress counts as activity. Default: 60 000. */
  timeoutMs?: number;
  /** Limit of a whole operation in milliseconds. Default: 600 000. */
  maxTimeoutMs?: number;
  /** Gets tokens on demand: `oauth({ ... })`, or your own source. */
  auth?: McpAuth | McpAuthSource;
  /** The only revision to use. If absent, the client negotiates, which costs a request. */
  version?: McpVersion;
}

/** Credentials for a server. */
export interface McpAuth {
  /** The current bearer token, if any. Overrides {@link McpOptions.key}. */
  token(): string | undefined;
  /**
   * Handles a refused request (401, or 403 for insufficient scope). Returns whether to retry with a new token.
   * `wwwAuthenticate` is the server's header, if readable. `token` is the refused one, and a newer one may exist.
   */
  challenged(status: number, wwwAuthenticate: string | null, signal?: AbortSignal, token?: string): Promise<boolean>;
}

/** Supplies the credentials for a request. */
export type McpAuthSource = (url: string, how: { fetch?: Fetch; timeoutMs?: number }) => McpAuth;

/** Options of one request. */
export interface McpRequestOptions {
  signal?: AbortSignal;
  /** Fetches all pages and joins their lists. */
  pages?: boolean;
  /** Skips the cache. */
  fresh?: boolean;
  /** See {@link McpOptions.timeoutMs}. */
  timeoutMs?: number;
}

/** A changed list or resource of a server. */
export type McpChange = { what: "tools" | "prompts" | "resources" } | { what: "resource"; uri: string };

/** Options of `watch`. */
export interface McpWatchOptions {
  /** Stops watching, without an error. */
  signal?: AbortSignal;
  /** URIs of resources to watch. Up to 2025-11-25, send `resources/subscribe` instead. */
  resources?: readonly string[];
}

/** What a server says about itself. */
export interface McpServerInfo {
  /** The negotiated revision, or `null` before the first operation. */
  version: McpVersion | null;
  server: { name: string; version?: string; title?: string } | null;
  capabilities: Record<string, unknown> | null;
  instructions: string | null;
}

/** A client of an MCP server. */
export interface McpClient extends ToolClient {
  about(): McpServerInfo;
  /**
   * Sends any MCP request, such as `resources/read` or `prompts/get`, and returns its result. Results are cached for as
   * long as the server allows, or until it reports a change.
   */
  request(method: string, params?: Record<string, unknown>, options?: McpRequestOptions): Promise<unknown>;
  /**
   * Calls `listener` for each change until the signal is aborted, the client is closed or the server ends the stream. A
   * broken stream is reopened, and then everything counts as changed. Rejects if the server has no stream.
   */
  watch(listener: (change: McpChange) => void, options?: McpWatchOptions): Promise<void>;
}
