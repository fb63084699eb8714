/** `stepgraph diff` */
import type { Comparison, PlanChange } from "../editor/compare.js";
import { fileTexts } from "../package-internals.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { renderDiagnostics, Source, tally, type RenderOptions } from "../terminal/diagnostics.js";
import { decode, renderOptions, displayName, readBytes, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { parsePlanFile } from "./plan-folder.js";
import { pluralize, visible, wrap } from "../terminal/text.js";

interface Side {
  file: string;
  source: Source;
}

/** Changes per kind. More are only counted. */
const MAX_LISTED = 6;

export async function diffCommand(args: Arguments, io: Io): Promise<number> {
  const code = await compare(args, io);
  // Git treats other exit codes as a crash.
  return args.has("git") ? 0 : code;
}

async function compare(args: Arguments, io: Io): Promise<number> {
  const [before, after] = filesOf(args).map(({ file, name }): Side => {
    const text = decode(readBytes(file));
    // Git copies files without their neighbours.
    const files = args.has("git") ? {} : readFilesOf(file, text);
    return { file, source: new Source(name, text, files) };
  }) as [Side, Side];
  const tools = await toolsOf(args, io);
  const { comparePlans } = await import("../editor/node.js");
  const files = { before: before.source.files, after: after.source.files };
  const found = comparePlans(before.source.text, after.source.text, { files, ...(tools && { tools }) });
  if (args.has("json")) {
    io.out.write(`${JSON.stringify({ before: before.source.name, after: after.source.name, ...found })}\n`);
    return found.same === null ? 2 : found.same ? 0 : 1;
  }
  if (found.same === null) return reportUnreadable(found, before, after, io);
  io.out.write(`${linesOf(found, before.source, after.source, renderOptions(io.out, io)).join("\n")}\n`);
  return found.same ? 0 : 1;
}

/** An unreadable file is compared by its path. */
function readFilesOf(file: string, text: string): Readonly<Record<string, string>> {
  const { graph, files } = parsePlanFile(file, text);
  graph?.free();
  return fileTexts(files);
}

/** Git passes path, old file, hash, mode, new file, hash, mode. */
function filesOf(args: Arguments): { file: string; name: string }[] {
  const { operands } = args;
  if (args.has("git")) {
    if (operands.length < 7)
      throw new UsageError(
        "cli/extra-argument",
        `git passes seven arguments, but there are ${operands.length}`,
        'leave `--git` to git: `git config diff.stepgraph.command "stepgraph diff --git"`',
      );
    return [operands[1]!, operands[4]!].map((file, side) => ({
      file,
      name: side === 0 ? `a/${operands[0]}` : `b/${operands[0]}`,
    }));
  }
  if (operands.length !== 2)
    throw new UsageError("cli/extra-argument", "`diff` takes two plans", "write `stepgraph diff BEFORE AFTER`");
  if (operands[0] === "-" && operands[1] === "-")
    throw new UsageError("cli/extra-argument", "only one plan can come from standard input", "name a file");
  return operands.map((file) => ({ file, name: displayName(file) }));
}

async function toolsOf(args: Arguments, io: Io): Promise<ToolInfo[] | null> {
  if (!args.has("server") && !args.has("mcp-config")) return null;
  const { listServerTools } = await import("./check.js");
  return listServerTools(args, io);
}

function reportUnreadable(found: Comparison, before: Side, after: Side, io: Io): number {
  const options = renderOptions(io.err, io);
  const unreadable: [Side, readonly Diagnostic[]][] = [
    [before, found.diagnostics.before],
    [after, found.diagnostics.after],
  ];
  for (const [{ source }, diagnostics] of unreadable) {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    if (errors.length === 0) continue;
    io.err.write(
      source.text.trim() === ""
        ? `${visible(source.name)} is empty\n`
        : `${renderDiagnostics(errors, source, options)}\nnot compared: ${visible(source.name)} has ${tally(errors)}\n`,
    );
  }
  return 2;
}

export function linesOf(
  { same, changes }: Comparison,
  before: Source,
  after: Source,
  options: RenderOptions,
): string[] {
  const { style } = options;
  if (same) {
    return [
      before.text === after.text
        ? "both are the same text"
        : "same meaning; only layout, comments or formatting differ",
    ];
  }
  const says = changes.filter(({ kind }) => !kind.startsWith("run/"));
  const runs = changes.filter(({ kind }) => kind.startsWith("run/"));
  const lines = groups(says).flatMap(([title, own]) => [
    style.bold(title),
    ...own.flatMap((change) => lineOf(change, before, after, options)),
    "",
  ]);
  if (runs.length > 0)
    lines.push(
      style.bold("what runs may do"),
      ...limitChanges(runs).flatMap((change) =>
        typeof change === "string" ? [`    ${style.dim(change)}`] : lineOf(change, before, after, options),
      ),
      "",
    );
  const parts = [
    says.length > 0 ? pluralize(says.length, "change") : "",
    runs.length > 0 ? `${pluralize(runs.length, "change")} in what runs may do` : "",
  ];
  return [...lines, style.bold(parts.filter((part) => part !== "").join(", "))];
}

function groups(changes: readonly PlanChange[]): [string, PlanChange[]][] {
  const found = new Map<string, PlanChange[]>();
  for (const change of changes) {
    const title = titleOf(change);
    found.set(title, [...(found.get(title) ?? []), change]);
  }
  return [...found];
}

function titleOf({ kind, scope, node }: PlanChange): string {
  const where = scope === "" ? "" : ` in ${visible(scope)}`;
  if (node !== undefined) return `node ${visible(node)}${where}`;
  if (kind.startsWith("test/")) return "tests";
  return scope === "" ? "the plan" : `the graph${where}`;
}

/** Destructive changes always stay. */
function limitChanges(changes: readonly PlanChange[]): (PlanChange | string)[] {
  const seen = new Map<string, number>();
  for (const { kind } of changes) seen.set(kind, (seen.get(kind) ?? 0) + 1);
  const shown = new Map<string, number>();
  return changes.flatMap((change): (PlanChange | string)[] => {
    const nth = (shown.get(change.kind) ?? 0) + 1;
    shown.set(change.kind, nth);
    const all = seen.get(change.kind)!;
    if (all <= MAX_LISTED || nth < MAX_LISTED || change.destroys) return [change];
    return nth === all ? [`… and ${all - MAX_LISTED + 1} more of this kind`] : [];
  });
}

function lineOf(change: PlanChange, before: Source, after: Source, { style, columns }: RenderOptions): string[] {
  const [mark, paint] = markOf(change, style);
  const place = change.spans.after
    ? ([after, change.spans.after] as const)
    : change.spans.before
      ? ([before, change.spans.before] as const)
      : null;
  const at = place ? ` ${visible(place[0].name)}:${place[0].lineAt(place[1].start)}` : "";
  const [first = "", ...rest] = wrap(visible(change.message), Math.max(24, columns - 4));
  const lines = [
    `  ${paint(mark)} ${change.destroys ? style.red(first) : first}`,
    ...rest.map((line) => `    ${line}`),
  ];
  return lines.map((line, index) => (index === lines.length - 1 ? `${line}${style.dim(at)}` : line));
}

function markOf({ kind, destroys }: PlanChange, style: RenderOptions["style"]): [string, (text: string) => string] {
  if (destroys) return ["!", style.red];
  if (/(added|handled|grown)$/.test(kind) && !kind.endsWith("unhandled")) return ["+", style.green];
  if (/(removed|unreached|missed|unguarded|unhandled)$/.test(kind)) return ["-", style.red];
  return ["~", style.yellow];
}
