/** What is thrown. A mistake in a plan is a diagnostic or an outcome; only `PlanGraph.load` throws for one. */
import type { Diagnostic } from "./types.js";

/** By what an error is known that a copy of the class below made: each entry of the package has its own. */
const KIND = Symbol.for("stepgraph.PlanError");

/**
 * A misuse of the API, such as a plan used after it was freed.
 *
 * `code` is `api/what` and stable for ever. `PlanGraph.load` throws `plan/invalid` for a plan with mistakes.
 */
export class PlanError extends Error {
  /** What kind of failure it is, stable for ever. */
  readonly code: string;
  /** All that is wrong with the plan, of `plan/invalid`; empty for every other code. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(code: string, message: string, diagnostics: readonly Diagnostic[] = []) {
    super(message);
    this.name = "PlanError";
    this.code = code;
    this.diagnostics = diagnostics;
    Object.defineProperty(this, KIND, { value: true });
  }

  /** @internal What `stepgraph/editor` throws is a `PlanError` of `stepgraph`, too, and the other way round. */
  static override [Symbol.hasInstance](error: unknown): error is PlanError {
    return typeof error === "object" && error !== null && KIND in error;
  }
}

/**
 * A call that could not be answered: by a tool's server, or by a model.
 *
 * `code` is `stage/what` and stable for ever (`tool/unreachable`, `mcp/session-lost`, `model/rate-limited`, ...).
 * The message is for people; it never holds a key.
 */
export class CallError extends Error {
  /** What kind of failure it is, stable for ever. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.code = code;
  }
}
