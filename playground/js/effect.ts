/**
 * What a tool may do, by its annotations: as `effectOf` of the library has it.
 *
 * A copy, because the palette is drawn before the library is loaded. A test holds both to the same table.
 */
import type { Effect, ToolInfo } from "stepgraph/web";

export function effectOf(tool: Pick<ToolInfo, "annotations">): Effect {
  const hints: unknown = tool.annotations ?? {};
  if (typeof hints !== "object" || Array.isArray(hints)) return "destroys";
  const { readOnlyHint: reads = null, destructiveHint: destroys = null } = hints as Record<string, unknown>;
  if ([reads, destroys].some((hint) => hint !== null && typeof hint !== "boolean")) return "destroys";
  if (reads === true) return "reads";
  if (destroys === null) return "unknown";
  return destroys === true ? "destroys" : "writes";
}
