/**
 * The keys of tool servers: which variable of the environment holds them, and which addresses they may be sent to.
 *
 * A plan is data from anywhere, so what it names gets no key on its own account. Invariants: a key goes only to an
 * address that the person typed, or to the origin that the environment binds it to; over plain http a key from the
 * environment goes to this machine only.
 */
import type { Io } from "./io.js";
import { UsageError } from "./options.js";

/** A server that is to be reached. */
export interface Target {
  name: string;
  url: string;
  /** Whether only the plan says where it is. */
  planned: boolean;
}

/** What is sent to one server and to nobody else. */
export interface Keys {
  key?: string;
  clientId?: string;
  clientSecret?: string;
}

const PARTS = { key: "SERVER_KEY", clientId: "CLIENT_ID", clientSecret: "CLIENT_SECRET" } as const;
/** Headers that tell who asks. */
export const CREDENTIAL_HEADERS = /^(proxy-)?authorization$|cookie|key|token|secret|password/i;

/** The variable of the environment that holds a server's key. */
export function variable(name: string): string {
  return variableOf("SERVER_KEY", name);
}

function variableOf(what: string, name: string): string {
  return `STEPGRAPH_${what}_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;
}

/** The variable in which the key of a server was found. */
export function keyVariable(name: string, servers: number, env: Io["env"]): string {
  return servers === 1 && !env[variable(name)] ? "STEPGRAPH_SERVER_KEY" : variable(name);
}

/** A server's own variable; the one without a name is for the only server, since it must not reach another. */
function ownVariable(what: string, name: string, servers: number, env: Io["env"]): string | undefined {
  const alone = servers === 1 ? env[`STEPGRAPH_${what}`] : undefined;
  return (env[variableOf(what, name)] ?? alone) || undefined;
}

/** Whether the environment holds a key of that server. */
export function hasKey(name: string, servers: number, env: Io["env"]): boolean {
  return ownVariable("SERVER_KEY", name, servers, env) !== undefined;
}

/**
 * The keys of a server, once it is certain that they may be sent to its address; `headers` are those that it is sent.
 * Without `signsIn` it needs no name and secret of the command. Throws {@link UsageError}.
 */
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
  // Who signs in by an id of its own is known by it; alone it is no secret.
  const secret = keys.key !== undefined || (keys.clientId !== undefined && keys.clientSecret !== undefined);
  const telling = Object.keys(headers).find((name) => CREDENTIAL_HEADERS.test(name));
  if (target.planned && (secret || telling !== undefined)) assertBound(target, telling, servers, env);
  if (secret) assertTransport(target);
  return keys;
}

/** Refuses an address that only the plan names, unless the environment binds the key to its origin. */
function assertBound({ name, url }: Target, header: string | undefined, servers: number, env: Io["env"]): void {
  const { origin } = new URL(url);
  const bound = ownVariable("SERVER_URL", name, servers, env);
  if (bound !== undefined && !URL.canParse(bound))
    throw new UsageError(
      `${variableOf("SERVER_URL", name)} holds no address`,
      `write it like \`${variableOf("SERVER_URL", name)}=https://shop.example\``,
    );
  if (bound !== undefined && new URL(bound).origin === origin) return;
  const what = header === undefined ? `the key of \`${name}\`` : `the header \`${header}\` for \`${name}\``;
  const { pathname, search } = new URL(url);
  const address = `${origin}${pathname === "/" ? "" : pathname}${search === "" ? "" : "?..."}`;
  throw new UsageError(
    `${what} would be sent to \`${address}\`, which only the plan names`,
    `if it is meant for that server, write \`--server ${name}=${address}\`, or set ${variableOf("SERVER_URL", name)}=${origin}`,
  );
}

/** Refuses plain http, but for this machine. */
function assertTransport({ name, url }: Target): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw new UsageError(
    `the key of \`${name}\` would be sent to \`${host}\` over plain http, where others can read it`,
    `write its address with \`https://\`, or unset ${variable(name)}`,
  );
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
