/** MCP servers that are programs. */
import { CallError, internals, mcp, type McpClient, type McpOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import { type SecretHolder, SECRETS } from "../../secrets.js";
import type { StdioCommand } from "./stdio-command.js";
import { MIN_SECRET, notMcp, StdioProcess } from "./stdio-process.js";

export type { StdioCommand } from "./stdio-command.js";

/** A command that starts an MCP server, and its client's options. */
export type StdioOptions = StdioCommand &
  Pick<McpOptions, "name" | "timeoutMs" | "maxTimeoutMs" | "version" | "elicitation" | "sampling" | "roots">;

const OPTIONS: Kinds<StdioOptions> = {
  command: "text",
  args: "[]text",
  env: "{}text",
  cwd: "text",
  name: "text",
  timeoutMs: "ms",
  maxTimeoutMs: "ms",
  version: "any",
  elicitation: { form: "function", url: "function" },
  sampling: "function",
  roots: "function|[]map",
};

/**
 * Creates a client for an MCP server that is a program. Operations start it, `close` ends it. If it ends earlier, its
 * calls fail with `tool/unreachable`.
 *
 * @example
 * const memory = stdio({ command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"], name: "memory" });
 * const report = await run(graph, { tools: [memory] });
 * await memory.close();
 */
export function stdio(options: StdioOptions): McpClient {
  internals.assertOptions("stdio", options, OPTIONS);
  internals.assertKind("stdio", "command", options.command, "text");
  const { command, args, env, cwd, name = programName(command), ...client } = options;
  const server = new StdioProcess({
    command,
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  const connection = mcp(`stdio:${name}`, { ...client, name, fetch: server.fetch, headers: redacted(env) });
  const close = connection.close.bind(connection);
  const explained = <A extends unknown[], R>(operation: (...given: A) => Promise<R>) => {
    return (...given: A) => operation.apply(connection, given).catch((error: unknown) => explain(error, server));
  };
  // Variables are redacted like keys.
  const own = (connection as SecretHolder)[SECRETS]?.bind(connection) ?? (() => []);
  return Object.assign(connection, {
    list: explained(connection.list),
    call: explained(connection.call),
    request: explained(connection.request),
    [SECRETS]: () => [...own(), ...Object.values(env ?? {})],
    close: async () => {
      await close();
      await server.end();
    },
  });
}

function explain(error: unknown, { noise }: StdioProcess): never {
  if (!(error instanceof CallError) || error.code !== "tool/timeout" || noise === null) throw error;
  throw new CallError(error.code, `${error.message}; ${notMcp(noise)}`, {
    cause: error,
  });
}

/**
 * The client removes headers' values from results. These headers reach no server. Lines of a value are removed one by
 * one.
 */
function redacted(env: StdioCommand["env"] = {}): Record<string, string> {
  const lines = Object.values(env).flatMap((value) => value.split(/[\r\n]+/));
  const values = lines.filter(
    (line) => line.length >= MIN_SECRET && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(line),
  );
  return Object.fromEntries(values.map((value, number) => [`x-secret-${number}`, value]));
}

/** Omits path and extension. */
function programName(command: string): string {
  return command.replace(/^.*[/\\]/s, "").replace(/\.\w+$/, "") || command;
}
