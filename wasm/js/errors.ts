/** The package's errors. Plan errors are diagnostics or outcomes, except in `PlanGraph.load`. */
import type { Diagnostic, NodePlace, Outcome } from "./types.js";

type FailedOutcome = Extract<Outcome, { type: "failed" }>;

/** Each entry of the package has a copy of the class. */
const KIND = Symbol.for("stepgraph.PlanError");

/** A misuse of the API. `code` is `api/…`, stable forever, or `plan/invalid` from `PlanGraph.load`. */
export class PlanError extends Error {
  /** A slug, such as `api/bad-option`. */
  readonly code: string;
  /** Those of `plan/invalid`. */
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
 * A failed run. `cause` is the value that a handler, function, client, model or listener threw. Replays have none.
 */
export class RunError extends Error {
  /** The code of the outcome. */
  readonly code: string;
  /** The id of the failed node. */
  readonly node: string | null;
  /** Empty in the top-level graph. */
  readonly scope: string;
  /** The place of the value that failed, or else of the node, or of the plan's first mistake. */
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

/** A mistake in an expression or its evaluation. `code` is stable, such as `expression/type`. */
export class ExpressionError extends Error {
  /** The code of the diagnostic. */
  readonly code: string;
  /** The mistake with its place. */
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.help ? `${diagnostic.message}; ${diagnostic.help}` : diagnostic.message);
    this.name = "ExpressionError";
    this.code = diagnostic.code;
    this.diagnostic = diagnostic;
  }
}

/** A failed call of a tool or model. `code` is stable, such as `tool/unreachable`. The message contains no key. */
export class CallError extends Error {
  /** The code of the failure. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallError";
    this.code = code;
  }
}
