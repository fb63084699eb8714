/** Formats diagnostics like the command. */
import { assertKind, assertOptions } from "./options.js";
import { renderDiagnostics, Source } from "./terminal/diagnostics.js";
import { coloured, plain } from "./terminal/style.js";
import type { Diagnostic } from "./types.js";

/** Options of `formatDiagnostics`. */
export interface FormatOptions {
  /** The plan's text, to show underlined lines. */
  text?: string;
  /** Default: `plan`. */
  name?: string;
  /** Texts of the files that the plan runs. */
  files?: Readonly<Record<string, string>>;
  /** Default: false. */
  color?: boolean;
  /** Line width. Default: 100. */
  columns?: number;
}

/**
 * Formats diagnostics: the error, its position, and help.
 *
 * @throws PlanError `api/bad-option`, `api/unknown-option`
 * @example
 * const { graph, diagnostics } = PlanGraph.parse(text);
 * if (diagnostics.length > 0) console.error(formatDiagnostics(diagnostics, { text, name: "plan.yaml" }));
 */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], options: FormatOptions = {}): string {
  assertKind("formatDiagnostics", "diagnostics", diagnostics, "[]map");
  assertOptions("formatDiagnostics", options, {
    text: "text",
    name: "text",
    files: "{}text",
    color: "flag",
    columns: "count",
  });
  const { text, name = "plan", files = {}, color = false, columns = 100 } = options;
  // Positions are printed without lines.
  const shown = text === undefined ? diagnostics.map((one) => ({ ...one, span: null, labels: [] })) : diagnostics;
  return renderDiagnostics(shown, new Source(name, text ?? "", files), { style: color ? coloured : plain, columns });
}
