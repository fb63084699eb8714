/**
 * Checks `Host`, `Origin` and `Authorization` before the body is read.
 *
 * Invariants: other sites' pages have no access, not even through DNS rebinding. If there is no token, only this
 * machine has access. Tokens are compared in constant time and never printed.
 *
 * Source: MCP 2026-07-28 and 2025-11-25, "Streamable HTTP", security. RFC 6750, section 3.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

export interface AccessPolicy {
  /** Required as `Authorization: Bearer ...`. */
  token?: string | undefined;
  /** Besides this machine's. */
  hosts?: readonly string[];
  /** Such as `https://app.example.com`. */
  origins?: readonly string[];
}

export interface AccessDenied {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

const EXPOSED_HEADERS = "mcp-session-id, www-authenticate";

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Returns why it is rejected. */
export function checkAccess(
  headers: IncomingHttpHeaders,
  { token, hosts = [], origins = [] }: AccessPolicy,
): AccessDenied | null {
  const local = localhostAllowedHostnames();
  const host = validateHostHeader(headers.host, [...local, ...hosts.map(bracketed)]);
  if (!host.ok)
    return {
      status: 403,
      message: "the header `Host` is not allowed; `--allow-host` allows a host name",
    };
  const { origin } = headers;
  if (origin !== undefined && !origins.includes(origin) && !validateOriginHeader(origin, local).ok) {
    return { status: 403, message: "pages of this origin are not allowed; `--allow-origin` allows an origin" };
  }
  if (token === undefined || sameToken(headers.authorization, token)) return null;
  const error = headers.authorization === undefined ? "" : ', error="invalid_token"';
  return {
    status: 401,
    message: "a token is required, as `Authorization: Bearer ...`",
    headers: { "www-authenticate": `Bearer realm="stepgraph"${error}` },
  };
}

/** Browsers block pages that don't get them. */
export function corsHeaders(headers: IncomingHttpHeaders, { origins = [] }: AccessPolicy): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return {};
  return { "access-control-allow-origin": origin, vary: "Origin", "access-control-expose-headers": EXPOSED_HEADERS };
}

/** Echoes requested headers, because `mcp-param-*` names are open-ended. */
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
