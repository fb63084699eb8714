/** Edits that were worked out, as they come over the border. */
import { PlanError } from "../errors.js";
import type { Diagnostic } from "../types.js";
import type { GraphEdit } from "./edits.js";
import type { EditResult, TextChange } from "./types.js";

/**
 * @internal Edits from JSON `{changes, undo, refused}`. The text after them is put together only if somebody asks for
 * it.
 */
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

/** @internal Operations as JSON text. */
export function formatOperations(edits: readonly GraphEdit[]): string {
  if (!Array.isArray(edits)) throw new PlanError("api/bad-edit", "edits are a list of operations");
  return JSON.stringify(edits);
}

/**
 * @internal The same, unless what was asked for is no operation: that is a mistake of the program and not of the plan.
 */
export function assertApplied(result: EditResult): EditResult {
  const { refused } = result;
  if (refused?.code === "edit/bad-edit")
    throw new PlanError("api/bad-edit", refused.help ? `${refused.message}; ${refused.help}` : refused.message);
  return result;
}

/** A text after changes that are in its order. */
function applyChanges(text: string, changes: readonly TextChange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { span, text: put } of changes) {
    parts.push(text.slice(at, span.start), put);
    at = span.end;
  }
  return parts.join("") + text.slice(at);
}
