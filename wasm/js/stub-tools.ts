/** Stubs as a catalogue of tools. */
import { assertKind } from "./options.js";
import { assertStubs } from "./stubs.js";
import { normalizeTool } from "./normalize-tools.js";
import type { ToolLike, Stubs, ToolInfo } from "./types.js";

/**
 * The tools that stubs stand for, as a server would list them: for {@link check}, {@link review} and {@link
 * checkToolPlan}. A stub that says nothing of its tool stands for one that takes anything.
 *
 * @example
 * const problems = checkToolPlan(toolPlan, stubTools(stubs));
 */
export function stubTools(stubs: Stubs): ToolInfo[] {
  assertKind("stubTools", "stubs", stubs, "map");
  assertStubs(stubs);
  return listStubTools(stubs);
}

/** The same of stubs that may have mistakes. */
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

/** @internal The tools of servers, and those that only stubs offer: what a server says of its own goes before. */
export function withStubs(tools: readonly ToolInfo[], stubs: Stubs): ToolInfo[] {
  const known = new Set(tools.map(({ name }) => name));
  return [...tools, ...listStubTools(stubs).filter(({ name }) => !known.has(name))];
}
