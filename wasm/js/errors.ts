/** The errors that the package throws. Plan errors are diagnostics or outcomes, except in `PlanGraph.load`. */
import type { Diagnostic, NodePlace, Outcome } from "./types.js";

type FailedOutcome = Extract<Outcome, { type: "failed" }>;

/** Identifies a `PlanError` across entries of the package, which have a copy of the class each. */
const KIND = Symbol.for("stepgraph.PlanError");

/**
 * A misuse of the API, such as a plan used after it was freed.
 *
 * `code` is `api/…`, stable forever, or `plan/invalid` from `PlanGraph.load`.
 */
export class PlanError extends Error {
  /** The error code. */
  readonly code: string;
  /** The diagnostics of `plan/invalid`, otherwise empty. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(code: string, message: string, diagnostics: readonly Diagnostic[] = []) {
    super(message);
    this.name = "PlanError";
    this.code = code;
    this.diagnostics = diagnostics;
    Object.defineProperty(this, KIND, { value: true });
  }

  /** @internal Makes `instanceof` work across `stepgraph` and `stepgraph/editor`. */
  static override [Symbol.hasInstance](error: unknown): error is PlanError {
    return typeof error === "object" && error !== null && KIND in error;
  }
}

/**
 * A failed run as an error, `error` of its report.
 *
 * `cause` is what a handler, function, client, model or listener threw, with its stack. It is absent if nothing was
 * thrown, and after a replay.
 */
export class RunError extends Error {
  /** The outcome's code. */
  readonly code: string;
  /** The id of the node that failed, or null. */
  readonly node: string | null;
  /** Its scope in nested graphs. Empty in the top-level graph. */
  readonly scope: string;
  /** Where the node stands in the plan, or the plan's first mistake. Null if it is neither. */
  readonly place: NodePlace | null;

  /** Only runs create one. */
  constructor(outcome: FailedOutcome, place: NodePlace | null, options?: ErrorOptions) {
    const { code, message, node, scope } = outcome;
    const at = place === null ? "" : ` (${describePlace(place)})`;
    super(node === undefined ? `${message}${at}` : `node \`${node}\`${at}: ${message}`, options);
    this.name = "RunError";
    this.code = code;
    this.node = node ?? null;
    this.scope = scope ?? "";
    this.place = place;
  }
}

function describePlace({ file, line, column }: NodePlace): string {
  return `${file === undefined ? "" : `${file}, `}line ${line}, column ${column}`;
}

/** A mistake in an expression, or in its evaluation. `code` is stable forever, as in `expression/type`. */
export class ExpressionError extends Error {
  /** The error code. */
  readonly code: string;
  /** The message, the position in the text and a hint. */
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.help ? `${diagnostic.message}; ${diagnostic.help}` : diagnostic.message);
    this.name = "ExpressionError";
    this.code = diagnostic.code;
    this.diagnostic = diagnostic;
  }
}

/**
 * A failed call of a tool or a model.
 *
 * `code` is stable forever: `tool/unreachable`, `mcp/session-lost`, `model/rate-limited`, ... The message is for users
 * and contains no key.
 */
export class CallError extends Error {
  /** The error code. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.code = code;
  }
}
