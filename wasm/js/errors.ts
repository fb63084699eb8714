/**
 * A call that could not be answered: by a tool's server, or by a model.
 *
 * `code` is `stage/what` and stable for ever (`tool/unreachable`, `mcp/session-lost`, `model/rate-limited`, ...).
 * The message is for people; it never holds a key.
 */
export class CallError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.code = code;
  }
}
