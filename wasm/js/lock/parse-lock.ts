/** Reads a lock, and refuses what `stepgraph lock` would not write. */
import { PlanError } from "../errors.js";
import { readYaml } from "../graph.js";
import { closestName } from "../suggest.js";
import type { ToolInfo } from "../types.js";
import { isRecord } from "../records.js";

type Path = readonly string[];

const TOP = ["format", "servers"];
const SERVER = ["tools"];
const TOOL = ["hash", "description", "input_schema", "output_schema", "annotations"];

export function parseLock(text: string, hashOf: (tool: ToolInfo) => string): ToolInfo[] {
  const { value, diagnostics } = readYaml(text);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong) throw new PlanError("lock/invalid", `line ${wrong.line ?? 1}: ${wrong.message}`);
  return new LockReader(text, hashOf).read(value);
}

class LockReader {
  readonly #text: string;
  readonly #hashOf: (tool: ToolInfo) => string;

  constructor(text: string, hashOf: (tool: ToolInfo) => string) {
    this.#text = text;
    this.#hashOf = hashOf;
  }

  read(value: unknown): ToolInfo[] {
    const top = this.#map(value, [], "the lock");
    if (Object.hasOwn(top, "format") && top.format !== 1)
      throw this.#error("lock/unknown-format", ["format"], "this version reads locks of format 1");
    this.#assertKeys(top, TOP, []);
    if (!Object.hasOwn(top, "format")) throw this.#error("lock/unknown-format", [], "the lock has no `format`");
    const servers = this.#map(top.servers, ["servers"], "`servers`");
    return Object.entries(servers).flatMap(([server, given]) => this.#server(server, given));
  }

  #server(server: string, given: unknown): ToolInfo[] {
    const path = ["servers", server];
    const map = this.#map(given, path, `the server \`${server}\``);
    this.#assertKeys(map, SERVER, path);
    const tools = this.#map(map.tools, [...path, "tools"], `\`tools\` of server \`${server}\``);
    return Object.entries(tools).map(([name, tool]) => this.#tool(server, name, tool));
  }

  #tool(server: string, name: string, given: unknown): ToolInfo {
    const path = ["servers", server, "tools", name];
    const map = this.#map(given, path, `the tool \`${name}\``);
    this.#assertKeys(map, TOOL, path);
    const { hash, description, ...schemas } = map;
    for (const [key, text] of Object.entries({ hash, description }))
      if (text !== undefined && typeof text !== "string")
        throw this.#error("lock/invalid", [...path, key], `\`${key}\` of tool \`${name}\` is no text`);
    this.#map(map.input_schema, [...path, "input_schema"], `\`input_schema\` of tool \`${name}\``);
    for (const [key, schema] of Object.entries(schemas))
      this.#map(schema, [...path, key], `\`${key}\` of tool \`${name}\``);
    const tool = { name, ...(server !== "" && { server }), ...schemas } as ToolInfo;
    if (description !== undefined) tool.description = description as string;
    if (hash !== this.#hashOf(tool))
      throw this.#error(
        "lock/hash",
        [...path, "hash"],
        `the tool \`${name}\` of \`${server}\` does not match its hash`,
      );
    return tool;
  }

  #map(value: unknown, path: Path, what: string): Record<string, unknown> {
    if (isRecord(value)) return value;
    throw this.#error("lock/invalid", path, `${what} is no map`);
  }

  #assertKeys(map: Record<string, unknown>, known: readonly string[], path: Path): void {
    const key = Object.keys(map).find((name) => !known.includes(name));
    if (key === undefined) return;
    const meant = closestName(key, known);
    const guess = meant === null ? `it has ${known.join(", ")}` : `did you mean \`${meant}\`?`;
    throw this.#error("lock/unknown-key", [...path, key], `a lock has no \`${key}\` there; ${guess}`);
  }

  #error(code: string, path: Path, message: string): PlanError {
    return new PlanError(code, `line ${lineOf(this.#text, path)}: ${message}`);
  }
}

/** In other than block style, finds the nearest part. */
function lineOf(text: string, path: Path): number {
  const lines = text.split("\n");
  let [at, around] = [0, -1];
  for (const key of path) {
    const next = keyLine(lines, key, at, around);
    if (next < 0) break;
    around = indentOf(lines[next]!);
    at = next + 1;
  }
  return Math.max(1, at);
}

/** `from` begins the block. -1 if the key is missing. */
function keyLine(lines: readonly string[], key: string, from: number, around: number): number {
  const starts = [key, JSON.stringify(key), `'${key}'`].map((name) => `${name}:`);
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    const indent = indentOf(line);
    if (indent < 0 || line[indent] === "#") continue;
    if (indent <= around) return -1;
    if (starts.some((start) => line.startsWith(start, indent))) return at;
  }
  return -1;
}

function indentOf(line: string): number {
  return line.search(/\S/);
}
