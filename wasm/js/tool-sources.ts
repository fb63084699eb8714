/** The option `tools`: clients, or a map of functions. */
import type { FunctionTools, ToolSources } from "./types.js";

/** @internal */
export function hasTools({ tools }: { tools?: ToolSources | undefined }): boolean {
  return tools !== undefined && (!isToolList(tools) || tools.length > 0);
}

/** @internal */
export function isToolList<T>(value: readonly T[] | FunctionTools): value is readonly T[] {
  return Array.isArray(value);
}
