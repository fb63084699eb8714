/** `stepgraph tools` */
import type { ToolInfo } from "../types.js";
import { connections, connectionHelp, type Connection, serverWords } from "./connections.js";
import { renderOptions, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { toFailure } from "./usage-error.js";
import { renderTool } from "./tool-signature.js";
import { pluralize, visible } from "../terminal/text.js";

export async function toolsCommand(args: Arguments, io: Io): Promise<number> {
  const words = args.operands.length > 0 ? args.operands : serverWords(args, io);
  if (words.length === 0)
    throw new UsageError(
      "cli/missing-argument",
      args.has("mcp-config") ? "the file of `--mcp-config` has no servers" : "`stepgraph tools` needs an address",
      "write `stepgraph tools URL`, `stepgraph tools stdio:COMMAND`, or `stepgraph tools --mcp-config FILE`",
    );
  const all = connections(words, args, io, null, (text) => void io.err.write(`${text}\n`));
  const lists = await Promise.all(all.map(async (connection) => ({ connection, tools: await listTools(connection) })));
  const filter = args.single("filter") ?? "";
  const shown = lists.map(({ connection, tools }) => ({
    connection,
    tools: tools.filter(({ name }) => name.includes(filter)),
  }));
  const names = lists.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (filter !== "" && shown.every(({ tools }) => tools.length === 0))
    throw new UsageError("cli/not-found", `no tool name contains \`${filter}\``, nameSuggestion(filter, names));
  if (args.has("json")) {
    io.out.write(
      `${JSON.stringify({ servers: shown.map(({ connection, tools }) => ({ name: connection.name, url: connection.place, tools })) })}\n`,
    );
    return 0;
  }
  const options = renderOptions(io.out, io);
  for (const {
    connection: { name, place },
    tools,
  } of shown) {
    const head = place.endsWith(name) || place.includes(`//${name}`) ? place : `${name}  ${place}`;
    io.out.write(`${options.style.bold(visible(head))}: ${pluralize(tools.length, "tool")}\n\n`);
    for (const tool of tools) {
      // A name of several servers needs a prefix.
      const known = names.filter((other) => other === tool.name).length === 1 ? tool.name : `${name}.${tool.name}`;
      io.out.write(`${renderTool(tool, options, known, args.has("verbose")).join("\n")}\n\n`);
    }
  }
  return 0;
}

function nameSuggestion(filter: string, names: string[]): string {
  const one = closestName(filter, names);
  return one
    ? `did you mean \`${one}\`?`
    : `there ${names.length === 1 ? "is" : "are"} ${pluralize(names.length, "tool")}; leave the filter out to see them`;
}

/** Also closes the connection. Throws {@link ServerError}. */
export async function listTools(connection: Connection): Promise<ToolInfo[]> {
  const { client, place } = connection;
  try {
    return await client.list();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The library's own messages start with the URL.
    throw new ServerError(
      toFailure(error).code,
      `can't list the tools: ${why.startsWith("`") ? why : `\`${place}\`: ${why}`}`,
      connectionHelp(connection, error),
    );
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** Exit code 1. */
export class ServerError extends Error {
  constructor(
    /** Of the client. */
    readonly code: string,
    message: string,
    readonly help: string,
  ) {
    super(message);
  }
}
