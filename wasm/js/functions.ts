/** Makes a tool client of functions. */
import { functionClient } from "./function-tools.js";
import { assertOptions } from "./options.js";
import type { CheckedFunctionTools, FunctionTools, ToolClient } from "./types.js";

/**
 * Returns a tool client of functions, typed by their schemas.
 *
 * @throws PlanError `api/bad-option` for a schema that can't be written as JSON Schema.
 * @example
 * const math = functions({ add: { input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => a + b } });
 * const report = await run(graph, { tools: [math, server] });
 */
export function functions<Args extends Record<string, unknown>, Results>(
  given: CheckedFunctionTools<Args, Results>,
  options: { name?: string } = {},
): ToolClient {
  assertOptions("functions", options, { name: "text" });
  return functionClient("functions", given as FunctionTools, options.name);
}
