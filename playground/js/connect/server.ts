/** One MCP server: its connection state, its row in the dialog, and findings about failures. */
import type { Finding, McpClient, ToolInfo } from "stepgraph/web";

/** The connection state. `lost`: a server that was ready did not answer a call. */
export type ServerState = "idle" | "connecting" | "ready" | "lost" | "failed";

/** Whether the server's tools are known, so that a call may reach it. */
export const isKnown = ({ state }: { state: ServerState }): boolean => state === "ready" || state === "lost";

export interface ServerRow {
  name: string;
  url: string;
  state: ServerState;
  tools: readonly ToolInfo[];
  /** The server's name for itself, and its protocol revision. */
  about: string;
  /** The reason why it can't be used. Null while it connects. */
  finding: Finding | null;
  hasKey: boolean;
  keepsKey: boolean;
}

export interface Server extends Omit<ServerRow, "hasKey"> {
  key: string | undefined;
  client: McpClient | null;
  attempt: number;
}

export function newServer(name: string, url: string, key: string | undefined, keepsKey: boolean): Server {
  return { name, url, key, keepsKey, state: "idle", tools: [], about: "", finding: null, client: null, attempt: 0 };
}

/** Removes the user name and password from an address, because they are secrets. */
export function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.username = parsed.password = "";
  return parsed.href;
}

export function nameFromHost(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "server";
  if (/^(localhost|[\d.]+|\[.*\])$/.test(host)) return "local";
  return (
    host
      .replace(/^(www|mcp|api)\./, "")
      .split(".")[0]!
      .replace(/[^\w-]/g, "") || "server"
  );
}

/** A finding for a connection that failed although its diagnosis found no problem. */
export function findingFromError(error: unknown, finding: Finding | null): Finding {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return {
    code: "connect/unclear",
    message: String(message ?? error),
    help: finding?.help ?? "try again",
    evidence: [...(finding?.evidence ?? []), String(code ?? "")].filter(Boolean),
  };
}
