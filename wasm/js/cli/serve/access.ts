/**
 * Who may come in over HTTP: decides by the headers `Host`, `Origin` and `Authorization` alone, before a byte of the
 * body is read.
 *
 * Invariants: a page of another site gets nothing, not even when its name was made to lead to this machine (DNS
 * rebinding); without a token nobody but this machine is listened to; a token is compared in constant time and never
 * told.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Streamable HTTP", security; RFC 6750, section 3.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

/** What is let in. */
export interface AccessPolicy {
  /** Wanted as `Authorization: Bearer ...`; nobody is asked for one without. */
  token?: string | undefined;
  /** Names that the server is reached by, beside those of this machine. */
  hosts?: readonly string[];
  /** Origins whose pages may ask, as `https://app.example.com`. */
  origins?: readonly string[];
}

/** Why somebody is not let in: a status, what is said, and headers. */
export interface AccessDenied {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

/** What browsers may send and read. `mcp-param-*` has no end, so that those are allowed which are asked for. */
const EXPOSED_HEADERS = "mcp-session-id, www-authenticate";

/** Whether the machine itself is meant by a name to listen on. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Why a request is refused; null when it may pass. */
export function checkAccess(
  headers: IncomingHttpHeaders,
  { token, hosts = [], origins = [] }: AccessPolicy,
): AccessDenied | null {
  const local = localhostAllowedHostnames();
  const host = validateHostHeader(headers.host, [...local, ...hosts.map(bracketed)]);
  if (!host.ok)
    return {
      status: 403,
      message: "the header `Host` names no server that is here; a further name is allowed by `--allow-host`",
    };
  const { origin } = headers;
  if (origin !== undefined && !origins.includes(origin) && !validateOriginHeader(origin, local).ok) {
    return { status: 403, message: "pages of this origin may not ask here; one is allowed by `--allow-origin`" };
  }
  if (token === undefined || sameToken(headers.authorization, token)) return null;
  const error = headers.authorization === undefined ? "" : ', error="invalid_token"';
  return {
    status: 401,
    message: "a token is wanted, as `Authorization: Bearer ...`",
    headers: { "www-authenticate": `Bearer realm="stepgraph"${error}` },
  };
}

/**
 * The headers that let a page of an allowed origin ask and read; none for anybody else, whom the browser then stops.
 */
export function corsHeaders(headers: IncomingHttpHeaders, { origins = [] }: AccessPolicy): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return {};
  return { "access-control-allow-origin": origin, vary: "Origin", "access-control-expose-headers": EXPOSED_HEADERS };
}

/** What a browser is told that asks whether it may ask. */
export function preflightHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const requested = headers["access-control-request-headers"];
  return {
    "access-control-allow-methods": "GET, POST, DELETE",
    ...(typeof requested === "string" && /^[\w\-, ]{0,2000}$/.test(requested)
      ? { "access-control-allow-headers": requested }
      : {}),
    "access-control-max-age": "600",
  };
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function sameToken(given: string | undefined, token: string): boolean {
  const [, own = ""] = /^Bearer +(\S+)$/i.exec(given ?? "") ?? [];
  const [a, b] = [own, token].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(a!, b!);
}
