/**
 * A plan's host. Tool lists are `stepgraph.tools.json`, from `stepgraph tools URL --json`, in the plan's folder or
 * above, else `stepgraph.lock`. `NAME.stubs.yaml` beside `NAME.yaml` declares tools, but servers may have more.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readYaml } from "../../editor/node.js";
import type { HostCapabilities } from "../../editor/types.js";
import { findLock, LOCK_FILE, readLock } from "../lock-file.js";
import type { Stubs, ToolInfo } from "../../types.js";

/** `initializationOptions`, or the configuration under `stepgraph`. */
export interface Settings {
  /** Or paths of tool lists. */
  tools?: readonly (string | ToolInfo)[];
  /** Types with handlers. */
  types?: readonly string[];
  /** Nodes with handlers. */
  ids?: readonly string[];
  models?: readonly string[];
  /** The runs' model, as prices name it. */
  model?: string;
}

export interface Host {
  offer: HostCapabilities;
  /** The tool list is complete. */
  whole: boolean;
  /** The tools' source. */
  lock: string | null;
  warnings: string[];
}

const TOOL_LIST_FILE = "stepgraph.tools.json";
/** The protocol's glob patterns. */
export const WATCHED_FILES = ["**/*.stubs.{yaml,yml,json}", `**/${TOOL_LIST_FILE}`, `**/${LOCK_FILE}`];
const MAX_FOLDERS = 32;

/** Ignores values of wrong types. */
export function readSettings(value: unknown): Settings {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const texts = (key: string) =>
    Array.isArray(given[key]) ? { [key]: given[key].filter((item) => typeof item === "string") } : {};
  const isTool = (item: unknown) =>
    typeof item === "string" || (typeof item === "object" && item !== null && "name" in item);
  const tools = Array.isArray(given.tools) ? { tools: given.tools.filter(isTool) as (string | ToolInfo)[] } : {};
  const model = typeof given.model === "string" && given.model !== "" ? { model: given.model } : {};
  return { ...texts("types"), ...texts("ids"), ...texts("models"), ...tools, ...model };
}

/** `folders` of the workspace. */
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
  const listed = lists.filter((list) => list !== null);
  const lock = listed.length > 0 || file === null ? null : lockBeside(file, warnings);
  const known = lock === null ? listed : [lock.tools];
  const stubs = file === null ? null : readStubsOf(file, warnings);
  const { types, ids, models } = settings;
  const offer: HostCapabilities = {
    ...(known.length > 0 ? { tools: known.flat() } : {}),
    ...(types ? { types } : {}),
    ...(ids ? { ids } : {}),
    ...(models ? { models } : {}),
    ...(stubs ? { stubs } : {}),
  };
  return { offer, whole: known.length > 0 || stubs === null, lock: lock?.file ?? null, warnings };
}

/** An unreadable lock has no tools, so none are checked. */
function lockBeside(plan: string, warnings: string[]): { file: string; tools: ToolInfo[] } | null {
  const file = findLock(plan);
  if (file === null) return null;
  try {
    return { file: LOCK_FILE, tools: [...readLock(file).tools] };
  } catch (error) {
    warnings.push((error as Error).message);
    return null;
  }
}

export function pathOf(uri: string): string | null {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : null;
  } catch {
    return null;
  }
}

/** Against the first workspace folder. */
function resolvePath(path: string, folders: readonly string[]): string {
  return join(...(folders[0] !== undefined && !/^([/\\]|[a-z]:)/i.test(path) ? [folders[0]] : []), path);
}

/** The file's folder and parents up to a workspace folder. Outside, only its own. */
function foldersAbove(file: string, folders: readonly string[]): string[] {
  const found = [dirname(file)];
  if (!folders.some((folder) => file.startsWith(folder))) return found;
  while (!folders.includes(found.at(-1)!) && found.length < MAX_FOLDERS) found.push(dirname(found.at(-1)!));
  return found;
}

/** Null if there is no list. */
function readToolList(path: string, troubles: string[], optional = false): ToolInfo[] | null {
  const text = readText(path, optional ? null : troubles);
  if (text === null) return null;
  try {
    const tools = toolsIn(JSON.parse(text));
    if (tools) return tools;
    troubles.push(`${path}: there are no tools in it; write it with \`stepgraph tools URL --json\``);
  } catch (error) {
    troubles.push(`${path}: ${(error as Error).message}`);
  }
  return null;
}

/** A list, a map with `tools`, or the output of `stepgraph tools --json`. */
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

function readText(path: string, troubles: string[] | null): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    troubles?.push(`${path}: ${(error as Error).message}`);
    return null;
  }
}
