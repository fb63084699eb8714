/** What is thrown. A mistake in a plan never is: it is a diagnostic or an outcome. */

/**
 * A misuse of the API, such as a plan used after it was freed.
 *
 * `code` is `api/what` and stable for ever.
 */
export class PlanError extends Error {
  /** What kind of failure it is, stable for ever. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "PlanError";
    this.code = code;
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
