/**
 * `stepgraph tools`: what MCP servers offer.
 */
import { mcp } from "../node.js";
import type { ToolClient, ToolInfo } from "../types.js";
import type { Look } from "./diagnostics.js";
import { lookOf, type Io } from "./io.js";
import type { Arguments } from "./options.js";
import { brief, clip, count, visible, wrap } from "./text.js";
import { address, serverOptions } from "./servers.js";

/** Lists the tools of servers; gives the exit code. */
export async function toolsCommand(args: Arguments, io: Io): Promise<number> {
  const options = serverOptions(args);
  const lists = await Promise.all(args.operands.map(async (url) => ({ url, tools: await listTools(mcp(address("the server", url), options), url) })));
  if (args.has("json")) {
    io.out.write(`${JSON.stringify({ servers: lists })}\n`);
    return 0;
  }
  const look = lookOf(io.out, io);
  for (const { url, tools } of lists) {
    io.out.write(`${look.style.bold(url)}: ${count(tools.length, "tool")}\n\n`);
    for (const tool of tools) io.out.write(`${renderTool(tool, look).join("\n")}\n\n`);
  }
  return 0;
}

/** A server's tools; one that does not answer is a failure with its name in it. */
export async function listTools(client: ToolClient, url: string): Promise<ToolInfo[]> {
  try {
    return await client.list();
  } catch (error) {
    throw new ServerError(`\`${url}\` did not list its tools: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** A server that failed, which is nobody's slip at the keyboard. Ends with exit code 1. */
export class ServerError extends Error {
  readonly help = "check that the server runs, and that its address has the right path";
}

/** A tool's name and parameters, and below them what it does. */
export function renderTool(tool: ToolInfo, { style, columns }: Look): string[] {
  const head = `${style.bold(visible(tool.name))}(${clip(parameters(tool.input_schema), Math.max(20, columns - tool.name.length - 3))})`;
  const text = visible((tool.description ?? "").replace(/\s+/g, " "));
  return [head, ...wrap(text, Math.max(20, Math.min(columns, 100) - 4)).map((line) => `    ${line}`)];
}

/** `city: string, units?: "c" | "f"`, as far as a schema says so. */
export function parameters(schema: Record<string, unknown>): string {
  const properties = record(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .map(([name, property]) => `${visible(name)}${required.includes(name) ? "" : "?"}: ${typeOf(record(property))}`)
    .join(", ");
}

function typeOf(schema: Record<string, unknown>): string {
  if (Array.isArray(schema.enum)) return schema.enum.slice(0, 8).map((value) => brief(value, 30)).join(" | ");
  if ("const" in schema) return brief(schema.const, 30);
  if (schema.type === "array") return `${typeOf(record(schema.items))}[]`;
  if (Array.isArray(schema.type)) return schema.type.map(String).join(" | ");
  const choice = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choice) return choice.map((item) => typeOf(record(item))).join(" | ");
  return typeof schema.type === "string" ? visible(schema.type) : "any";
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
