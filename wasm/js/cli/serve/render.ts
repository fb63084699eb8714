/**
 * Renders answers for models.
 *
 * Invariant: every result has a size limit, and shows how to read the rest.
 */
import type { Diagnostic, Target } from "../../types.js";
import { visibleLines } from "../../terminal/text.js";
import { jsonPrefix, JsonSizes } from "./json-size.js";

/** A model can't fix more at once. */
const MAX_DIAGNOSTICS = 40;

export interface ToolOutput {
  data: Record<string, unknown>;
  text: string;
  isError?: boolean;
}

/** Lines and columns from 1, columns in UTF-16 units. */
export interface Edit {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  old: string;
  new: string;
}

export interface RenderedDiagnostic {
  code: string;
  severity: string;
  message: string;
  at: string;
  /** Absent for the plan itself. */
  file?: string;
  line: number | null;
  column: number | null;
  help: string | null;
  fix: Edit[];
}

/** The server lacks something and the plan is correct. */
const SERVER_HELP: Record<string, string> = {
  "graph/unknown-model": "start the server with `--model`, or use a client that offers sampling",
  "graph/unknown-tool": "use a tool that `describe_tools` lists",
};

export function renderDiagnostics(diagnostics: readonly Diagnostic[], text: string): RenderedDiagnostic[] {
  const starts = lineStarts(text);
  return diagnostics
    .slice(0, MAX_DIAGNOSTICS)
    .map(({ code, severity, message, target, file, line, column, help, fix }) => ({
      code,
      severity,
      message,
      at: describeTarget(target),
      ...(file !== undefined && { file }),
      line,
      column,
      help: help?.startsWith("did you mean") ? help : (SERVER_HELP[code] ?? help),
      // Only the plan itself is at hand.
      fix: (file === undefined ? fix : []).map(({ span, text: put }) => {
        const [from, to] = [lineColumn(span.start, starts), lineColumn(span.end, starts)];
        return {
          line: from.line,
          column: from.column,
          end_line: to.line,
          end_column: to.column,
          old: text.slice(span.start, span.end),
          new: put,
        };
      }),
    }));
}

export function diagnosticsText(diagnostics: readonly Diagnostic[], text: string): string {
  const lines = renderDiagnostics(diagnostics, text).flatMap(
    ({ code, severity, message, at, file, line, column, help, fix }) => [
      `${severity}[${code}]: ${visibleLines(message)}`,
      `  at ${file === undefined ? "" : `${visibleLines(file)}, `}${line === null ? at : `line ${line}, column ${column} (${at})`}`,
      ...(help === null ? [] : [`  help: ${visibleLines(help)}`]),
      ...fix.map(fixText),
    ],
  );
  const more = diagnostics.length - MAX_DIAGNOSTICS;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function fixText({ line, column, old, new: put }: Edit): string {
  const where = `line ${line}, column ${column}`;
  if (old === "") return `  fix: insert ${quoteText(put)} at ${where}`;
  return put === ""
    ? `  fix: remove ${quoteText(old)} at ${where}`
    : `  fix: replace ${quoteText(old)} by ${quoteText(put)} at ${where}`;
}

function quoteText(text: string): string {
  return JSON.stringify(text.length > 400 ? `${trimSurrogate(text.slice(0, 400))}…` : text);
}

/** Null without any fix. If two touch, the earlier diagnostic's is applied. */
export function applyFixes(diagnostics: readonly Diagnostic[], text: string): string | null {
  const applied: { start: number; end: number; put: string }[] = [];
  for (const { file, fix } of diagnostics) {
    if (file !== undefined) continue;
    const edits = fix.map(({ span, text: put }) => ({ ...span, put }));
    // Completely or not at all.
    if (edits.every(({ start, end }) => applied.every((other) => end < other.start || start > other.end)))
      applied.push(...edits);
  }
  if (applied.length === 0) return null;
  return applied
    .sort((a, b) => b.start - a.start)
    .reduce((whole, { start, end, put }) => whole.slice(0, start) + put + whole.slice(end), text);
}

function describeTarget(target: Target): string {
  if (target.type === "document") return "the plan";
  if (target.type === "node") return `node ${target.node}`;
  if (target.type === "call") return `call ${target.call}`;
  const scope = target.scope === undefined ? "" : ` of ${target.scope}`;
  return `${target.type === "condition" ? "the condition of edge" : "edge"} ${target.edge}${scope}`;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineColumn(offset: number, starts: number[]): { line: number; column: number } {
  let line = starts.length;
  while (line > 1 && starts[line - 1]! > offset) line--;
  return { line, column: offset - starts[line - 1]! + 1 };
}

/** `more` shows how to read the rest. */
export interface TruncatedValue {
  cut: true;
  characters: number;
  begins: string;
  more: string;
}

const sizes = new JsonSizes();

/** Estimates characters. */
export function jsonLength(value: unknown): number {
  return sizes.of(value);
}

export function truncateValue(value: unknown, space: number, more: string): unknown {
  const characters = sizes.of(value);
  if (characters <= space) return value ?? null;
  if (isTruncated(value)) return { ...value, more };
  return {
    cut: true,
    characters,
    begins: trimSurrogate(jsonPrefix(value, Math.min(space, 1000))),
    more,
  } satisfies TruncatedValue;
}

/** Each value gets its share. */
export function truncateMap(
  map: Record<string, unknown>,
  space: number,
  more: (name: string) => string,
): Record<string, unknown> {
  const entries = Object.entries(map).slice(0, 200);
  const each = Math.max(200, Math.floor(space / Math.max(1, entries.length)));
  return Object.fromEntries(entries.map(([name, value]) => [name, truncateValue(value, each, more(name))]));
}

/** Its type if it has no JSON. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return JSON.stringify(`(${typeof value})`);
  }
}

export function inlineValue(value: unknown, space = 300): string {
  const text = isTruncated(value) ? value.begins : jsonPrefix(value, space + 1);
  const characters = isTruncated(value) ? value.characters : sizes.of(value);
  const all = text.length <= space && !isTruncated(value);
  return visibleLines(all ? text : `${trimSurrogate(text.slice(0, space))}… (${characters} characters)`);
}

function isTruncated(value: unknown): value is TruncatedValue {
  const { cut, characters, begins, more, ...rest } = Object(value) as Partial<TruncatedValue>;
  return (
    cut === true &&
    typeof characters === "number" &&
    typeof begins === "string" &&
    typeof more === "string" &&
    Object.keys(rest).length === 0
  );
}

function trimSurrogate(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
