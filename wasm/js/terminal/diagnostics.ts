/** Renders diagnostics with underlined source. Long lines are cut around the span. */
import type { Diagnostic, Span } from "../types.js";
import type { Style } from "../terminal/style.js";
import { pluralize, pad, visible, width, wrap } from "../terminal/text.js";

export class Source {
  readonly #starts: number[] = [0];
  readonly #others = new Map<string, Source>();

  /** `files` are texts by path from the plan. */
  constructor(
    readonly name: string,
    readonly text: string,
    readonly files: Readonly<Record<string, string>> = {},
  ) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** The name is relative to the plan's. */
  of(file: string | undefined): Source {
    if (file === undefined) return this;
    const known = this.#others.get(file) ?? new Source(this.nameOf(file), this.files[file] ?? "");
    this.#others.set(file, known);
    return known;
  }

  nameOf(file: string | undefined): string {
    return file === undefined ? this.name : this.name.replace(/[^/\\]*$/, () => file);
  }

  /** Lines count from 1. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Excludes the line break. */
  lineSpan(line: number): Span {
    const start = this.#starts[line - 1] ?? this.text.length;
    let end = (this.#starts[line] ?? this.text.length + 1) - 1;
    if (end > start && this.text[end - 1] === "\r") end--;
    return { start, end };
  }
}

export interface RenderOptions {
  style: Style;
  columns: number;
}

interface Highlight {
  line: number;
  start: number;
  end: number;
  primary: boolean;
  message: string;
}

/** Labels of other files follow without their lines. */
export function renderDiagnostic(diagnostic: Diagnostic, plan: Source, options: RenderOptions): string[] {
  const source = plan.of(diagnostic.file);
  const isOwn = ({ file }: Diagnostic["labels"][number]) => file === diagnostic.file;
  const isUnknown = source !== plan && source.text === "";
  const marks = isUnknown ? [] : highlightsOf(diagnostic, diagnostic.labels.filter(isOwn), source);
  const gutter = Math.max(1, ...marks.map((mark) => String(mark.line).length));
  const lines = headline(diagnostic, options);
  const place = [visible(source.name), diagnostic.line, diagnostic.column].filter((part) => part !== null).join(":");
  lines.push(`${" ".repeat(gutter)}${options.style.blue("-->")} ${place}`);
  if (marks.length > 0) lines.push(...excerpt(diagnostic, source, marks, gutter, options));
  for (const { file, line, column, message } of diagnostic.labels.filter((label) => !isOwn(label))) {
    const other = `${visible(plan.nameOf(file))}:${line}:${column}`;
    lines.push(`${" ".repeat(gutter)}${options.style.blue(":::")} ${other}: ${visible(message)}`);
  }
  lines.push(...helpLines(diagnostic, gutter, options));
  return lines;
}

export function renderDiagnostics(diagnostics: readonly Diagnostic[], source: Source, options: RenderOptions): string {
  return diagnostics.map((diagnostic) => `${renderDiagnostic(diagnostic, source, options).join("\n")}\n`).join("\n");
}

/** Such as `2 errors, 1 warning`. */
export function tally(diagnostics: Diagnostic[]): string {
  const parts = (["error", "warning", "hint"] as const)
    .map((severity) => [severity, diagnostics.filter((diagnostic) => diagnostic.severity === severity).length] as const)
    .filter(([, number]) => number > 0)
    .map(([severity, number]) => pluralize(number, severity));
  return parts.length === 0 ? "no problems" : parts.join(", ");
}

export function hasErrors(diagnostics: Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** `severity[code]: message`, wrapped. */
export function headline(
  problem: { severity: Diagnostic["severity"]; code: string; message: string },
  { style, columns }: RenderOptions,
): string[] {
  const title = `${problem.severity}[${problem.code}]`;
  const [first = "", ...rest] = wrap(`${title}: ${visible(problem.message)}`, columns);
  return [
    `${paint(problem.severity, style)(style.bold(title))}${style.bold(first.slice(title.length))}`,
    ...rest.map((line) => `    ${style.bold(line)}`),
  ];
}

function paint(severity: Diagnostic["severity"], style: Style): (text: string) => string {
  return { error: style.red, warning: style.yellow, hint: style.blue }[severity];
}

function highlightsOf(diagnostic: Diagnostic, labels: Diagnostic["labels"], source: Source): Highlight[] {
  const marks = labels.map((label) => toHighlight(label.span, source, false, label.message));
  if (diagnostic.span) marks.push(toHighlight(diagnostic.span, source, true, ""));
  return marks.sort((a, b) => a.line - b.line || Number(b.primary) - Number(a.primary) || a.start - b.start);
}

/** Highlights only the first line. */
function toHighlight(span: Span, source: Source, primary: boolean, message: string): Highlight {
  const line = source.lineAt(span.start);
  const whole = source.lineSpan(line);
  const end = Math.min(span.end, whole.start + source.text.slice(whole.start, whole.end).trimEnd().length);
  return {
    line,
    start: Math.max(0, span.start - whole.start),
    end: Math.max(span.start, end) - whole.start,
    primary,
    message,
  };
}

function excerpt(
  diagnostic: Diagnostic,
  source: Source,
  marks: Highlight[],
  gutter: number,
  { style, columns }: RenderOptions,
): string[] {
  const bar = style.blue("|");
  const blank = `${" ".repeat(gutter)} ${bar}`;
  const lines = [blank];
  let shown = 0;
  for (const line of new Set(marks.map((mark) => mark.line))) {
    if (shown !== 0 && line > shown + 1) lines.push(style.blue("…"));
    shown = line;
    const own = marks.filter((mark) => mark.line === line);
    const { text, underlines } = layOutLine(source, line, own, Math.max(20, columns - gutter - 4));
    lines.push(`${style.blue(String(line).padStart(gutter))} ${bar} ${text}`.trimEnd());
    own.forEach((mark, index) => {
      if (underlines[index] === null) return;
      const colour = mark.primary ? paint(diagnostic.severity, style) : style.blue;
      lines.push(`${blank} ${colour(`${underlines[index]} ${visible(mark.message)}`.trimEnd())}`);
    });
  }
  return lines;
}

/** Cuts around the first highlight. An underline that was cut off is null. */
function layOutLine(
  source: Source,
  line: number,
  marks: Highlight[],
  columns: number,
): { text: string; underlines: (string | null)[] } {
  const whole = source.lineSpan(line);
  const focus = whole.start + marks[0]!.start;
  // Lines can be very long: reads only the visible part.
  const from = Math.max(whole.start, focus - columns);
  const to = Math.min(whole.end, focus + 2 * columns);
  const cells = toCells(source.text.slice(from, to));
  const column = (offset: number) => cells.columns[Math.min(Math.max(offset - (from - whole.start), 0), to - from)]!;
  const total = cells.columns.at(-1)!;
  const first =
    total <= columns && from === whole.start ? 0 : Math.max(0, column(marks[0]!.start) - Math.floor(columns / 3));
  const cutLeft = from > whole.start || first > 0;
  const { text, shift } = sliceColumns(cells.parts, first, columns, cutLeft, to < whole.end);
  const underlines = marks.map((mark) => {
    const start = column(mark.start) - shift;
    if (start < 0 || start > columns || whole.start + mark.start < from) return null;
    const length = Math.max(1, Math.min(column(mark.end) - shift, columns) - start);
    return " ".repeat(start) + (mark.primary ? "^" : "-").repeat(length);
  });
  return { text, underlines };
}

/** `columns` is per UTF-16 unit. */
function toCells(text: string): { parts: string[]; columns: number[] } {
  const parts: string[] = [];
  const columns: number[] = [];
  let at = 0;
  for (const character of text) {
    const part = character === "\t" ? " ".repeat(4 - (at % 4)) : visible(character);
    for (let unit = 0; unit < character.length; unit++) columns.push(at);
    parts.push(part);
    at += width(part);
  }
  columns.push(at);
  return { parts, columns };
}

/** `shift` is how far parts moved left. */
function sliceColumns(
  parts: string[],
  first: number,
  columns: number,
  cutLeft: boolean,
  cutRight: boolean,
): { text: string; shift: number } {
  let at = 0;
  let text = cutLeft ? "…" : "";
  let shift: number | null = null;
  const space = columns - 1;
  for (const part of parts) {
    const size = width(part);
    if (at >= first) {
      shift ??= at - width(text);
      if (at + size - shift > space) return { text: `${text}…`, shift };
      text += part;
    }
    at += size;
  }
  return { text: cutRight ? `${text}…` : text, shift: shift ?? first };
}

function helpLines(diagnostic: Diagnostic, gutter: number, { style, columns }: RenderOptions): string[] {
  if (!diagnostic.help) return [];
  const lead = `${" ".repeat(gutter)} ${style.blue("=")} ${style.bold("help")}: `;
  const indent = gutter + 9;
  return wrap(visible(diagnostic.help), Math.max(20, columns - indent)).map((line, index) =>
    index === 0 ? lead + line : pad("", indent) + line,
  );
}
