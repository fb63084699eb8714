/** One server of tools: how it stands, how it is shown and called, and what is said when it fails. */
import type { Finding, McpClient, ToolInfo } from "stepgraph/web";

/** How a server stands; `lost` is one that was ready and did not answer a call. */
export type ServerState = "idle" | "connecting" | "ready" | "lost" | "failed";

/** Whether the tools of a server are known: its calls may reach it again. */
export const isKnown = ({ state }: { state: ServerState }): boolean => state === "ready" || state === "lost";

/** A server as it is shown. */
export interface ServerRow {
  name: string;
  url: string;
  state: ServerState;
  tools: readonly ToolInfo[];
  /** What it calls itself, and which revision of the protocol it speaks. */
  about: string;
  /** Why it can't be used; of one that is being looked at, null. */
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

/** An address as it is kept: without name and password, which are secrets. */
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

/** A connection that answers the doctor and yet failed: the failure's own words. */
export function findingFromError(error: unknown, finding: Finding | null): Finding {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return {
    code: "connect/unclear",
    message: String(message ?? error),
    help: finding?.help ?? "try again",
    evidence: [...(finding?.evidence ?? []), String(code ?? "")].filter(Boolean),
  };
}
