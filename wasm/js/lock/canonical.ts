/** Gives equal tools and JSON values equal texts. */
import { isRecord } from "../records.js";
import type { ToolInfo } from "../types.js";

export function canonicalTool(tool: ToolInfo): ToolInfo {
  const { name, server, description, input_schema, output_schema, annotations, unavailable } = tool;
  return {
    name,
    ...(server !== undefined && { server }),
    ...(description !== undefined && { description: canonical(description) as string }),
    input_schema: canonical(input_schema ?? {}) as ToolInfo["input_schema"],
    ...(output_schema && { output_schema: canonical(output_schema) as ToolInfo["input_schema"] }),
    ...(annotations && { annotations: canonical(annotations) as ToolInfo["input_schema"] }),
    ...(unavailable !== undefined && { unavailable }),
  };
}

/** Sorts keys, and replaces what UTF-8 and JSON lack. A key `__proto__` stays. */
function canonical(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value ?? null;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const written = entries.map(([key, item]): [string, unknown] => [wellFormed(key), canonical(item)]);
  return Object.fromEntries(written.sort(([a], [b]) => compareText(a, b)));
}

/** The flag `u` makes only lone surrogates match. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Shows the end, where instructions for a model are added. */
export function quotedText(text: string | undefined): string {
  if (text === undefined) return "empty";
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 100)} … ${text.slice(-56)}` : text);
}
