/** Accepts tools in our or MCP's spelling. A schema under an unknown key would validate nothing. */
import { PlanError } from "./errors.js";
import { closestName } from "./suggest.js";
import type { ToolLike, ToolInfo } from "./types.js";

const KEYS = ["name", "description", "input_schema", "output_schema", "annotations", "server", "unavailable"];
const MCP = ["title", "inputSchema", "outputSchema", "icons", "execution", "_meta"];
/** As deep as plans. */
const MAX_DEPTH = 120;
const SPELLINGS = [
  ["input_schema", "inputSchema"],
  ["output_schema", "outputSchema"],
] as const;

/** @internal */
export function normalizeTools(of: string, tools: readonly ToolLike[]): ToolInfo[] {
  for (const [at, tool] of tools.entries()) assertTool(`\`tools[${at}]\` of \`${of}\``, tool);
  return withoutTwins(tools.map(normalizeTool));
}

/** @internal If two tools share a name, neither can be called: it is unclear whose schema and annotations hold. */
export function withoutTwins(tools: readonly ToolInfo[]): ToolInfo[] {
  const fullName = ({ server, name }: ToolInfo) => JSON.stringify([server ?? null, name]);
  const times = new Map<string, number>();
  for (const tool of tools) times.set(fullName(tool), (times.get(fullName(tool)) ?? 0) + 1);
  const unavailable = "the server lists several tools of this name";
  return tools.map((tool) => (times.get(fullName(tool)) === 1 ? tool : { ...tool, unavailable }));
}

/** @internal Tools with unusable schemas can't be called: nothing would be validated. */
export function normalizeTool(tool: ToolLike): ToolInfo {
  const renamed = renameKeys(tool);
  const reason = unreadableReason(renamed);
  if (reason === null) return renamed;
  const { input_schema: _input, output_schema: _output, annotations: _hints, ...rest } = renamed;
  return { ...rest, unavailable: reason } as ToolInfo;
}

function unreadableReason({ input_schema, output_schema, annotations }: ToolInfo): string | null {
  const schemas = { input_schema, output_schema, annotations };
  const reason = jsonError(schemas);
  if (reason !== null) return `its schemas can't be written as JSON: ${reason}`;
  return isDeeper(schemas, MAX_DEPTH) ? `its schemas are nested more than ${MAX_DEPTH} deep` : null;
}

function isDeeper(value: unknown, max: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return max === 0 || Object.values(value).some((part) => isDeeper(part, max - 1));
}

/** @internal Returns why `JSON.stringify` would throw. */
export function jsonError(value: unknown): string | null {
  if (typeof value === "function" || typeof value === "symbol") return `JSON has no ${typeof value}`;
  try {
    return findJsonError(value, new Set());
  } catch (error) {
    return String((error as Error)?.message ?? error).split("\n")[0]!;
  }
}

/** `around` holds enclosing values. */
function findJsonError(value: unknown, around: Set<unknown>): string | null {
  if (typeof value === "bigint") return "it contains a BigInt";
  if (typeof value !== "object" || value === null) return null;
  if (around.has(value)) return "it contains itself";
  around.add(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") {
    const reason = findJsonError(toJSON.call(value), around);
    around.delete(value);
    return reason;
  }
  for (const part of Object.values(value)) {
    const reason = findJsonError(part, around);
    if (reason !== null) return reason;
  }
  around.delete(value);
  return null;
}

function renameKeys(tool: ToolLike): ToolInfo {
  if (!("inputSchema" in tool) && !("outputSchema" in tool)) return tool as ToolInfo;
  const { inputSchema, outputSchema, ...rest } = tool as ToolInfo & { inputSchema?: unknown; outputSchema?: unknown };
  const [input, output] = [rest.input_schema ?? inputSchema, rest.output_schema ?? outputSchema];
  return {
    ...rest,
    ...(input !== undefined && { input_schema: input }),
    ...(output !== undefined && { output_schema: output }),
  } as ToolInfo;
}

function assertTool(where: string, tool: object): void {
  if (typeof (tool as Partial<ToolInfo>).name !== "string")
    throw new PlanError("api/bad-option", `${where} has no \`name\`, which is text`);
  for (const key of Object.keys(tool)) {
    if (KEYS.includes(key) || MCP.includes(key) || key.startsWith("x-")) continue;
    const suggestion = closestName(key, [...KEYS, ...MCP]);
    const guess = suggestion === null ? "" : ` (did you mean \`${suggestion}\`?)`;
    throw new PlanError("api/unknown-option", `${where} has no \`${key}\`${guess}; it has ${KEYS.join(", ")}`);
  }
  for (const [ours, theirs] of SPELLINGS)
    if (ours in tool && theirs in tool)
      throw new PlanError("api/bad-option", `${where} has \`${ours}\` and \`${theirs}\`: use one of them`);
}
