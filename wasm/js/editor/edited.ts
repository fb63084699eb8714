/** Edits that were worked out, as they come over the border. */
import type { Diagnostic } from "../types.js";
import type { Edited, TextChange } from "./types.js";

/** @internal Edits from JSON `{changes, undo, refused}`. The text after them is put together only if somebody asks for it. */
export function edited(json: string, before: () => string): Edited {
  const { changes, undo, refused } = JSON.parse(json) as { changes: TextChange[]; undo: TextChange[]; refused: Diagnostic | null };
  let after: string | null = null;
  return {
    changes,
    undo,
    refused,
    get text() {
      return (after ??= applied(before(), changes));
    },
  };
}

/** A text after changes that are in its order. */
function applied(text: string, changes: readonly TextChange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { span, text: put } of changes) {
    parts.push(text.slice(at, span.start), put);
    at = span.end;
  }
  return parts.join("") + text.slice(at);
}
