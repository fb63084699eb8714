/** What a value given from outside is. */
import type { Decision } from "./types.js";

/** Whether it says what a person decided: nothing else may be taken for leave. */
export function isDecision(value: unknown): value is Decision {
  return decisionOf(value) !== undefined;
}

/** The decision that was given, read once: what stands behind a proxy may be another at each look. */
export function decisionOf(given: unknown): Decision | undefined {
  if (given === "approved" || given === "rejected") return given;
  try {
    if (typeof given !== "object" || given === null) return undefined;
    if (Object.keys(given).join() === "value") return { value: (given as { value: unknown }).value };
  } catch {
    // What can't be looked at is no leave.
  }
  return undefined;
}

/** Whether something is to be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (((typeof value === "object" && value !== null) || typeof value === "function") &&
      typeof (value as { then?: unknown }).then === "function")
  );
}
