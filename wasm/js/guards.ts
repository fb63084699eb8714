/** Type guards for values from outside. */
import type { Decision } from "./types.js";

/** No other value counts as an approval. */
export function isDecision(value: unknown): value is Decision {
  return decisionOf(value) !== undefined;
}

/** A proxy may return another value at each read. */
export function decisionOf(given: unknown): Decision | undefined {
  if (given === "approved" || given === "rejected") return given;
  try {
    if (typeof given !== "object" || given === null) return undefined;
    if (Object.keys(given).join() !== "value") return undefined;
    const { value } = given as { value: unknown };
    // `form.total` of a form without it is no answer.
    if (!["undefined", "function", "symbol"].includes(typeof value)) return { value };
  } catch {
    // An unreadable value is no approval.
  }
  return undefined;
}

/** A `Map` or `Headers` would count as empty. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !(Symbol.iterator in value) && !(value instanceof Promise);
}

/** Empty for a decision that fits its call. */
export function decisionFlaw(decision: Decision | undefined, tool: string | null): string {
  if (decision === undefined) return "a decision is `approved`, `rejected` or `{ value }`";
  const isFine = tool === null || typeof decision === "string" || isMap(decision.value);
  return isFine ? "" : "other arguments of a tool are a map, as in `{ value: { city } }`";
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (((typeof value === "object" && value !== null) || typeof value === "function") &&
      typeof (value as { then?: unknown }).then === "function")
  );
}
