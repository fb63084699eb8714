/**
 * `stepgraph run`: checks a plan, runs it, shows it, and says how it ended.
 */
import { mcp, openai, run, type PlanGraph } from "../node.js";
import type { Diagnostic, ModelClient, Report, RunOptions, ToolClient, TraceEvent } from "../types.js";
import { Audit } from "./audit.js";
import { hasErrors, headline, renderDiagnostics, tally } from "./diagnostics.js";
import { lookOf, readBytes, decode, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { Painter } from "./painter.js";
import { readPlan, readStubs, sourceOf, type Read } from "./plan.js";
import { clip, visible, visibleLines } from "./text.js";
import { readHeaders, readInput, readPairs } from "./values.js";
import { summary, View } from "./view.js";

const EXIT = { completed: 0, failed: 1, cancelled: 130 } as const;
const BAD_PLAN = 2;

/** Runs a plan; gives the exit code. */
export async function runCommand(args: Arguments, io: Io): Promise<number> {
  const file = planFile(args);
  const options = readOptions(args, io);
  const read = readPlan(file);
  if (!read.graph) return refuse(read, args, io);
  if (!args.has("json") && !args.has("quiet")) io.err.write(spaced(renderDiagnostics(read.diagnostics, read.source, lookOf(io.err, io))));
  const report = await watch(read.graph, options, args, io);
  if (args.has("json")) io.out.write(`${JSON.stringify(report)}\n`);
  else show(report, read, file, args, io);
  if (report.outcome.type === "failed" && report.outcome.code === "run/invalid-plan") return BAD_PLAN;
  return EXIT[report.outcome.type];
}

/** The plan is named by `--plan`, or stands alone. */
function planFile(args: Arguments): string {
  const named = [...args.all("plan"), ...args.operands];
  if (named.length === 0) throw new UsageError("`stepgraph run` needs a plan", "write `--plan FILE`");
  if (named.length > 1) throw new UsageError(`\`stepgraph run\` takes one plan, not ${named.length}`, "leave one of them out");
  if (named[0] === "-" && args.one("prompt") === "-") throw new UsageError("standard input can't be both the plan and the prompt", "put one of them in a file");
  return named[0]!;
}

function readOptions(args: Arguments, io: Io): RunOptions {
  const prompt = args.one("prompt");
  const headers = readHeaders(args.all("header"));
  const stubs = args.one("stubs");
  const options: RunOptions = {
    input: readInput(prompt === "-" ? decode(readBytes("-")) : prompt, args.all("input")),
    context: readPairs("context", args.all("context")),
    tools: args.all("server").map((url) => mcp(address("`--server`", url), { headers })),
  };
  const model = readModel(args, io.env);
  if (model) options.models = { default: model };
  if (stubs !== undefined) options.stubs = readStubs(stubs, lookOf(io.err, io));
  return options;
}

/**
 * The model, when flags or environment say where one is. A server of one's own often has one model only and asks for no name; a key
 * with a name and no address is OpenAI's.
 */
function readModel(args: Arguments, env: Io["env"]): ModelClient | null {
  const url = args.one("model-url") ?? env.STEPGRAPH_MODEL_URL;
  const model = args.one("model") ?? env.STEPGRAPH_MODEL;
  const apiKey = env.OPENAI_API_KEY;
  if (args.has("model") && !url && !apiKey) throw new UsageError("`--model` names a model, but not where it is", "add `--model-url URL`, or set OPENAI_API_KEY");
  const baseUrl = url ?? (model && apiKey ? "https://api.openai.com/v1" : null);
  if (!baseUrl) return null;
  return openai({ baseUrl: address("the model's endpoint", baseUrl), model: model ?? "default", ...(apiKey ? { apiKey } : {}) });
}

/** An address that can be asked; a slip in it is better told now than by the first call. */
export function address(what: string, url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`${what}: \`${url}\` is not an address`, "write it like `http://127.0.0.1:3001/mcp`");
  }
  return url;
}

/** Runs with the view, the audit trail and Ctrl-C attached, all of which are gone afterwards. */
async function watch(graph: PlanGraph, options: RunOptions, args: Arguments, io: Io): Promise<Report> {
  const stop = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.cancelled);
    stop.abort();
  };
  const file = args.one("audit");
  const audit = file === undefined ? null : new Audit(file);
  const shown = args.has("json") || args.has("quiet") ? null : screen(graph, args, io);
  const onEvent = (event: TraceEvent) => {
    audit?.add(event);
    shown?.take(event);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    return await run(graph, { ...options, signal: stop.signal, ...(audit || shown ? { onEvent } : {}) });
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    shown?.end();
    audit?.close();
    await Promise.allSettled((options.tools ?? []).map((client: ToolClient) => client.close()));
  }
}

/** The view on standard error. */
function screen(graph: PlanGraph, args: Arguments, io: Io): { take(event: TraceEvent): void; end(): void } {
  const { style } = lookOf(io.err, io);
  const names = Math.max(1, ...graph.nodes.slice(0, 1000).map((node) => node.id.length));
  const view = new View({ style, verbose: args.has("verbose"), names, columns: () => lookOf(io.err, io).columns });
  const painter = new Painter(io.err, io.env, (now, beat) => view.running(now, beat));
  return { take: (event) => painter.add(view.take(event, performance.now())), end: () => painter.end() };
}

/** What a person is told at the end: what is wrong, how it ended, and the last output. */
function show(report: Report, read: Read, file: string, args: Arguments, io: Io): void {
  const look = lookOf(io.err, io);
  const { outcome } = report;
  const found = outcome.type === "failed" && outcome.diagnostics ? outcome.diagnostics : report.diagnostics;
  const news = found.filter((diagnostic) => !told(diagnostic, read.diagnostics) && (diagnostic.severity === "error" || !args.has("quiet")));
  if (news.length > 0) io.err.write(spaced(renderDiagnostics(news, sourceOf(file), look)));
  if (outcome.type === "failed" && !hasErrors(news)) {
    const [first, ...rest] = headline({ severity: "error", code: outcome.code, message: outcome.message }, look);
    const where = outcome.node === undefined ? [] : [`  ${look.style.blue("-->")} node \`${clip(visible(outcome.node), 80)}\``];
    io.err.write(`${[first, ...rest, ...where].join("\n")}\n`);
  }
  if (!args.has("quiet")) io.err.write(`${summary(report, look.style)}\n`);
  if (outcome.type === "completed") io.out.write(lastText(report.last, io));
}

/** The last output: text as it is, all else as JSON. A terminal is not given what it would obey. */
function lastText(last: unknown, io: Io): string {
  if (last === null || last === undefined) return "";
  const text = typeof last === "string" ? last : JSON.stringify(last, null, 2) ?? "";
  return `${io.out.isTTY ? visibleLines(text) : text}${text.endsWith("\n") ? "" : "\n"}`;
}

function told(diagnostic: Diagnostic, before: Diagnostic[]): boolean {
  return before.some((other) => other.code === diagnostic.code && other.message === diagnostic.message && other.line === diagnostic.line);
}

function spaced(text: string): string {
  return text === "" ? "" : `${text}\n`;
}

/** A plan with errors does not run: it is told what is wrong, as text or as the report of a run that never began. */
function refuse(read: Read, args: Arguments, io: Io): number {
  const { diagnostics } = read;
  const message = `the plan has ${tally(diagnostics)}`;
  if (args.has("json")) {
    const outcome = { type: "failed", code: "run/invalid-plan", message, diagnostics };
    const counts = { steps: 0, calls: 0, retries: 0 };
    io.out.write(`${JSON.stringify({ outcome, last: null, outputs: {}, path: [], trace: [], durationMs: 0, counts, planHash: null, diagnostics })}\n`);
  } else {
    const look = lookOf(io.err, io);
    io.err.write(`${renderDiagnostics(diagnostics, read.source, look)}\n${look.style.red(look.style.bold("not run"))}: ${message}\n`);
  }
  return BAD_PLAN;
}
