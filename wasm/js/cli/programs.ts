/** Servers that are programs: their command lines, and the files in which other applications keep them. */
import type { StdioCommand } from "../integrations/node/index.js";
import { withSecretsOf } from "../package-internals.js";
import type { ToolClient } from "../types.js";
import { decode, errorReason, type Io, readBytes } from "./io.js";
import { UsageError } from "./options.js";

/** A server of a configuration file. */
export type ConfiguredServer =
  | { readonly program: StdioCommand }
  | { readonly url: string; readonly headers: Record<string, string> };

const PREFIX = "stdio:";
const EXAMPLE = "write it like `--server 'memory=stdio:npx -y @modelcontextprotocol/server-memory'`";

/** Returns the command of `stdio:COMMAND`, or null for other addresses. */
export function parseProgram(address: string): StdioCommand | null {
  if (!address.startsWith(PREFIX)) return null;
  const [command, ...args] = splitWords(address.slice(PREFIX.length));
  if (command === undefined) throw new UsageError("`stdio:` names no command", EXAMPLE);
  return { command, args };
}

/** Loads what starts programs with the first operation, because most commands start none. */
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

/** The last part of the program's path. */
export function programName({ command }: StdioCommand): string {
  return command.replace(/^.*[/\\]/s, "").replace(/[^\w.-]/g, "-") || "server";
}

/** The program without its arguments, which may contain a key. */
export function displayProgram({ command }: StdioCommand): string {
  return `${PREFIX}${command}`;
}

/** Splits a command line as a shell does: quotes and backslashes keep spaces. No variable or pattern is expanded. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+|["'\\]/gs) ?? [];
  return words.map((word) => {
    if (/^["'\\]$/.test(word)) throw new UsageError(`the command has a ${word} without a second one`, EXAMPLE);
    return word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
      (_all, double?: string, single?: string, one?: string) =>
        double !== undefined ? double.replace(/\\(["\\])/g, "$1") : (single ?? one!),
    );
  });
}

/**
 * Reads the servers of a file of Claude Desktop, Cursor or VS Code, by name. Settings of these applications, such as
 * tools that need no approval, are ignored. A server is read when it is used, so that a mistake elsewhere prevents
 * nothing.
 */
export function readMcpConfig(file: string, env: Io["env"]): Map<string, () => ConfiguredServer> {
  const help = 'it has the form `{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "..."]}}}`';
  const bad = (why: string) => new UsageError(`\`${file}\` ${why}`, help);
  let config: { mcpServers?: unknown; servers?: unknown };
  try {
    config = JSON.parse(withoutComments(decode(readBytes(file)))) as typeof config;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw bad(`is not JSON: ${errorReason(error)}`);
  }
  const servers = config?.mcpServers ?? config?.servers;
  if (!isRecord(servers)) throw bad("has no map of servers under `mcpServers` or `servers`");
  const found = Object.entries(servers).flatMap(([name, server]): [string, () => ConfiguredServer][] => {
    if (!isRecord(server)) throw bad(`has a server \`${name}\` that is no map`);
    if (server.disabled !== undefined && typeof server.disabled !== "boolean")
      throw bad(`: \`${name}\` has \`disabled\` that is neither true nor false`);
    if (server.disabled === true) return [];
    return [
      [
        name,
        () =>
          configuredServer(
            server,
            (text) => expand(text, env, bad),
            (why) => bad(`: \`${name}\` ${why}`),
          ),
      ],
    ];
  });
  return new Map(found);
}

function configuredServer(
  server: Record<string, unknown>,
  text: (value: string) => string,
  bad: (why: string) => UsageError,
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

/** Fills in `${env:NAME}` and `${NAME}`. Other forms ask the user of an editor, so they are refused. */
function expand(text: string, env: Io["env"], bad: (why: string) => UsageError): string {
  return text.replace(/\$\{([^}]*)\}/g, (_all, inner: string) => {
    const name = inner.replace(/^env:/, "");
    if (!/^\w+$/.test(name)) throw bad(`uses \`\${${inner}}\`, which only an editor can fill in`);
    const value = env[name];
    if (value === undefined) throw bad(`uses \`\${${inner}}\`, and the variable ${name} is not set`);
    return value;
  });
}

/** VS Code writes comments and trailing commas. Texts stay as they are. */
function withoutComments(text: string): string {
  return text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_all, quoted?: string) => quoted ?? "")
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_all, quoted?: string) => quoted ?? "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
