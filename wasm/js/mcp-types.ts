/** Types of MCP clients. */
import type { McpHost } from "./mcp-host.js";
import type { Fetch, ToolClient } from "./types.js";

/** A protocol revision. */
export type McpVersion = "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** Options of `mcp`. */
export interface McpOptions extends McpHost {
  /** Qualifies tools if names clash. Default: the address's host. */
  name?: string;
  headers?: Record<string, string>;
  /** Sent as a bearer token. */
  key?: string;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** The server's longest silence in milliseconds. Progress counts. Default: 60 000. */
  timeoutMs?: number;
  /** Limit of an operation in milliseconds. Default: 600 000. */
  maxTimeoutMs?: number;
  /** Gets tokens: `oauth({ ... })`, or your own source. */
  auth?: McpAuth | McpAuthSource;
  /** The only revision to use. Negotiating costs a request. */
  version?: McpVersion;
}

/** Credentials for a server. */
export interface McpAuth {
  /** The bearer token, if any. Overrides {@link McpOptions.key}. */
  token(): string | undefined;
  /**
   * Handles a refusal (401, or 403 for insufficient scope), and returns whether to retry. `wwwAuthenticate` is present
   * if readable. `token` is the refused one, possibly outdated.
   */
  challenged(status: number, wwwAuthenticate: string | null, signal?: AbortSignal, token?: string): Promise<boolean>;
}

/** Supplies credentials for a server. */
export type McpAuthSource = (url: string, how: { fetch?: Fetch; timeoutMs?: number }) => McpAuth;

/** Options of one request. */
export interface McpRequestOptions {
  signal?: AbortSignal;
  /** Fetches and joins all pages. */
  pages?: boolean;
  /** Skips the cache. */
  fresh?: boolean;
  /** As in {@link McpOptions}. */
  timeoutMs?: number;
}

/** A changed list or resource. */
export type McpChange = { what: "tools" | "prompts" | "resources" } | { what: "resource"; uri: string };

/** Options of `watch`. */
export interface McpWatchOptions {
  /** Stops without an error. */
  signal?: AbortSignal;
  /** URIs to watch. Up to 2025-11-25, send `resources/subscribe` instead. */
  resources?: readonly string[];
}

/** A server about itself. */
export interface McpServerInfo {
  /** `null` before the first operation. */
  version: McpVersion | null;
  server: { name: string; version?: string; title?: string } | null;
  capabilities: Record<string, unknown> | null;
  instructions: string | null;
}

/** A client of an MCP server. */
export interface McpClient extends ToolClient {
  about(): McpServerInfo;
  /** Sends any request, such as `resources/read`. Caches results as long as the server allows, or until a change. */
  request(method: string, params?: Record<string, unknown>, options?: McpRequestOptions): Promise<unknown>;
  /**
   * Reports changes until the abort, `close` or the stream's end. After a broken stream everything counts as changed.
   * Rejects without a stream.
   */
  watch(listener: (change: McpChange) => void, options?: McpWatchOptions): Promise<void>;
}
