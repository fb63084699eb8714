/** Edit results as JSON. */
import { PlanError } from "../errors.js";
import type { Diagnostic } from "../types.js";
import type { GraphEdit } from "./edits.js";
import type { EditResult, TextChange } from "./types.js";

/** @internal Computes the changed text only when it is read. */
export function parseEditResult(json: string, before: () => string): EditResult {
  const { changes, undo, refused } = JSON.parse(json) as {
    changes: TextChange[];
    undo: TextChange[];
    refused: Diagnostic | null;
  };
  let after: string | null = null;
  return {
    changes,
    undo,
    refused,
    get text() {
      return (after ??= applyChanges(before(), changes));
    },
  };
}

/** @internal */
export function formatOperations(edits: readonly GraphEdit[]): string {
  if (!Array.isArray(edits)) throw new PlanError("api/bad-edit", "edits are a list of operations");
  return JSON.stringify(edits);
}

/** @internal An invalid operation is an error of the program, not of the plan. */
export function assertApplied(result: EditResult): EditResult {
  const { refused } = result;
  if (refused?.code === "edit/bad-edit")
    throw new PlanError("api/bad-edit", refused.help ? `${refused.message}; ${refused.help}` : refused.message);
  return result;
}

/** Expects changes in document order. */
function applyChanges(text: string, changes: readonly TextChange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { span, text: put } of changes) {
    parts.push(text.slice(at, span.start), put);
    at = span.end;
  }
  return parts.join("") + text.slice(at);
}
