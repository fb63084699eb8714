/** Changed tools as text. */
import type { ToolLock } from "../node.js";
import type { Drift, DriftProblem, ToolChange } from "../lock-types.js";
import type { Diagnostic } from "../types.js";
import { renderDiagnostics, type RenderOptions, type Source } from "../terminal/diagnostics.js";
import { pluralize, visible, wrap } from "../terminal/text.js";
import type { ComparedPlan } from "./drift.js";

/** Per tool, most important first. */
const MAX_SHOWN = 12;
const RANKS = { error: 0, warning: 1, info: 2 } as const;

/** Changes that break a plan come first. */
export function changeLines(changes: readonly ToolChange[], options: RenderOptions): string[] {
  const tools = new Map<string, ToolChange[]>();
  for (const change of changes) {
    const key = JSON.stringify([change.server, change.tool]);
    tools.set(key, [...(tools.get(key) ?? []), change]);
  }
  return [...tools.values()].flatMap((own) => toolLines(own, options));
}

function toolLines(changes: readonly ToolChange[], options: RenderOptions): string[] {
  const [{ server, tool }] = changes as [ToolChange];
  const sorted = [...changes].sort((a, b) => RANKS[a.severity] - RANKS[b.severity]);
  const rest = sorted.length - MAX_SHOWN;
  return [
    `${options.style.bold(visible(tool))}${server === "" ? "" : visible(` of ${server}`)}`,
    ...sorted.slice(0, MAX_SHOWN).flatMap((change) => changeLine(change, options)),
    ...(rest > 0 ? [options.style.dim(`    … and ${pluralize(rest, "further change")}`)] : []),
    "",
  ];
}

function changeLine({ severity, message }: ToolChange, { style, columns }: RenderOptions): string[] {
  const mark = { error: style.red("✗"), warning: style.yellow("!"), info: style.dim("·") }[severity];
  const [first = "", ...rest] = wrap(visible(message), Math.max(24, columns - 4));
  return [`  ${mark} ${first}`, ...rest.map((line) => `    ${line}`)];
}

export function problemText({ problems, source }: ComparedPlan, options: RenderOptions): string {
  const shown = problems.map((problem) => toDiagnostic(problem, source));
  return shown.length === 0 ? "" : `${renderDiagnostics(shown, source, options)}\n`;
}

/** Problems at nodes underline their keys. */
function toDiagnostic(problem: DriftProblem, source: Source): Diagnostic {
  const { line, column, span, fix, help, ...rest } = problem;
  const how = problem.file === undefined ? "`--fix` does it" : "`--fix` does it if you name the file";
  const known = { ...rest, line, column, fix: [], help: fix === null ? help : `${help}; ${how}` };
  return { ...known, span: span ?? keySpan(source.of(problem.file), line, column) } as Diagnostic;
}

function keySpan(source: Source, line: number | null, column: number | null): Diagnostic["span"] {
  if (line === null || column === null || source.text === "") return null;
  const whole = source.lineSpan(line);
  const start = Math.min(whole.start + column - 1, whole.end);
  const key = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^:\s]+)/.exec(source.text.slice(start, whole.end))?.[0] ?? "";
  return { start, end: start + Math.max(1, key.length) };
}

export function closingLine(
  file: string,
  lock: ToolLock,
  { changes }: Drift,
  plans: readonly ComparedPlan[],
  { style }: RenderOptions,
): string {
  const tools = new Set(changes.map(({ server, tool }) => JSON.stringify([server, tool]))).size;
  const all = plans.flatMap(({ problems }) => problems);
  const fixed = plans.reduce((sum, plan) => sum + plan.fixed, 0);
  const broken = plans.filter(({ problems }) => problems.some(({ severity }) => severity === "error")).length;
  const warnings = all.filter(({ severity }) => severity === "warning").length;
  const name = visible(file);
  if (tools === 0 && all.length === 0)
    return style.bold(`no drift: ${pluralize(lock.tools.length, "tool")} as in ${name}`);
  const parts = [
    `${pluralize(tools, "tool")} changed since ${name}`,
    ...(fixed > 0 ? [`${pluralize(fixed, "problem")} fixed`] : []),
    broken > 0 ? `${pluralize(broken, "plan")} ${broken === 1 ? "breaks" : "break"}` : "no plan breaks",
    ...(warnings > 0 ? [pluralize(warnings, "warning")] : []),
  ];
  const advice = broken > 0 ? "" : "; accept the tools by `stepgraph lock`";
  return `${style.bold(parts.join(", "))}${advice}`;
}
