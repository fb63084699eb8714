/**
 * What a tool may do, by its annotations: as `effectOf` of the library has it.
 *
 * A copy, because the palette is drawn before the library is loaded. A test holds both to the same table.
 */
import type { Effect, ToolInfo } from "stepgraph/web";

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

export function effectOf(tool: Pick<ToolInfo, "annotations">): Effect {
  const annotations: unknown = tool.annotations ?? {};
  if (typeof annotations !== "object" || Array.isArray(annotations)) return "destroys";
  const hints = HINTS.map((name) => (annotations as Record<string, unknown>)[name] ?? null);
  const [reads, destroys] = hints;
  if (destroys === true || hints.some((hint) => hint !== null && typeof hint !== "boolean")) return "destroys";
  if (reads === true) return "reads";
  return destroys === null ? "unknown" : "writes";
}
