/**
 * A tool's effect by annotations. It copies the library's `effectOf`, because the palette precedes the library. A test
 * compares them.
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
