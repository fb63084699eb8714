/** Final output of `stepgraph plan`. */
import { programName } from "./program-name.js";
import type { Authored } from "../flows.js";
import type { Review } from "../review.js";
import type { Diagnostic, Report } from "../types.js";
import { headline, renderDiagnostics, tally, type RenderOptions, type Source } from "../terminal/diagnostics.js";
import { reviewLines } from "./review-report.js";
import { type Demand, demandLines, blockingDemands } from "./request-demands.js";
import { shellQuote } from "./shell-quote.js";
import { titleOf, valuesOf } from "./plan-progress.js";
import { clip, pluralize, formatDuration, visible, visibleLines, wrap } from "../terminal/text.js";

export interface RunCommandLine {
  file: string;
  /** Only names if the plan has full URLs. */
  servers: string[];
  model: string[];
  stubs: string[];
  missing: string[];
  /** Whether it calls a model. */
  asks: boolean;
  yes: boolean;
}

interface PlannedFile {
  file: string | undefined;
  diagnostics: Diagnostic[];
  source: Source;
  reviewed: Review;
  demands: Demand[];
}

export function plannedLines(
  report: Report,
  result: Authored,
  { file, diagnostics, source, reviewed, demands }: PlannedFile,
  command: RunCommandLine,
  options: RenderOptions,
): string[] {
  const { style } = options;
  const found = renderDiagnostics(diagnostics, source, options);
  return [
    closingLine(report, style.green("planned"), generationsText(result), options),
    ...noteLines(result, options),
    ...(found === "" ? [] : ["", found.trimEnd(), ""]),
    ...reviewLines(file ?? "the plan", reviewed, options),
    ...coverageLines(result, options),
    ...rows(
      [
        ["input", valuesOf(result.params)],
        ["asks for", command.missing.join(", ")],
      ],
      options,
    ),
    ...demandLines(demands, options),
    ...nextStepLines(file, result.unresolved.length > 0 || blockingDemands(demands).length > 0, command, options),
  ];
}

interface FoundPlan {
  file: string;
  params: Record<string, unknown>;
  reviewed: Review;
  demands: Demand[];
}

export function foundLines(
  report: Report,
  result: Authored,
  { file, params, reviewed, demands }: FoundPlan,
  command: RunCommandLine,
  options: RenderOptions,
): string[] {
  const { style } = options;
  const inputs = Object.entries(params).map(
    ([name, value]) => `${name}${typeof value === "string" ? `=${value}` : `:=${JSON.stringify(value)}`}`,
  );
  return [
    closingLine(report, style.green("found"), "", options),
    ...(result.message ? paragraph(result.message, options) : []),
    ...reviewLines(file, reviewed, options),
    ...rows(
      [
        ["input", valuesOf(params)],
        ["asks for", command.missing.join(", ")],
      ],
      options,
    ),
    ...demandLines(demands, options),
    ...(command.yes && command.missing.length === 0 && blockingDemands(demands).length === 0
      ? []
      : [`${helpPrefix(options)}: run it by  ${runLine(file, inputs, command)}`]),
  ];
}

/** The user must change the request. */
export function lackingLines(
  report: Report,
  result: Authored,
  command: RunCommandLine,
  options: RenderOptions,
): string[] {
  const { style } = options;
  const { status, message, missing_capabilities: missing, alternatives } = result;
  const word = style.yellow("not planned");
  const [title, advice]: [string, string] = (
    {
      clarification_needed: ["the request is not clear", "clarify the request and try again"],
      impossible_requirements: [
        "the available tools can't do this",
        command.servers.length === 0
          ? "name a server that can, with `--server URL`"
          : "name another server that can, with `--server URL`, or change the request",
      ],
      partial_solution: [
        "the available tools can do only a part of the request",
        "add `--partial` to plan this part, or name another server with `--server URL`",
      ],
    } as Record<string, [string, string]>
  )[status] ?? [status, "rephrase the request"];
  return [
    `${word} in ${formatDuration(report.durationMs)}: ${style.bold(title)}`,
    ...(message ? paragraph(message, options) : []),
    ...items("missing", missing, options),
    ...items("instead", alternatives.map(textOf), options),
    `${helpPrefix(options)}: ${advice}`,
  ];
}

/** No generated plan is valid. */
export function failedLines(
  report: Report,
  result: Authored,
  { diagnostics, source, kept }: { diagnostics: Diagnostic[]; source: Source; kept: string | null },
  options: RenderOptions,
): string[] {
  const { style } = options;
  const rendered = renderDiagnostics(diagnostics, source, options);
  const further = result.errors.filter(
    ({ code, message }) => !diagnostics.some((one) => one.code === code && one.message === message),
  );
  const blocks = further.flatMap((error) => [
    ...headline({ severity: "error", code: error.code, message: error.message }, options),
    ...(error.place ? [`  ${style.blue("-->")} ${clip(visible(textOf(error.place)), options.columns - 6)}`] : []),
    ...(error.help ? [`  ${style.blue("=")} ${style.bold("help")}: ${visible(error.help)}`] : []),
    "",
  ]);
  const shown =
    source.text === "" || kept !== null
      ? []
      : [style.bold("the last generated plan:"), "", visibleLines(source.text).trimEnd(), ""];
  const problems = diagnostics.length > 0 ? tally(diagnostics) : pluralize(Math.max(1, result.errors.length), "error");
  return [
    ...shown,
    ...(rendered === "" ? [] : [rendered]),
    ...blocks,
    ...(further.length > 0 && result.more_errors > 0 ? [`and ${result.more_errors} more`, ""] : []),
    closingLine(report, style.red("failed"), `${generationsText(result)}, the last with ${problems}`, options),
    ...(diagnostics.length + further.length === 0 && result.message ? paragraph(result.message, options) : []),
    kept === null
      ? `${helpPrefix(options)}: rephrase the request or use another model; \`--keep FILE\` saves the last plan`
      : `${helpPrefix(options)}: fix \`${visible(kept)}\` by hand, or rephrase the request`,
  ];
}

function closingLine({ durationMs, counts }: Report, word: string, done: string, { style }: RenderOptions): string {
  const parts = [
    done,
    counts.calls > 0 ? pluralize(counts.calls, "call") : "",
    counts.tokens ? pluralize(counts.tokens, "token") : "",
  ].filter(Boolean);
  return `${style.bold(word)} in ${formatDuration(durationMs)}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

function generationsText({ generations }: Authored): string {
  return generations > 0 ? pluralize(generations, "generation") : "";
}

function coverageLines({ coverage }: Authored, options: RenderOptions): string[] {
  const { style } = options;
  const served = (nodes: string[]) => (nodes.length > 0 ? nodes.join(", ") : style.yellow("no node"));
  const lines = coverage.map(({ step, text, nodes }): [string, string, string] => [
    step === 1 ? "serves" : "",
    `${step}. ${clip(visible(text), 60)}: `,
    served(nodes.map(visible)),
  ]);
  return lines.map(([word, text, nodes]) => `  ${style.dim(word.padEnd(9))} ${text}${nodes}`);
}

function noteLines(
  { missing_capabilities: missing, warnings, missed_deadlines: missed }: Authored,
  options: RenderOptions,
): string[] {
  const { style } = options;
  const texts = [...missing.map((what) => `left out: ${what}`), ...warnings.map(textOf), ...missed.map(slowStageNote)];
  return texts.map((text) => `${style.yellow("!")} ${clip(visible(text), options.columns - 2)}`);
}

function slowStageNote(missed: unknown): string {
  const { node, deadline_ms: meant, took_ms: took } = Object(missed) as Record<string, unknown>;
  if (typeof node !== "string" || typeof meant !== "number" || typeof took !== "number")
    return `slow: ${textOf(missed)}`;
  return `slow: ${titleOf(node)} took ${formatDuration(took)}, ${formatDuration(took - meant)} over its deadline`;
}

/** Text, else `message`, else JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { message } = Object(value) as { message?: unknown };
  return typeof message === "string" ? message : (JSON.stringify(value) ?? "");
}

function nextStepLines(
  file: string | undefined,
  isIncomplete: boolean,
  command: RunCommandLine,
  options: RenderOptions,
): string[] {
  const { missing, yes } = command;
  if (yes && missing.length > 0) {
    const names = missing.map((name) => `\`${visible(name)}\``).join(", ");
    const given = missing.map((name) => `\`--input ${visible(name)}=...\``).join(", ");
    return [`${helpPrefix(options)}: the request does not contain ${names}; add ${given}`];
  }
  const looked = "it was not run, because it may leave out a part of the request: review it";
  if (yes && isIncomplete)
    return file === undefined
      ? [`${helpPrefix(options)}: ${looked}, and keep it by \`--output FILE\``]
      : [`${helpPrefix(options)}: ${looked}, and run it by  ${runLine(file, [], command)}`];
  if (yes) return [];
  if (file === undefined)
    return [`${helpPrefix(options)}: keep it by \`--output FILE\`, or run it at once by \`--yes\``];
  return [`${helpPrefix(options)}: run it by  ${runLine(file, [], command)}`];
}

function runLine(file: string, inputs: string[], { missing, servers, model, stubs, asks }: RunCommandLine): string {
  const given = [...inputs, ...missing.map((name) => `${name}=...`)].flatMap((pair) => ["--input", pair]);
  const words = [file, ...given, ...servers.flatMap((name) => ["--server", name]), ...(asks ? model : []), ...stubs];
  return visible([programName("run"), ...words.map(shellQuote)].join(" "));
}

function helpPrefix({ style }: RenderOptions): string {
  return `${style.blue("=")} ${style.bold("help")}`;
}

function rows(all: [string, string][], { style, columns }: RenderOptions): string[] {
  return all
    .filter(([, text]) => text !== "")
    .map(([word, text]) => `  ${style.dim(word.padEnd(9))} ${clip(visible(text), Math.max(20, columns - 14))}`);
}

function paragraph(text: string, { columns }: RenderOptions): string[] {
  return visible(text)
    .split("␊")
    .flatMap((line) => wrap(line, Math.max(20, columns - 4)))
    .map((line) => `  ${line}`);
}

function items(word: string, all: string[], { style, columns }: RenderOptions): string[] {
  return all.flatMap((text) =>
    wrap(visible(text), Math.max(20, columns - 14)).map(
      (line, i) => `  ${i === 0 ? style.dim(word.padEnd(9)) : " ".repeat(9)} ${line}`,
    ),
  );
}
