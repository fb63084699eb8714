/** One MCP server: connection state, dialog row, and findings. */
import type { Finding, McpClient, ToolInfo } from "stepgraph/web";

/** `lost`: a ready server did not answer. */
export type ServerState = "idle" | "connecting" | "ready" | "lost" | "failed";

/** If the tools are known, a call may reach it. */
export const isKnown = ({ state }: { state: ServerState }): boolean => state === "ready" || state === "lost";

export interface ServerRow {
  name: string;
  url: string;
  state: ServerState;
  tools: readonly ToolInfo[];
  /** Its own name and protocol revision. */
  about: string;
  /** Why it is unusable. Null while connecting. */
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

/** User names and passwords are secrets. */
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

/** Used if the diagnosis found no problem. */
export function findingFromError(error: unknown, finding: Finding | null): Finding {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return {
    code: "connect/unclear",
    message: String(message ?? error),
    help: finding?.help ?? "try again",
    evidence: [...(finding?.evidence ?? []), String(code ?? "")].filter(Boolean),
  };
}
