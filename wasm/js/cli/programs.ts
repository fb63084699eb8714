/** Servers that are programs: command lines and other applications' configuration files. */
import { basename, dirname, resolve } from "node:path";
import type { StdioCommand } from "../integrations/node/index.js";
import { withSecretsOf } from "../package-internals.js";
import type { ToolClient } from "../types.js";
import { decode, errorReason, type Io, readBytes } from "./io.js";
import { UsageError } from "./options.js";

export type ConfiguredServer =
  | { readonly program: StdioCommand }
  | { readonly url: string; readonly headers: Record<string, string> };

const PREFIX = "stdio:";
/** Programs that start others, so no server's address. */
const LAUNCHER = /^(npx|uvx|bunx|pipx|node|deno|bun|docker|python3?)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
const EXAMPLE = "write it like `--server 'memory=stdio:npx -y @modelcontextprotocol/server-memory'`";

/** Leading `NAME=value` words are variables of the process, as in a shell. */
export function parseProgram(address: string): StdioCommand | null {
  if (!address.startsWith(PREFIX)) return null;
  const words = splitWords(address.slice(PREFIX.length));
  const first = words.findIndex((word) => !ASSIGNMENT.test(word));
  const [command, ...args] = first < 0 ? [] : words.slice(first);
  if (command === undefined) throw new UsageError("cli/bad-value", "`stdio:` names no command", EXAMPLE);
  if (first === 0) return { command, args };
  const env = words.slice(0, first).map((word) => ASSIGNMENT.exec(word)!.slice(1));
  return { command, args, env: Object.fromEntries(env) as Record<string, string> };
}

/** Fills `${NAME}`, so a command line needs no key. */
export function withVariables(program: StdioCommand, env: Io["env"]): StdioCommand {
  if (program.env === undefined) return program;
  const bad = (why: string, help = "set it, or write the value itself") =>
    new UsageError("cli/missing-setup", `the command \`${program.command}\` ${why}`, help);
  const filled = Object.entries(program.env).map(([name, value]) => [name, expand(value, { env, folder: null, bad })]);
  return { ...program, env: Object.fromEntries(filled) as Record<string, string> };
}

/** Suggests `stdio:` for a command. */
export function assertNoCommand(name: string, address: string): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || !(/\s/.test(address.trim()) || LAUNCHER.test(address))) return;
  const command = address.trim().split(/\s+/).slice(0, 2).join(" ");
  throw new UsageError(
    "cli/bad-value",
    `the server \`${name}\` has a command instead of an address`,
    `write \`${name}=${PREFIX}${command} ...\` to start it`,
  );
}

/** Imports the process client at the first operation: most commands start none. */
export function programClient(program: StdioCommand, options: { name: string; timeoutMs?: number }): ToolClient {
  let client: Promise<ToolClient> | undefined;
  const started = () =>
    (client ??= import("../integrations/node/index.js").then(({ stdio }) => stdio({ ...program, ...options })));
  return {
    ...withSecretsOf(undefined, ...Object.values(program.env ?? {})),
    name: options.name,
    list: async (...asked) => (await started()).list(...asked),
    call: async (...asked) => (await started()).call(...asked),
    close: async () => (await client)?.close(),
  };
}

export function serverNameOf({ command }: StdioCommand): string {
  return command.replace(/^.*[/\\]/s, "").replace(/[^\w.-]/g, "-") || "server";
}

/** Arguments may contain a key. */
export function displayProgram({ command }: StdioCommand): string {
  return `${PREFIX}${command}`;
}

/** Quotes and backslashes work as in a shell, without expansion. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+|["'\\]/gs) ?? [];
  return words.map((word) => {
    if (/^["'\\]$/.test(word))
      throw new UsageError("cli/bad-value", `the command has a ${word} without a second one`, EXAMPLE);
    return word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
      (_all, double?: string, single?: string, one?: string) =>
        double !== undefined ? double.replace(/\\(["\\])/g, "$1") : (single ?? one!),
    );
  });
}

export interface McpConfig {
  readonly servers: ReadonlyMap<string, () => ConfiguredServer>;
  /** The file turns them off. */
  readonly disabled: readonly string[];
}

/**
 * Reads servers of Claude Desktop, Cursor or VS Code, ignoring other settings such as approvals. Each is read on use,
 * so mistakes elsewhere prevent nothing.
 */
export function readMcpConfig(file: string, env: Io["env"]): McpConfig {
  const form = 'it has the form `{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "..."]}}}`';
  const bad = (why: string, help = form) =>
    new UsageError("cli/invalid-file", `\`${file}\`${why.startsWith(":") ? "" : " "}${why}`, help);
  let config: { mcpServers?: unknown; servers?: unknown };
  try {
    config = JSON.parse(withoutComments(decode(readBytes(file)))) as typeof config;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw bad(`is not JSON: ${errorReason(error)}`);
  }
  const given = config?.mcpServers ?? config?.servers;
  if (!isRecord(given)) throw bad("has no map of servers under `mcpServers` or `servers`");
  const servers = new Map<string, () => ConfiguredServer>();
  const disabled: string[] = [];
  for (const [name, server] of Object.entries(given)) {
    if (!isRecord(server)) throw bad(`has a server \`${name}\` that is no map`);
    if (server.disabled !== undefined && typeof server.disabled !== "boolean")
      throw bad(`: \`${name}\` has \`disabled\` that is neither true nor false`);
    const badServer: Complaint = (why, help) => bad(`: \`${name}\` ${why}`, help);
    const text = (value: string) => expand(value, { env, folder: projectFolder(file), bad: badServer });
    if (server.disabled === true) disabled.push(name);
    else servers.set(name, () => configuredServer(server, text, badServer));
  }
  return { servers, disabled };
}

type Complaint = (why: string, help?: string) => UsageError;

/** The parent of `.vscode` or `.cursor`, else the file's own. */
function projectFolder(file: string): string {
  const folder = dirname(resolve(file));
  return [".vscode", ".cursor"].includes(basename(folder)) ? dirname(folder) : folder;
}

function configuredServer(
  server: Record<string, unknown>,
  text: (value: string) => string,
  bad: Complaint,
): ConfiguredServer {
  const { command, args = [], env = {}, cwd, headers = {}, type } = server;
  const url = server.url ?? server.serverUrl;
  const texts = (given: unknown, what: string): Record<string, string> => {
    if (!isRecord(given) || !Object.values(given).every((value) => typeof value === "string"))
      throw bad(`has \`${what}\` that is no map of texts`);
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, text(value as string)]));
  };
  if (type === "sse") throw bad("uses the transport `sse`, which MCP replaced in 2025");
  if (url !== undefined && typeof url !== "string") throw bad("has a `url` that is no text");
  if (url !== undefined && command !== undefined) throw bad("has a `command` and a `url`");
  if (url !== undefined) return { url: text(url), headers: texts(headers, "headers") };
  if (typeof command !== "string") throw bad("has neither a `command` nor a `url`");
  if (!Array.isArray(args) || !args.every((one) => typeof one === "string"))
    throw bad("has `args` that are no list of texts");
  if (cwd !== undefined && typeof cwd !== "string") throw bad("has a `cwd` that is no text");
  const program = { command: text(command), args: args.map(text), env: texts(env, "env") };
  return { program: cwd === undefined ? program : { ...program, cwd: text(cwd) } };
}

/** Answers a question of VS Code. */
function inputVariable(id: string): string {
  return `STEPGRAPH_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

interface Expansion {
  env: Io["env"];
  /** Null on a command line. */
  folder: string | null;
  bad: Complaint;
}

/** Fills `${NAME}`, `${NAME:-otherwise}`, `${env:NAME}`, `${input:ID}` and `${workspaceFolder}`. */
function expand(text: string, { env, folder, bad }: Expansion): string {
  return text.replace(/\$\{([^}]*)\}/g, (whole, inner: string) => {
    if (folder !== null && inner === "workspaceFolder") return folder;
    const [, kind = "", id = "", otherwise] = /^(env:|input:)?(.*?)(?::-(.*))?$/s.exec(inner)!;
    if (!/^\w+$/.test(id) && kind !== "input:") throw bad(`uses \`${whole}\`, which only an editor can fill in`);
    const name = kind === "input:" ? inputVariable(id) : id;
    const value = env[name] ?? otherwise;
    if (value !== undefined) return value;
    if (kind === "input:") throw bad(`uses \`${whole}\`, which an editor asks you for`, `set ${name} to its value`);
    throw bad(`uses \`${whole}\`, and the variable ${name} is not set`);
  });
}

/** VS Code writes comments and trailing commas. Texts stay. */
function withoutComments(text: string): string {
  return text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_all, quoted?: string) => quoted ?? "")
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_all, quoted?: string) => quoted ?? "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
