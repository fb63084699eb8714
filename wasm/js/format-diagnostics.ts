/** Diagnostics for people, in programs of their own: as the command shows them. */
import { assertKind, assertOptions } from "./options.js";
import { renderDiagnostics, Source } from "./terminal/diagnostics.js";
import { coloured, plain } from "./terminal/style.js";
import type { Diagnostic } from "./types.js";

/** How diagnostics are shown. */
export interface FormatOptions {
  /** The text that was read: the lines are shown with what is meant underlined. */
  text?: string;
  /** What the text is called; `plan` unless given. */
  name?: string;
  /** Colours of a terminal; none unless asked for. */
  color?: boolean;
  /** How wide lines may be; 100 unless given. */
  columns?: number;
}

/**
 * Diagnostics as text for people: what is wrong, where, and what to do about it.
 *
 * @throws PlanError `api/bad-option`, `api/unknown-option`
 * @example
 * const { graph, diagnostics } = PlanGraph.parse(text);
 * if (diagnostics.length > 0) console.error(formatDiagnostics(diagnostics, { text, name: "plan.yaml" }));
 */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], options: FormatOptions = {}): string {
  assertKind("formatDiagnostics", "diagnostics", diagnostics, "[]map");
  assertOptions("formatDiagnostics", options, { text: "text", name: "text", color: "flag", columns: "count" });
  const { text, name = "plan", color = false, columns = 100 } = options;
  // Without the text there are no lines to show, and places are told all the same.
  const shown = text === undefined ? diagnostics.map((one) => ({ ...one, span: null, labels: [] })) : diagnostics;
  return renderDiagnostics(shown, new Source(name, text ?? ""), { style: color ? coloured : plain, columns });
}
