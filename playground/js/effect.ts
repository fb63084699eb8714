/**
 * The effect of a tool by its annotations, as the library's `effectOf` computes it.
 *
 * A copy, because the palette is drawn before the library loads. A test compares both with the same table.
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
