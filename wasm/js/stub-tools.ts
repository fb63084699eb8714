/** Stubs as a catalogue of tools. */
import { assertKind } from "./options.js";
import type { Stubs, ToolInfo } from "./types.js";

/**
 * The tools that stubs stand for, as a server would list them: for {@link check}, {@link review} and {@link
 * checkToolPlan}. A stub that says nothing of its tool stands for one that takes anything.
 *
 * @example
 * const problems = checkToolPlan(toolPlan, stubTools(stubs));
 */
export function stubTools(stubs: Stubs): ToolInfo[] {
  assertKind("stubTools", "stubs", stubs, "map");
  return Object.entries(stubs.tools ?? {}).map(([name, stub]) => {
    const {
      description,
      input_schema = {},
      output_schema,
      annotations,
    } = typeof stub === "string" ? {} : (stub as Partial<ToolInfo>);
    return {
      name,
      ...(description === undefined ? {} : { description }),
      input_schema,
      ...(output_schema && { output_schema }),
      ...(annotations && { annotations }),
    };
  });
}
