/** Explains why a run failed or did not start. */
import type { PlanGraph, RunError } from "../node.js";
import { headline, renderDiagnostics, type RenderOptions, type Source } from "../terminal/diagnostics.js";
import { clip, visible } from "../terminal/text.js";
import type { Outcome } from "../types.js";
import { connectionHelp, type Connection } from "./connections.js";
import { renderOptions, type Io } from "./io.js";
import type { Arguments } from "./options.js";
import type { ParsedFile } from "./read-plan.js";

/** Exit code for bad usage or an invalid plan. */
export const EXIT_INVALID = 2;

const PRICE_HELP = "name the price by `--prices FILE`; `stepgraph cost PLAN` shows what the plan may cost";

/** Without a node, a server did not list its tools. */
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
  if (code === "run/invalid-input" && graph !== null)
    return [...lines, `  ${options.style.blue("=")} ${options.style.bold("help")}: ${inputHelp(graph)}`];
  if (code === "run/unknown-price")
    return [...lines, `  ${options.style.blue("=")} ${options.style.bold("help")}: ${PRICE_HELP}`];
  if (node !== undefined) {
    const name = `node \`${clip(visible(node), 80)}\``;
    return [...lines, `  ${arrow} ${placeText(error, source)}${name}`, ...stackLines(error, options)];
  }
  const silent = servers.filter((server) => server.failure !== null);
  const serverLines = silent.flatMap((server) => [
    `  ${arrow} --server ${clip(visible(server.place), 200)}`,
    `  ${options.style.blue("=")} ${options.style.bold("help")}: ${connectionHelp(server, server.failure)}`,
  ]);
  return [...lines, ...serverLines];
}

function placeText(error: RunError | null, source: Source | undefined): string {
  if (error === null || error.place === null || source === undefined) return "";
  const { file, line, column } = error.place;
  return `${visible(source.nameOf(file))}:${line}:${column}: `;
}

/** The user's own frames. A failed call of a server or model has none. */
const MOST_FRAMES = 5;

function stackLines(error: RunError | null, { style }: RenderOptions): string[] {
  const thrown = error?.cause;
  if (!(thrown instanceof Error) || typeof thrown.stack !== "string") return [];
  const frames = thrown.stack.split("\n").filter((line) => /^\s+at /.test(line));
  const own = frames.filter((frame) => !frame.includes(PACKAGE) && !/[ (]node:/.test(frame));
  return own.slice(0, MOST_FRAMES).map((frame) => style.dim(`      ${visible(frame.trim())}`));
}

/** The folder of the package. */
const PACKAGE = new URL("../../", import.meta.url).href;

function inputHelp(graph: PlanGraph): string {
  const { inputs } = graph.toJSON() as { inputs?: Record<string, { default?: unknown } | null> | null };
  const inputFlag = ([name, schema]: [string, { default?: unknown } | null]) =>
    `\`--input ${clip(visible(name), 60)}=...\`${schema?.default === undefined ? "" : " (has a default)"}`;
  return `set the plan's inputs: ${Object.entries(inputs ?? {})
    .map(inputFlag)
    .join(", ")}`;
}

/** Reports invalid files as text, or as the JSON report of a run that did not start. */
export function reportInvalid(
  files: Pick<ParsedFile, "diagnostics" | "source">[],
  { code, message }: { code: string; message: string },
  args: Arguments,
  io: Io,
): number {
  if (args.has("json")) {
    const diagnostics = files.flatMap((read) => read.diagnostics);
    const outcome = { type: "failed", code, message, diagnostics };
    const counts = { steps: 0, calls: 0, retries: 0 };
    io.out.write(
      `${JSON.stringify({ outcome, last: null, outputs: {}, path: [], trace: [], durationMs: 0, counts, planHash: null, diagnostics })}\n`,
    );
  } else {
    const options = renderOptions(io.err, io);
    for (const { diagnostics, source } of files)
      if (diagnostics.length > 0) io.err.write(`${renderDiagnostics(diagnostics, source, options)}\n`);
    io.err.write(`${options.style.red(options.style.bold("not run"))}: ${message}\n`);
  }
  return EXIT_INVALID;
}
