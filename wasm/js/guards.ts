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
    if (Object.keys(given).join() === "value") return { value: (given as { value: unknown }).value };
  } catch {
    // An unreadable value is no approval.
  }
  return undefined;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (((typeof value === "object" && value !== null) || typeof value === "function") &&
      typeof (value as { then?: unknown }).then === "function")
  );
}
