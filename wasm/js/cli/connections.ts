/**
 * Connections to tool servers.
 *
 * Invariants: a key goes only to its own server (`server-keys.ts`). No output contains a key, or of a URL more than
 * scheme, host and path.
 */
import { setTimeout as wait } from "node:timers/promises";
import { CallError, diagnose, mcp, oauth } from "../node.js";
import type { StdioCommand } from "../integrations/node/index.js";
import type { McpOptions } from "../mcp-types.js";
import type { PlanGraph } from "../graph.js";
import { withSecretsOf } from "../package-internals.js";
import type { ToolClient, ToolInfo } from "../types.js";
import type { Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { keysOf, keyVariable, type Target, CREDENTIAL_HEADERS, variable } from "./server-keys.js";
import { checkUrl } from "./models.js";
import {
  assertNoCommand,
  displayProgram,
  type McpConfig,
  parseProgram,
  programClient,
  serverNameOf,
  readMcpConfig,
  withVariables,
} from "./programs.js";
import type { BrokenServers } from "./broken-servers.js";
import { signIn } from "./signin.js";
import { visible } from "../terminal/text.js";
import { readHeaders, readRetries, readTimeout } from "./parse-values.js";

export interface Connection {
  /** Prefixes clashing tools. */
  readonly name: string;
  /** Contains no secrets. */
  readonly place: string;
  client: ToolClient;
  /** The last error of `tools/list`. */
  failure: unknown;
  advice: string | null;
  readonly credential: string | null;
}

/** An address, `NAME=ADDRESS`, or a name in the plan or a configuration file. */
interface ServerArgument {
  name: string | null;
  url: string | null;
  program: StdioCommand | null;
}

type Resolved = (Target & { headers?: Record<string, string> }) | { name: string; program: StdioCommand };

/** Doubles with each retry. */
const PAUSE_MS = 300;

const NAMED = /^([A-Za-z0-9][\w.-]*)(?:=(.*))?$/s;

/** Looks bare names up in `plan`. Throws {@link UsageError}. */
export function connections(
  words: readonly ServerWord[],
  args: Arguments,
  io: Io,
  plan: PlanGraph | null,
  tell: (text: string) => void = () => {},
  broken?: BrokenServers,
): Connection[] {
  const planned = plan ? plannedServers(plan) : null;
  const configured = configuredServers(args, io);
  if (words.some(isOptional))
    for (const name of configured.disabled) tell(`the server \`${name}\` is disabled in its file, and left out`);
  const found = words.flatMap((word) => {
    const resolve = () => resolveTarget(parseServerWord(word), configured.servers, planned);
    return isOptional(word) && broken ? broken.resolve(word.configured, resolve) : [resolve()];
  });
  checkNames(found.map(({ name }) => name));
  const headers = headersOf(
    args.all("header"),
    found.flatMap((server) => ("program" in server ? [] : [server.name])),
  );
  const common = readTimeout(args.single("timeout"));
  const retries = readRetries(args.single("retries"));
  const tokens = args.single("tokens");
  if (tokens !== undefined && !args.has("sign-in"))
    throw new UsageError("cli/missing-argument", "`--tokens` needs `--sign-in`", "add `--sign-in`");
  const desk = args.has("sign-in") ? signIn(io, tokens) : null;
  const optional = new Set(words.filter(isOptional).map(({ configured }) => configured));
  const connect = (target: Resolved): Connection => {
    if ("program" in target) {
      const program = withVariables(target.program, io.env);
      return programConnection({ ...target, program }, common, retries, tell);
    }
    const { name, url } = target;
    const { address: plain, authorization, password } = extractCredentials(url);
    const { key, ...client } = keysOf(target, headers.get(name)!, found.length, io.env, desk !== null);
    const own = {
      ...(authorization && key === undefined ? { Authorization: authorization } : {}),
      ...target.headers,
      ...headers.get(name),
    };
    const options: McpOptions = { name, headers: own, ...common, ...(key === undefined ? {} : { key }) };
    if (desk && key === undefined) options.auth = oauth({ ...desk, ...(client.clientId === undefined ? {} : client) });
    const connection: Connection = {
      name,
      place: displayUrl(plain),
      client: mcp(plain, options),
      failure: null,
      advice: null,
      credential: credentialOf(name, found.length, io.env, key !== undefined, own),
    };
    const examine = async (error: unknown) => void (connection.advice = await runDoctor(plain, options, error));
    connection.client = withListRetries(connection, hidePassword(connection.client, password), retries, tell, examine);
    return connection;
  };
  const all = found.map(connect);
  for (const connection of all) if (broken && optional.has(connection.name)) broken.tolerate(connection);
  return all;
}

function programConnection(
  { name, program }: { name: string; program: StdioCommand },
  options: { timeoutMs?: number },
  retries: number,
  tell: (text: string) => void,
): Connection {
  const place = displayProgram(program);
  const client = programClient(program, { name, ...options });
  const connection: Connection = { name, place, client, failure: null, advice: null, credential: null };
  const examine = async () =>
    void (connection.advice = `check that \`${visible(program.command)}\` starts, and what it needs in its environment`);
  connection.client = withListRetries(connection, client, retries, tell, examine);
  return connection;
}

/** A name in `--mcp-config` may be any text. */
export type ServerWord = string | { readonly configured: string };

/** Only the file names it. */
function isOptional(word: ServerWord): word is Exclude<ServerWord, string> {
  return typeof word !== "string";
}

/** Returns all servers of `--mcp-config` if `--server` is missing. */
export function serverWords(args: Arguments, io: Io, rename: (word: string) => string = (word) => word): ServerWord[] {
  const words = args.all("server");
  return words.length > 0
    ? words.map(rename)
    : [...configuredServers(args, io).servers.keys()].map((configured) => ({ configured }));
}

export function configuredServers(args: Arguments, io: Io): McpConfig {
  const file = args.single("mcp-config");
  return file === undefined ? { servers: new Map(), disabled: [] } : readMcpConfig(file, io.env);
}

function credentialOf(
  name: string,
  servers: number,
  env: Io["env"],
  hasKey: boolean,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (hasKey) return keyVariable(name, servers, env);
  const telling = Object.keys(headers).filter((header) => CREDENTIAL_HEADERS.test(header));
  return telling.length > 0 ? `the header \`${telling[0]}\`` : null;
}

export function parseServerWord(word: ServerWord): ServerArgument {
  return typeof word === "string" ? parseServerArgument(word) : { name: word.configured, url: null, program: null };
}

/** Typos are reported before the plan is read. */
export function parseServerArgument(word: string): ServerArgument {
  const [, name = null, url] = NAMED.exec(word) ?? [];
  const program = parseProgram(name === null || url === undefined ? word : url);
  if (program !== null) return { name: name ?? serverNameOf(program), url: null, program };
  if (url !== undefined) assertNoCommand(name!, url);
  if (name === null) return { name: null, url: checkUrl("the server", word), program };
  return { name, url: url === undefined ? null : checkUrl(`the server \`${name}\``, url), program };
}

export function plannedServers(plan: PlanGraph): Map<string, string> {
  const { servers } = plan.toJSON() as { servers?: Record<string, { url?: string }> | null };
  return new Map(Object.entries(servers ?? {}).flatMap(([name, server]) => (server?.url ? [[name, server.url]] : [])));
}

function resolveTarget(
  { name, url, program }: ServerArgument,
  configured: McpConfig["servers"],
  planned: Map<string, string> | null,
): Resolved {
  if (program !== null) return { name: name!, program };
  if (url !== null) return { name: name ?? new URL(url).host, url, planned: false };
  const server = configured.get(name!)?.();
  if (server !== undefined && "program" in server) return { name: name!, program: server.program };
  if (server !== undefined)
    return {
      name: name!,
      url: checkUrl(`the server \`${name}\``, server.url),
      headers: server.headers,
      planned: false,
    };
  const known = planned?.get(name!);
  if (known !== undefined) return { name: name!, url: checkUrl(`the plan's server \`${name}\``, known), planned: true };
  const all = [...configured.keys(), ...(planned?.keys() ?? [])];
  const suggestion = closestName(name!, all);
  const names = all.map((name) => `\`${name}\``).join(", ");
  if (planned === null && configured.size === 0)
    throw new UsageError("cli/bad-value", `\`${name}\` is not an address`, "write it like `http://127.0.0.1:3001/mcp`");
  throw new UsageError(
    "cli/not-found",
    configured.size > 0 ? `there is no server \`${name}\`` : `the plan names no server \`${name}\``,
    suggestion
      ? `did you mean \`${suggestion}\`?`
      : `write an address, as in \`--server ${name}=http://127.0.0.1:3001/mcp\`${names === "" ? "" : `, or one of ${names}`}`,
  );
}

/** Duplicate names would hide tools and mix up keys. */
function checkNames(names: string[]): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const other = seen.get(variable(name));
    if (other === name)
      throw new UsageError(
        "cli/extra-argument",
        `two servers are called \`${name}\``,
        "give each a name of its own: `--server one=URL --server two=URL`",
      );
    if (other !== undefined)
      throw new UsageError(
        "cli/not-possible",
        `the servers \`${other}\` and \`${name}\` would receive the same key`,
        `rename one of them: both read ${variable(name)}`,
      );
    seen.set(variable(name), name);
  }
}

/** `NAME: VALUE` for all servers, `SERVER=NAME: VALUE` for one. */
function headersOf(fields: string[], servers: string[]): Map<string, Record<string, string>> {
  const all = new Map(servers.map((name): [string, Record<string, string>] => [name, {}]));
  for (const field of fields) {
    // Header names contain no `=`.
    const [, server, rest] = /^([^:=]+(?::\d+)?)=(.*:.*)$/s.exec(field) ?? [];
    if (server !== undefined && !all.has(server))
      throw new UsageError(
        "cli/not-found",
        `a \`--header\` is for \`${server}\`, and no server has that name`,
        headerHelp(server, servers),
      );
    for (const [name, value] of Object.entries(readHeaders([rest ?? field]))) {
      if (server === undefined && servers.length > 1 && CREDENTIAL_HEADERS.test(name)) {
        throw new UsageError(
          "cli/not-possible",
          `the header \`${name}\` would be sent to all ${servers.length} servers`,
          `name its server, as in \`--header '${servers[0]}=${name}: ...'\``,
        );
      }
      for (const target of server === undefined ? servers : [server]) all.get(target)![name] = value;
    }
  }
  return all;
}

function headerHelp(wrong: string, servers: string[]): string {
  const suggestion = closestName(wrong, servers);
  return suggestion
    ? `did you mean \`${suggestion}\`?`
    : servers.length > 0
      ? `use ${servers.map((name) => `\`${name}\``).join(", ")}`
      : "name one with `--server`";
}

/** Moves them to an `Authorization` header: `fetch` rejects URLs with credentials. */
function extractCredentials(url: string): { address: string; authorization: string | null; password: string } {
  const parsed = new URL(url);
  if (parsed.username === "" && parsed.password === "") return { address: url, authorization: null, password: "" };
  const [user, password] = [parsed.username, parsed.password].map(decodeURIComponent);
  parsed.username = parsed.password = "";
  return {
    address: parsed.href,
    authorization: `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`,
    password: password || user!,
  };
}

/** The library redacts only headers and keys. */
function hidePassword(client: ToolClient, password: string): ToolClient {
  if (password === "") return client;
  const plain = (text: string) =>
    text.replaceAll(password, "[secret]").replaceAll(encodeURIComponent(password), "[secret]");
  const hide = (error: unknown): never => {
    throw error instanceof CallError ? new CallError(error.code, plain(error.message)) : error;
  };
  const call: ToolClient["call"] = async (...asked) => {
    const result = await client.call(...asked).catch(hide);
    return result.isError
      ? { value: plain(String(result.value)), isError: true, message: plain(result.message ?? "") }
      : result;
  };
  const list: ToolClient["list"] = (signal) => client.list(signal).catch(hide);
  return { ...withSecretsOf(client, password), name: client.name, list, call, close: () => client.close() };
}

/** Scheme, host and path: other parts may hold a key. */
export function displayUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}

/** Retries only `list`. For calls, the plan's `retry` decides. */
function withListRetries(
  connection: Connection,
  client: ToolClient,
  retries: number,
  tell: (text: string) => void,
  examine: (error: unknown) => Promise<void>,
): ToolClient {
  const list = async (signal?: AbortSignal): Promise<ToolInfo[]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const tools = await client.list(signal);
        connection.failure = null;
        return tools;
      } catch (error) {
        connection.failure = error;
        if ((error as { code?: string }).code !== "tool/unreachable" || attempt > retries || signal?.aborted) {
          if (!signal?.aborted) await examine(error);
          throw error;
        }
        const ms = PAUSE_MS * 2 ** (attempt - 1);
        tell(`${(error as Error).message}; retrying in ${ms} ms (${attempt} of ${retries})`);
        await wait(ms, undefined, signal ? { signal } : {});
      }
    }
  };
  const [call, close] = [client.call.bind(client), client.close.bind(client)];
  return { ...withSecretsOf(client), name: client.name, list, call, close };
}

export function connectionHelp({ name, advice, credential }: Connection, error: unknown): string {
  if (advice !== null) return advice;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "tool/unauthorized" && credential !== null)
    return `the server refused ${credential}: check that it contains a valid key for this server, with the required permissions`;
  if (code === "tool/unauthorized") return `set ${variable(name)} to its key`;
  if (code === "tool/timeout") return "check that it is the right server, or raise `--timeout MS`";
  return "check that the server runs, and that its address has the right path";
}

/** Null if the error already says it. */
async function runDoctor(
  url: string,
  { headers = {}, key, auth, timeoutMs = 5000 }: McpOptions,
  error: unknown,
): Promise<string | null> {
  const { code } = error as { code?: string };
  // It would meet the same timeout. Sign-in errors explain themselves.
  if (code === "tool/timeout" || code?.startsWith("mcp/auth-")) return null;
  const found = await diagnose(url, {
    headers,
    error,
    timeoutMs: Math.min(timeoutMs, 5000),
    ...(key === undefined ? {} : { key }),
  });
  if (
    ["connect/ok", "connect/key-missing", "connect/key-wrong"].includes(found.code) ||
    (auth && found.code === "connect/sign-in")
  )
    return null;
  return visible(`${found.message}: ${found.code === "connect/sign-in" ? "add `--sign-in`" : found.help}`);
}
