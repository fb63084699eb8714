/**
 * What is known of the host that will run a plan: from settings, from a catalogue of tools, and from stubs beside the
 * plan.
 *
 * A catalogue is `stepgraph.tools.json`, as `stepgraph tools URL --json` writes it, in the plan's folder or one above
 * it. Stubs are `NAME.stubs.yaml` beside `NAME.yaml`: they tell of tools, but of those that they lack nobody knows
 * whether a server has them.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readYaml } from "../../editor/node.js";
import type { HostCapabilities } from "../../editor/types.js";
import type { Stubs, ToolInfo } from "../../types.js";

/** What a client may set, as `initializationOptions` and under `stepgraph` in its configuration. */
export interface Settings {
  /** Files of tools, as `stepgraph tools URL --json` writes them, or tools as they are. */
  tools?: readonly (string | ToolInfo)[];
  /** Node types that the host handles itself. */
  types?: readonly string[];
  /** Ids of nodes that the host handles itself. */
  ids?: readonly string[];
  /** The names of the models. */
  models?: readonly string[];
}

/** What a plan is judged by. */
export interface Host {
  offer: HostCapabilities;
  /** Whether the tools are all there are; stubs alone say nothing of the others. */
  whole: boolean;
  /** What could not be used, one sentence each. */
  warnings: string[];
}

const TOOL_LIST_FILE = "stepgraph.tools.json";
/** The names that are watched for, as the protocol writes them. */
export const WATCHED_FILES = ["**/*.stubs.{yaml,yml,json}", `**/${TOOL_LIST_FILE}`];
/** Bounds the way up where the client names no folder. */
const MAX_FOLDERS = 32;

/** Settings as a client sent them; what is of another kind is as if it were not there. */
export function readSettings(value: unknown): Settings {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const texts = (key: string) =>
    Array.isArray(given[key]) ? { [key]: given[key].filter((item) => typeof item === "string") } : {};
  const isTool = (item: unknown) =>
    typeof item === "string" || (typeof item === "object" && item !== null && "name" in item);
  const tools = Array.isArray(given.tools) ? { tools: given.tools.filter(isTool) as (string | ToolInfo)[] } : {};
  return { ...texts("types"), ...texts("ids"), ...texts("models"), ...tools };
}

/** What is known of the host of the plan at an address. Folders are those that the client works in. */
export function hostOf(uri: string, settings: Settings, folders: readonly string[]): Host {
  const warnings: string[] = [];
  const file = pathOf(uri);
  const lists = [...(settings.tools ?? [])].map((tool) =>
    typeof tool === "string" ? readToolList(resolvePath(tool, folders), warnings) : [tool],
  );
  if (file !== null)
    lists.push(
      ...foldersAbove(file, folders).map((folder) => readToolList(join(folder, TOOL_LIST_FILE), warnings, true)),
    );
  const known = lists.filter((list) => list !== null);
  const stubs = file === null ? null : readStubsOf(file, warnings);
  const { types, ids, models } = settings;
  const offer: HostCapabilities = {
    ...(known.length > 0 ? { tools: known.flat() } : {}),
    ...(types ? { types } : {}),
    ...(ids ? { ids } : {}),
    ...(models ? { models } : {}),
    ...(stubs ? { stubs } : {}),
  };
  return { offer, whole: known.length > 0 || stubs === null, warnings };
}

/** The path of a `file:` address; other files have nothing beside them. */
export function pathOf(uri: string): string | null {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : null;
  } catch {
    return null;
  }
}

/** A relative path starts at the first folder that the client works in. */
function resolvePath(path: string, folders: readonly string[]): string {
  return join(...(folders[0] !== undefined && !/^([/\\]|[a-z]:)/i.test(path) ? [folders[0]] : []), path);
}

/**
 * The folder of a file and those above it, up to one that the client works in; without such a one the file's own alone.
 */
function foldersAbove(file: string, folders: readonly string[]): string[] {
  const found = [dirname(file)];
  if (!folders.some((folder) => file.startsWith(folder))) return found;
  while (!folders.includes(found.at(-1)!) && found.length < MAX_FOLDERS) found.push(dirname(found.at(-1)!));
  return found;
}

/** The tools of a catalogue; null when there is none. */
function readToolList(path: string, troubles: string[], optional = false): ToolInfo[] | null {
  const text = readText(path, optional ? null : troubles);
  if (text === null) return null;
  try {
    const tools = toolsIn(JSON.parse(text));
    if (tools) return tools;
    troubles.push(`${path}: there are no tools in it; write it by \`stepgraph tools URL --json\``);
  } catch (error) {
    troubles.push(`${path}: ${(error as Error).message}`);
  }
  return null;
}

/** A list of tools, a map with one, or what `stepgraph tools --json` writes. */
function toolsIn(value: unknown): ToolInfo[] | null {
  if (Array.isArray(value))
    return value.filter(
      (tool) => typeof tool === "object" && tool !== null && typeof tool.name === "string",
    ) as ToolInfo[];
  const { tools, servers } = (value ?? {}) as { tools?: unknown; servers?: unknown };
  if (Array.isArray(tools)) return toolsIn(tools);
  if (!Array.isArray(servers)) return null;
  return servers.flatMap((server: { name?: string; tools?: unknown }) =>
    (toolsIn(server?.tools ?? []) ?? []).map((tool) => ({ ...(server.name ? { server: server.name } : {}), ...tool })),
  );
}

function readStubsOf(file: string, troubles: string[]): Stubs | null {
  const base = file.replace(/\.(ya?ml|json)$/i, "");
  for (const ending of ["yaml", "yml", "json"]) {
    const path = `${base}.stubs.${ending}`;
    const text = readText(path, null);
    if (text === null) continue;
    const { value, diagnostics } = readYaml(text);
    const wrong = diagnostics.find(({ severity }) => severity === "error");
    if (!wrong && typeof value === "object" && value !== null) return value as Stubs;
    troubles.push(
      `${path}${wrong ? `:${wrong.line}:${wrong.column}: ${wrong.message}` : ": there are no stubs in it"}`,
    );
  }
  return null;
}

/** A file's text; null, and a trouble where those are listened to, when it can't be read. */
function readText(path: string, troubles: string[] | null): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    troubles?.push(`${path}: ${(error as Error).message}`);
    return null;
  }
}
