/** What needs Node: MCP servers that are programs. */
import { internals, mcp, type McpClient, type McpOptions } from "stepgraph";
import type { Kinds } from "../../options.js";
import type { StdioCommand } from "./stdio-command.js";
import { StdioProcess } from "./stdio-process.js";

export type { StdioCommand } from "./stdio-command.js";

/** A command that starts an MCP server, and options of its client. */
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
 * Creates a client for an MCP server that is a program. The first operation starts it, and `close` ends it. If it ends
 * earlier, its calls fail with `tool/unreachable`, and the next operation starts it again.
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
  // No header reaches the server. As headers, its variables are redacted like keys.
  const connection = mcp(`stdio:${name}`, { ...client, name, fetch: server.fetch, headers: { ...env } });
  const close = connection.close.bind(connection);
  return Object.assign(connection, {
    close: async () => {
      await close();
      await server.end();
    },
  });
}

/** The last part of its path, without an extension. */
function programName(command: string): string {
  return command.replace(/^.*[/\\]/s, "").replace(/\.\w+$/, "") || command;
}
