/**
 * Which URLs receive which keys. Plans are untrusted.
 *
 * Invariants: a key goes only to a URL that the user typed, or to the origin that the environment binds it to. Over
 * plain HTTP, a key from the environment stays on this machine.
 */
import type { Io } from "./io.js";
import { UsageError } from "./options.js";

export interface Target {
  name: string;
  url: string;
  /** Only the plan names its URL. */
  planned: boolean;
}

export interface Keys {
  key?: string;
  clientId?: string;
  clientSecret?: string;
}

const PARTS = { key: "SERVER_KEY", clientId: "CLIENT_ID", clientSecret: "CLIENT_SECRET" } as const;
export const CREDENTIAL_HEADERS = /^(proxy-)?authorization$|cookie|key|token|secret|password/i;

export function variable(name: string): string {
  return variableOf("SERVER_KEY", name);
}

function variableOf(what: string, name: string): string {
  return `STEPGRAPH_${what}_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;
}

export function keyVariable(name: string, servers: number, env: Io["env"]): string {
  return servers === 1 && !env[variable(name)] ? "STEPGRAPH_SERVER_KEY" : variable(name);
}

/** The nameless variable is for a single server, so it can't reach another. */
function ownVariable(what: string, name: string, servers: number, env: Io["env"]): string | undefined {
  const alone = servers === 1 ? env[`STEPGRAPH_${what}`] : undefined;
  return (env[variableOf(what, name)] ?? alone) || undefined;
}

export function hasKey(name: string, servers: number, env: Io["env"]): boolean {
  return ownVariable("SERVER_KEY", name, servers, env) !== undefined;
}

/** Throws {@link UsageError} if the URL may not receive them. Only `signsIn` reads client id and secret. */
export function keysOf(
  target: Target,
  headers: Readonly<Record<string, string>>,
  servers: number,
  env: Io["env"],
  signsIn: boolean,
): Keys {
  const found = (["key", ...(signsIn ? (["clientId", "clientSecret"] as const) : [])] as const).flatMap((part) => {
    const value = ownVariable(PARTS[part], target.name, servers, env);
    return value === undefined ? [] : [[part, value] as const];
  });
  const keys: Keys = Object.fromEntries(found);
  // A client id alone is not secret.
  const secret = keys.key !== undefined || (keys.clientId !== undefined && keys.clientSecret !== undefined);
  const telling = Object.keys(headers).find((name) => CREDENTIAL_HEADERS.test(name));
  if (target.planned && (secret || telling !== undefined)) assertBound(target, telling, servers, env);
  if (secret) assertTransport(target);
  return keys;
}

/** Throws if only the plan names the URL and the environment binds no origin. */
function assertBound({ name, url }: Target, header: string | undefined, servers: number, env: Io["env"]): void {
  const { origin } = new URL(url);
  const bound = ownVariable("SERVER_URL", name, servers, env);
  if (bound !== undefined && !URL.canParse(bound))
    throw new UsageError(
      "cli/missing-setup",
      `${variableOf("SERVER_URL", name)} contains no URL`,
      `write it like \`${variableOf("SERVER_URL", name)}=https://shop.example\``,
    );
  if (bound !== undefined && new URL(bound).origin === origin) return;
  const what = header === undefined ? `the key of \`${name}\`` : `the header \`${header}\` for \`${name}\``;
  const { pathname, search } = new URL(url);
  const address = `${origin}${pathname === "/" ? "" : pathname}${search === "" ? "" : "?..."}`;
  throw new UsageError(
    "cli/not-possible",
    `${what} would be sent to \`${address}\`, which only the plan names`,
    `if it is meant for that server, write \`--server ${name}=${address}\`, or set ${variableOf("SERVER_URL", name)}=${origin}`,
  );
}

/** Plain HTTP is only safe on this machine. */
function assertTransport({ name, url }: Target): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw new UsageError(
    "cli/not-possible",
    `the key of \`${name}\` would be sent to \`${host}\` over plain http, where others can read it`,
    `write its address with \`https://\`, or unset ${variable(name)}`,
  );
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
