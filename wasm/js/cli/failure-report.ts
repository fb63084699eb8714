/** Why a run failed or did not start. */
import type { PlanGraph, RunError } from "../node.js";
import { headline, renderDiagnostics, type RenderOptions, type Source } from "../terminal/diagnostics.js";
import { clip, visible } from "../terminal/text.js";
import type { Outcome, Report } from "../types.js";
import { connectionHelp, type Connection } from "./connections.js";
import { writeEmptyReport } from "./empty-report.js";
import { renderOptions, type Io } from "./io.js";
import type { Arguments } from "./options.js";
import { type ThrownError, thrownErrors, thrownLines } from "./thrown-lines.js";
import type { ParsedFile } from "./read-plan.js";

/** Bad usage or invalid plan. */
export const EXIT_INVALID = 2;

export const LOCK_HELP = "see what breaks by `stepgraph drift`, then accept the tools by `stepgraph lock`";
export const NO_SQLITE_HELP = "use Node 22.13 or later, or install SQLite here: `npm install libsql`";

/** For failures outside of nodes. The library knows no flags. */
const HELP: Readonly<Record<string, string>> = {
  "handler/not-json": "a function changed its input, or a value that it had returned; let it change a copy",
  "replay/unusable": "name a file that `stepgraph run --record FILE` wrote, or record the run again",
  "run/unknown-price": "name the price by `--prices FILE`; `stepgraph cost PLAN` shows what the plan may cost",
  "tool/differs-from-lock": LOCK_HELP,
};

/** If there is no node, a server did not list its tools. */
export function failureLines(
  outcome: Extract<Outcome, { type: "failed" }>,
  servers: Connection[],
  options: RenderOptions,
  graph: PlanGraph | null = null,
  { error = null, source }: { error?: RunError | null; source?: Source } = {},
): string[] {
  const { code, message, node } = outcome;
  const lines = headline({ severity: "error", code, message }, options);
  const arrow = options.style.blue("-->");
  const known = node === undefined ? HELP[code] : undefined;
  if (code === "run/invalid-input" && graph !== null) return [...lines, helpLine(inputHelp(graph), options)];
  if (known !== undefined) return [...lines, helpLine(known, options)];
  if (node !== undefined) {
    return [...lines, ...errorLines(node, error, source, options)];
  }
  const silent = servers.filter((server) => server.failure !== null);
  const serverLines = silent.flatMap((server) => [
    `  ${arrow} --server ${clip(visible(server.place), 200)}`,
    helpLine(connectionHelp(server, server.failure), options),
  ]);
  return [...lines, ...serverLines];
}

export function errorLines(
  node: string,
  error: RunError | null,
  source: Source | undefined,
  { style }: RenderOptions,
): string[] {
  const place = `  ${style.blue("-->")} ${placeText(error, source)}node \`${clip(visible(node), 80)}\``;
  return [place, ...thrownLines(error?.cause).map((line) => style.dim(line))];
}

export function helpLine(help: string, { style }: RenderOptions): string {
  return `  ${style.blue("=")} ${style.bold("help")}: ${help}`;
}

function placeText(error: RunError | null, source: Source | undefined): string {
  if (error === null || error.place === null || source === undefined) return "";
  const { file, line, column } = error.place;
  return `${visible(source.nameOf(file))}:${line}:${column}: `;
}

interface InputSchema {
  type?: unknown;
  default?: unknown;
}

/** Quoted for a shell if it needs that. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  array: "'[...]'",
  object: "'{...}'",
  number: "NUMBER",
  integer: "NUMBER",
  boolean: "true",
};

function placeholder(schema: InputSchema | null): string {
  const type = schema?.type;
  return typeof type === "string" && Object.hasOwn(PLACEHOLDERS, type) ? PLACEHOLDERS[type]! : "...";
}

function inputHelp(graph: PlanGraph): string {
  const { inputs } = graph.toJSON() as { inputs?: Record<string, InputSchema | null> | null };
  const inputFlag = ([name, schema]: [string, InputSchema | null]) => {
    const note = schema?.default === undefined ? "" : " (has a default)";
    return `\`--input ${clip(visible(name), 60)}=${placeholder(schema)}\`${note}`;
  };
  return `set the plan's inputs: ${Object.entries(inputs ?? {})
    .map(inputFlag)
    .join(", ")}`;
}

export function reportInvalid(
  files: Pick<ParsedFile, "diagnostics" | "source">[],
  { code, message }: { code: string; message: string },
  args: Arguments,
  io: Io,
): number {
  if (args.has("json")) {
    const diagnostics = files.flatMap((read) => read.diagnostics);
    writeEmptyReport({ type: "failed", code, message, diagnostics }, diagnostics, io);
  } else {
    const options = renderOptions(io.err, io);
    for (const { diagnostics, source } of files)
      if (diagnostics.length > 0) io.err.write(`${renderDiagnostics(diagnostics, source, options)}\n`);
    io.err.write(`${options.style.red(options.style.bold("not run"))}: ${message}\n`);
  }
  return EXIT_INVALID;
}

export interface JsonReport extends Record<string, unknown> {
  error?: { place: RunError["place"]; thrown: ThrownError[] };
}

export function jsonReport(report: Report): JsonReport {
  const { error } = report;
  const json = report.toJSON() as object;
  return { ...json, ...(error && { error: { place: error.place, thrown: thrownErrors(error.cause) } }) };
}
