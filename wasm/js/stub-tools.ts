/** Stubs as a tool list. */
import { assertKind } from "./options.js";
import { assertStubs } from "./stubs.js";
import { normalizeTool } from "./normalize-tools.js";
import type { ToolLike, Stubs, ToolInfo } from "./types.js";

/**
 * Returns stubbed tools as a server would list them. If a schema is missing, any arguments are valid.
 *
 * @example
 * const problems = checkToolPlan(toolPlan, stubTools(stubs));
 */
export function stubTools(stubs: Stubs): ToolInfo[] {
  assertKind("stubTools", "stubs", stubs, "map");
  assertStubs(stubs);
  return listStubTools(stubs);
}

function listStubTools(stubs: Stubs): ToolInfo[] {
  return Object.entries(stubs.tools ?? {}).map(([name, stub]) => {
    const described = typeof stub === "object" && stub !== null ? (stub as Partial<ToolInfo>) : {};
    const { description, input_schema = {}, output_schema, annotations } = normalizeTool(described as ToolLike);
    return {
      name,
      ...(description === undefined ? {} : { description }),
      input_schema,
      ...(output_schema && { output_schema }),
      ...(annotations && { annotations }),
    };
  });
}

/** @internal Tools of servers take precedence. */
export function withStubs(tools: readonly ToolInfo[], stubs: Stubs): ToolInfo[] {
  const known = new Set(tools.map(({ name }) => name));
  return [...tools, ...listStubTools(stubs).filter(({ name }) => !known.has(name))];
}
