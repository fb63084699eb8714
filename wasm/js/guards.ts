/** What a value given from outside is. */
import type { Decision } from "./types.js";

/** Whether it says what a person decided: nothing else may be taken for leave. */
export function isDecision(value: unknown): value is Decision {
  return (
    value === "approved" || value === "rejected" || (typeof value === "object" && value !== null && "value" in value)
  );
}

/** Whether something is to be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function")
  );
}
