/** `stepgraph plan` */
import { check, flows, PlanGraph, review, type Review } from "../node.js";
import type { Diagnostic, Report, RunOptions, ToolClient, ToolInfo } from "../types.js";
import type { Authored } from "../flows.js";
import { withSecretsOf } from "../package-internals.js";
import { failedLines, foundLines, lackingLines, plannedLines, type RunCommandLine } from "./plan-report.js";
import { hasErrors, Source } from "../terminal/diagnostics.js";
import { renderOptions, writeText, type Io } from "./io.js";
import type { Arguments } from "./options.js";
import { failureLines } from "./failure-report.js";
import { knownDemands, plannedDemands, blockingDemands } from "./request-demands.js";
import { exitCode, reportRun, rendererFor, runObserved } from "./run.js";
import { PlanProgress } from "./plan-progress.js";
import { summaryLine } from "./run-lines.js";
import { readInput, readPairs } from "./parse-values.js";
import { visible } from "../terminal/text.js";
import { coerceText } from "./coerce-text.js";
import { renderPlan } from "./plan-writer.js";
import { shortServerArgument, defaultServerName, readPlanRequest, type PlanRequest } from "./plan-request.js";

/** The user must change the request or add a value. */
const EXIT_INCOMPLETE = 3;
const EXIT_FAILED = 1;
const EXIT_CANCELLED = 130;

export async function planCommand(args: Arguments, io: Io): Promise<number> {
  const quiet = args.has("json") || args.has("quiet");
  const request = readPlanRequest(args, io, (text) => void (quiet || io.err.write(`${visible(text)}\n`)));
  const lent = request.servers.map(({ client }) => shareClient(client, (tools) => request.tools.push(...tools)));
  try {
    const graph = flows.author.graph();
    const renderer = args.has("verbose")
      ? rendererFor(graph, args, io)
      : new PlanProgress(() => renderOptions(io.err, io));
    const { report } = await runObserved(graph, { ...request.options, tools: lent }, args, io, {
      renderer,
      savesSnapshot: false,
    });
    return await reportResult(report, request, { ...request.options, tools: lent }, args, io);
  } finally {
    await Promise.allSettled(request.servers.map(({ client }) => client.close()));
  }
}

/** Lists tools once, and stays open after a run. */
function shareClient(client: ToolClient, listed: (tools: ToolInfo[]) => void): ToolClient {
  let tools: Promise<ToolInfo[]> | undefined;
  const list = async (signal?: AbortSignal): Promise<ToolInfo[]> => {
    tools ??= client.list(signal).then((all) => {
      const own = all.map((tool) => ({ server: client.name, ...tool }));
      listed(own);
      return own;
    });
    return tools;
  };
  return { ...withSecretsOf(client), name: client.name, list, call: client.call.bind(client), close: async () => {} };
}

async function reportResult(
  report: Report,
  request: PlanRequest,
  options: RunOptions,
  args: Arguments,
  io: Io,
): Promise<number> {
  const look = renderOptions(io.err, io);
  if (report.outcome.type !== "completed") {
    if (args.has("json")) io.out.write(`${JSON.stringify({ ...emptyResult(report), report })}\n`);
    else if (report.outcome.type === "failed")
      io.err.write(
        `${failureLines(report.outcome, request.servers, look).join("\n")}\n${summaryLine(report, look.style)}\n`,
      );
    else io.err.write(`${summaryLine(report, look.style)}\n`);
    return report.outcome.type === "cancelled" ? EXIT_CANCELLED : EXIT_FAILED;
  }
  const result = report.last as Authored;
  const planning = { report, result, request, options };
  if (result.status === "planned") return writeGeneratedPlan(planning, args, io);
  if (result.status === "found") return useKnownPlan(planning, args, io);
  if (result.status === "failed") return reportFailure(planning, args, io);
  printJson({ ...result }, report, args, io);
  if (!args.has("json")) io.err.write(`${lackingLines(report, result, commandOf(args, io), look).join("\n")}\n`);
  return EXIT_INCOMPLETE;
}

interface Planning {
  report: Report;
  result: Authored;
  request: PlanRequest;
  options: RunOptions;
}

type InputSchemas = Record<string, { type?: unknown; default?: unknown } | null>;

/** `--input` overrides the request. */
function inputValues(params: Record<string, unknown>, schemas: InputSchemas, args: Arguments): Record<string, unknown> {
  const given = args.has("input") ? (readInput(undefined, args.all("input")) as Record<string, unknown>) : {};
  return Object.fromEntries(
    Object.entries({ ...declaredParams(params, schemas), ...given }).map(([name, value]) => [
      name,
      coerceText(value, schemas[name]?.type),
    ]),
  );
}

function withoutValue(names: string[], params: Record<string, unknown>, schemas: InputSchemas): string[] {
  return names.filter((name) => !Object.hasOwn(params, name) && schemas[name]?.default === undefined);
}

async function writeGeneratedPlan(planning: Planning, args: Arguments, io: Io): Promise<number> {
  const { report, result, request } = planning;
  const inputs = (result.workflow!.inputs ?? {}) as InputSchemas;
  const params = inputValues(result.params, inputs, args);
  const missing = withoutValue(Object.keys(inputs), params, inputs);
  const draft = {
    request: request.request,
    workflow: result.workflow!,
    params: result.params,
    missing,
    missingCapabilities: result.missing_capabilities,
    coverage: result.coverage,
    outputs: report.outputs,
  };
  const { yaml, servers } = renderPlan(draft, request.servers, request.tools);
  const file = args.single("output") ?? null;
  const { graph, diagnostics: found } = PlanGraph.parse(yaml);
  const diagnostics = graph === null ? found : [...found, ...check(graph, { tools: request.tools })];
  if (!graph?.valid || hasErrors(diagnostics))
    return reportFailure({ ...planning, result: { ...result, status: "failed" } }, args, io);
  if (file !== null) writeText(file, yaml);
  const reviewed = review(graph, { tools: request.tools });
  const isPartial = args.has("partial");
  const demanded = { request: request.request, workflow: graph.toJSON(), params, result, tools: request.tools };
  const demands = plannedDemands({ ...demanded, isPartial });
  const isWhole = result.unresolved.length === 0 && blockingDemands(demands).length === 0;
  const runs = args.has("yes") && missing.length === 0 && isWhole;
  const source = new Source(file ?? "the plan", yaml);
  if (!args.has("json")) {
    // Standard output of `--yes` is the run's.
    if (file === null) writeSeparated(runs ? io.err : io.out, yaml, io);
    if (!args.has("quiet")) {
      const typed = commandOf(args, io);
      const command = {
        ...typed,
        servers: typed.servers.filter((word) => servers.includes(word.replace(/=.*/s, ""))),
        missing,
        asks: reviewed.models.length > 0,
      };
      const plan = { file: file ?? undefined, diagnostics, source, reviewed, demands };
      const lines = plannedLines(report, { ...result, params }, plan, command, renderOptions(io.err, io));
      io.err.write(`${lines.join("\n")}\n`);
    }
  }
  const written = { plan: graph.toJSON(), yaml, file };
  if (!runs) {
    const reviews = { ...reviewJsonOf(reviewed), demands };
    const json = { ...result, params, missing_params: missing, ...written, diagnostics, ...reviews };
    printJson(json, report, args, io);
    return args.has("yes") ? EXIT_INCOMPLETE : 0;
  }
  if (!args.has("json") && !args.has("quiet")) io.err.write("\n");
  const extra = { ...result, ...written, ...reviewJsonOf(reviewed), demands };
  return runGenerated({ graph, file: file ?? "the plan", source, params, extra }, planning, args, io);
}

async function useKnownPlan(planning: Planning, args: Arguments, io: Io): Promise<number> {
  const { report, result, request } = planning;
  const known = request.known.find(({ name }) => name === result.workflow_name);
  if (known === undefined) {
    const message = `there is no plan \`${result.workflow_name}\``;
    return reportFailure({ ...planning, result: { ...result, status: "failed", message } }, args, io);
  }
  const { graph, file } = known;
  const schemas = (known.inputs ?? {}) as InputSchemas;
  const params = inputValues(result.params, schemas, args);
  const missing = withoutValue(result.missing_params, params, schemas);
  const demanded = { request: request.request, workflow: graph.toJSON(), params, result, tools: request.tools };
  const demands = knownDemands(demanded);
  const runs = args.has("yes") && missing.length === 0 && blockingDemands(demands).length === 0;
  if (!args.has("json")) {
    if (!runs) io.out.write(`${file}\n`);
    if (!args.has("quiet")) {
      const reviewed = review(graph, { tools: request.tools });
      const command = { ...commandOf(args, io), missing, asks: reviewed.models.length > 0 };
      const lines = foundLines(report, result, { file, params, reviewed, demands }, command, renderOptions(io.err, io));
      io.err.write(`${lines.join("\n")}\n`);
    }
  }
  if (!runs) {
    printJson({ ...result, params, missing_params: missing, file, demands }, report, args, io);
    return args.has("yes") ? EXIT_INCOMPLETE : 0;
  }
  if (!args.has("json") && !args.has("quiet")) io.err.write("\n");
  const plan = { graph, file, source: new Source(file, ""), params, extra: { ...result, file, demands } };
  return runGenerated(plan, planning, args, io);
}

function reportFailure({ report, result, request }: Omit<Planning, "options">, args: Arguments, io: Io): number {
  const last = report.outputs.generated_workflow;
  const file = args.single("keep");
  const lastReply = report.trace.findLast(
    (event) => event.type === "model-replied" && event.node === "workflow_generator",
  );
  // Only the user names servers.
  const plan = typeof last === "object" && last !== null ? PlanGraph.print({ ...last, servers: undefined }) : null;
  const text = plan ?? (lastReply?.type === "model-replied" ? lastReply.reply.text : "");
  if (file !== undefined && text !== "") writeText(file, text.endsWith("\n") ? text : `${text}\n`);
  const source = new Source(file ?? "the last plan", text);
  const read = plan === null ? null : PlanGraph.parse(plan);
  const diagnostics: Diagnostic[] =
    read === null
      ? []
      : [...read.diagnostics, ...(read.graph ? check(read.graph, { tools: request.tools }) : [])].filter(
          ({ severity }) => severity === "error",
        );
  printJson({ ...result, diagnostics, generated: text === "" ? null : text }, report, args, io);
  if (!args.has("json"))
    io.err.write(
      `${failedLines(report, result, { diagnostics, source, kept: file !== undefined && text !== "" ? file : null }, renderOptions(io.err, io)).join("\n")}\n`,
    );
  return EXIT_FAILED;
}

interface RunnablePlan {
  graph: PlanGraph;
  file: string;
  source: Source;
  params: Record<string, unknown>;
  extra: Record<string, unknown>;
}

/** A plan rejects undeclared inputs. */
function declaredParams(params: Record<string, unknown>, inputs: object): Record<string, unknown> {
  if (Object.keys(inputs).length === 0) return params;
  return Object.fromEntries(Object.entries(params).filter(([name]) => Object.hasOwn(inputs, name)));
}

async function runGenerated(
  { graph, file, source, params, extra }: RunnablePlan,
  { report: authoring, request, options }: Planning,
  args: Arguments,
  io: Io,
): Promise<number> {
  const { input: _input, ...host } = options;
  const own: RunOptions = {
    ...host,
    input: Object.keys(params).length > 0 ? params : null,
    context: readPairs("context", args.all("context")),
  };
  if (args.has("allow")) own.allow = args.all("allow").includes("*") || args.all("allow");
  const { report, snapshotFile } = await runObserved(graph, own, args, io);
  if (args.has("json")) printJson({ ...extra, run: report }, authoring, args, io);
  else reportRun(report, { graph, diagnostics: [], source, file, servers: request.servers, snapshotFile }, args, io);
  return exitCode(report, graph);
}

function commandOf(args: Arguments, { env }: Io): RunCommandLine {
  return {
    file: args.single("output") ?? "FILE",
    servers: args.all("server").map((word, _, { length }) => shortServerArgument(defaultServerName(word), length, env)),
    model: ["model", "model-url"].flatMap((name) => (args.has(name) ? [`--${name}`, args.single(name)!] : [])),
    stubs: args.has("stubs") ? ["--stubs", args.single("stubs")!] : [],
    missing: [],
    asks: false,
    yes: args.has("yes"),
  };
}

function emptyResult({ outcome }: Report): Authored {
  return {
    status: "failed",
    message: outcome.type === "failed" ? outcome.message : `the run was ${outcome.type}`,
    workflow: null,
    workflow_name: null,
    params: {},
    missing_params: [],
    missing_capabilities: [],
    alternatives: [],
    errors: [],
    more_errors: 0,
    unresolved: [],
    coverage: [],
    warnings: [],
    missed_deadlines: [],
    generations: 0,
  };
}

function printJson(
  result: object,
  { counts, durationMs, diagnostics, outcome }: Report,
  args: Arguments,
  io: Io,
): void {
  if (args.has("json"))
    io.out.write(`${JSON.stringify({ ...result, report: { outcome, counts, durationMs, diagnostics } })}\n`);
}

function reviewJsonOf({ fingerprint, ...rest }: Review): object {
  return { fingerprint, review: rest };
}

function writeSeparated(stream: Io["out"], text: string, io: Io): void {
  const gap = stream.isTTY && io.err.isTTY ? "\n" : "";
  stream.write(`${gap}${text}${gap}`);
}
