/** `stepgraph run` */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { randomId, Redactor } from "../package-internals.js";
import { internals, type PlanGraph } from "../node.js";
import type { Diagnostic, Report, RunOptions, TraceEvent, CallUpdate } from "../types.js";
import { unknownAllowedTools } from "./check-allowed.js";
import { approvalOptions, assertDecisions, assertWaits } from "./approvals.js";
import { auditIds, auditLocation, isDatabase, openAuditTrail, reportAuditFailure, type AuditTrail } from "./audit.js";
import { cancelOnSignals } from "./cancellation.js";
import { StubsError } from "./stubs-error.js";
import { type HostModule, moduleConnections, readHostOption } from "./handlers.js";
import { BrokenServers } from "./broken-servers.js";
import { connections, serverWords, plannedServers, type Connection } from "./connections.js";
import { hasErrors, renderDiagnostics, Source, tally, type RenderOptions } from "../terminal/diagnostics.js";
import { lineColumns, renderOptions, readBytes, decode, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { checkOutputs, saveText, reportWriteFailure } from "./output-files.js";
import { checkedPlan, isStubDiagnostic, readPlan, sourceOf, planWithStubs, type ParsedFile } from "./read-plan.js";
import { EXIT_INVALID, failureLines, jsonReport, reportInvalid } from "./failure-report.js";
import { waitingLines } from "./resume-help.js";
import { planFile, priceRun, readOptions } from "./run-options.js";
import { RunDisplay, type EventRenderer } from "./run-display.js";
import { checkStoreOptions, type KeptRun, openKeptRun, reportStoreFailure } from "./kept-run.js";
import { endOverdueCalls } from "./overdue-call.js";
import { NdjsonFile } from "./ndjson-file.js";
import { createRunner } from "./telemetry.js";
import { visible, visibleLines } from "../terminal/text.js";
import { readJson, coerceInput } from "./parse-values.js";
import { writableReport } from "./unwritable-report.js";
import { checkUpgradeOptions, upgradedSnapshot, upgradeHelp } from "./upgrade.js";
import { columnsForNames, summaryLine, RunLines } from "./run-lines.js";

const EXIT = { completed: 0, failed: 1, paused: 4, cancelled: 130 } as const;
const EXIT_REJECTED = 3;
/** Failed before the first node: exit code of bad usage. */
const NOT_RUN = new Set([
  "tool/differs-from-lock",
  "run/invalid-plan",
  "run/unknown-price",
  "run/invalid-input",
  "run/plan-changed",
  "replay/unusable",
]);

export async function runCommand(args: Arguments, io: Io): Promise<number> {
  const file = planFile(args);
  checkStoreOptions(args);
  checkUpgradeOptions(args);
  checkOutputs(args, {
    writes: ["audit", "record", "snapshot", "tokens"],
    reads: ["handlers", "prices", "stubs", "resume", "replay", "fork", "plan-hash", "from"],
    also: [{ what: "the plan", file }],
  });
  let options: RunOptions;
  try {
    options = readOptions(args, io);
  } catch (error) {
    if (!(error instanceof StubsError)) throw error;
    // Servers or models may cover what stubs do not.
    const isAlone = !args.has("server") && !args.has("mcp-config") && !args.has("model") && !args.has("model-url");
    const plan = (isAlone ? planWithStubs : checkedPlan)(file, error.stubs);
    return reportInvalid([error, plan], { code: "run/invalid-stubs", message: error.message }, args, io);
  }
  const module = await readHostOption(args);
  Object.assign(options, module, { models: modelsOf(module, options) });
  const read = readPlan(file, options.stubs);
  if (!read.graph) {
    const message = `the plan has ${tally(read.diagnostics)}`;
    return reportInvalid([read], { code: "run/invalid-plan", message }, args, io);
  }
  // Only functions of a module can block the thread.
  if (args.has("handlers")) endOverdueCalls({ ...read, graph: read.graph }, options.limits, io, args.has("json"));
  priceRun(options, read.graph, args);
  if (options.snapshot) {
    const upgraded = await upgradedSnapshot(options.snapshot, { ...read, file, graph: read.graph }, args, io);
    if (typeof upgraded === "number") return upgraded;
    Object.assign(options, upgraded);
    if (!args.has("restart-at")) assertWaits(options.snapshot, options.decisions!);
  } else if (args.has("upgrade")) options.acceptChangedPlan = args.has("fork") ? true : "proved";
  if (!options.snapshot) assertDecisions(read.graph, options.decisions!, options.limits?.visits);
  if ("input" in options) options.input = coerceInput(options.input, args.all("input"), read.graph);
  if (!args.has("json")) {
    const isShown = (found: Diagnostic) => isOfRuns(found) && (found.severity === "error" || !args.has("quiet"));
    io.err.write(spaced(renderDiagnostics(read.diagnostics.filter(isShown), read.source, renderOptions(io.err, io))));
  }
  const quiet = args.has("json") || args.has("quiet");
  const tell = (text: string) => void (quiet || io.err.write(`${visible(text)}\n`));
  const broken = new BrokenServers(tell);
  const servers = [
    ...connections(serverWords(args, io), args, io, read.graph, tell, broken),
    ...moduleConnections(module, args.single("handlers")),
  ];
  options.tools = servers.map(({ client }) => client);
  const unknown = await unknownAllowedTools(read.graph, options, servers);
  if (unknown.length > 0) {
    await Promise.allSettled(servers.map(({ client }) => client.close()));
    const invalid = { diagnostics: unknown, source: new Source("--allow", "") };
    return reportInvalid([invalid], { code: "run/unknown-allowed", message: unknown[0]!.message }, args, io);
  }
  let report: Report;
  let snapshotFile: string | null;
  try {
    const kept = await openKeptRun(args, io);
    const run = await runObserved(read.graph, options, args, io, { kept, plan: { file, text: read.bundle! } });
    ({ report, snapshotFile } = run);
  } catch (error) {
    const code = reportAuditFailure(error, io) ?? reportStoreFailure(error, io);
    if (code === null) throw error;
    return code;
  }
  if (args.has("json")) io.out.write(`${JSON.stringify(jsonReport(report))}\n`);
  else reportRun(report, { ...read, file, servers, broken, snapshotFile }, args, io);
  return exitCode(report, read.graph);
}

/** A command-line model replaces the module's `default`. */
function modelsOf(module: HostModule, { models }: RunOptions): RunOptions["models"] {
  return module.models === undefined ? models : { ...module.models, ...models };
}

export function exitCode(report: Report, graph: PlanGraph): number {
  if (report.outcome.type === "failed" && NOT_RUN.has(report.outcome.code)) return EXIT_INVALID;
  return report.outcome.type === "completed" && isLastRejected(report, graph)
    ? EXIT_REJECTED
    : EXIT[report.outcome.type];
}

function isLastRejected(report: Report, graph: PlanGraph): boolean {
  const asking = new Set(graph.nodes.filter(({ type }) => type === "approve").map(({ id }) => id));
  if (asking.size === 0) return false;
  const last = report.trace.findLast((event) => event.type === "node-completed" && asking.has(event.node));
  return last?.type === "node-completed" && last.output === "rejected";
}

/** A completed run leaves no snapshot of itself: resuming that again would repeat its calls. */
function removeUsed(file: string, args: Arguments): void {
  const resumed = args.single("resume");
  if (resumed !== undefined && resolve(resumed) === resolve(file)) rmSync(file, { force: true });
}

/** Values are not redacted, because the run needs them. */
function saveSnapshot(report: Report, args: Arguments, io: Io): string | null {
  const { snapshot, outcome } = report;
  const file = args.single("snapshot");
  if (file !== undefined && outcome.type === "completed") removeUsed(file, args);
  if (file === undefined || snapshot === null) return null;
  const waiting = Object.keys(snapshot.asked ?? {});
  const run = auditIds.get(report);
  return saveText(file, `${JSON.stringify({ ...snapshot, waiting, ...(run && { run }) })}\n`, io);
}

export interface WatchOptions {
  renderer?: EventRenderer;
  kept?: KeptRun | null;
  plan?: { file: string; text: () => string };
  /** By `--snapshot`. */
  savesSnapshot?: boolean;
}

export interface ObservedRun {
  report: Report;
  /** Null without a snapshot. */
  snapshotFile: string | null;
}

export async function runObserved(
  graph: PlanGraph,
  options: RunOptions,
  args: Arguments,
  io: Io,
  { renderer, plan, kept = null, savesSnapshot = true }: WatchOptions = {},
): Promise<ObservedRun> {
  const forked = args.has("fork") ? readFork(args) : null;
  const runner = await createRunner(args, io);
  const lines = args.all("audit").find((name) => !isDatabase(name));
  const audit = lines === undefined ? null : new NdjsonFile(lines, "append");
  const record = args.single("record");
  const file = record === undefined ? null : new NdjsonFile(record, "anew");
  // Processes may share a file, so each line has the run's id.
  const id = options.runId ?? options.snapshot?.run ?? randomId();
  const redactor = new Redactor(options.context, options);
  const display =
    args.has("json") || args.has("quiet") ? null : new RunDisplay(io, renderer ?? rendererFor(graph, args, io));
  const onEvent = (event: TraceEvent) => {
    audit?.add(redactor.text({ ...event, run: id, plan: graph.hash }));
    display?.take(event);
  };
  const cancellation = cancelOnSignals(io.signal, () => {
    reportDraft(file, io);
    process.exit(EXIT.cancelled);
  });
  const all: RunOptions = {
    ...options,
    ...(audit && { runId: id }),
    ...(kept === null && approvalOptions(args, io, display)),
    signal: cancellation.signal,
  };
  if (audit || display) all.onEvent = onEvent;
  if (display?.live) all.onUpdate = (update: CallUpdate) => display.update(update);
  if (file) all.record = (line) => file.add(line);
  let trail: AuditTrail | null = null;
  try {
    trail = await openAuditTrail(graph, all, args, io, plan);
    const given = trail?.options ?? all;
    const running = kept
      ? kept.run(graph, given)
      : forked
        ? runner.fork(graph, { ...given, ...forked })
        : runner.run(graph, given);
    const ended = await (trail ? trail.end(running) : running);
    const report = writableReport(ended, graph, args.has("json"));
    // Before anything that takes time: a second Ctrl-C must not lose it.
    const snapshotFile = savesSnapshot ? saveSnapshot(report, args, io) : null;
    for (const failure of [audit?.close(), file?.close()]) if (failure) reportWriteFailure(failure, io);
    return { report, snapshotFile };
  } catch (error) {
    reportDraft(file, io);
    audit?.close();
    file?.keepDraft();
    throw error;
  } finally {
    cancellation.end();
    display?.end();
    trail?.close();
    await runner.end();
    await kept?.close();
    await Promise.allSettled((internals.toolClients(options.tools) ?? []).map((client) => client.close()));
  }
}

function reportDraft(file: NdjsonFile | null, io: Io): void {
  if (file?.draft) io.err.write(`the cassette so far is in \`${visible(file.draft)}\`\n`);
}

function readFork(args: Arguments): { cassette: string; at?: string; output?: unknown } {
  const [at, set] = [args.single("at"), args.single("set")];
  if ((at === undefined) !== (set === undefined))
    throw new UsageError(
      "cli/missing-argument",
      "`--at CALL` and `--set JSON` belong together",
      "write both, or neither to continue from the failure",
    );
  const cassette = decode(readBytes(args.single("fork")!));
  return at === undefined ? { cassette } : { cassette, at, output: readJson("--set", set!) };
}

export function rendererFor(graph: PlanGraph, args: Arguments, io: Io): EventRenderer {
  const { style } = renderOptions(io.err, io);
  return new RunLines({
    style,
    verbose: args.has("verbose"),
    names: columnsForNames(graph),
    columns: () => lineColumns(io.err, args.has("verbose")),
  });
}

export interface CompletedRun extends ParsedFile {
  file: string;
  servers: Connection[];
  broken?: BrokenServers;
  /** Null without a snapshot. */
  snapshotFile: string | null;
}

/** Those of tests and stubs are for `check` and `test`. */
function isOfRuns({ code }: Diagnostic): boolean {
  return !/^(test|stub)\//.test(code);
}

export function reportRun(report: Report, read: CompletedRun, args: Arguments, io: Io): void {
  const { file, graph, servers, broken } = read;
  const options = renderOptions(io.err, io);
  const { outcome } = report;
  const source = read.source.text === "" ? sourceOf(file, read.source.files) : read.source;
  const found = outcome.type === "failed" && outcome.diagnostics ? outcome.diagnostics : report.diagnostics;
  const news = found.filter(
    (diagnostic) =>
      !isReported(diagnostic, read.diagnostics) && (diagnostic.severity === "error" || !args.has("quiet")),
  );
  const stubsFile = args.single("stubs");
  const ofStubs = stubsFile === undefined ? [] : news.filter(isStubDiagnostic);
  const ofPlan = news
    .filter((diagnostic) => !ofStubs.includes(diagnostic))
    .map((diagnostic) => broken?.explain(diagnostic) ?? withFlagHelp(diagnostic, args, graph));
  io.err.write(spaced(renderDiagnostics(ofStubs, new Source(stubsFile ?? "", ""), options)));
  io.err.write(spaced(renderDiagnostics(ofPlan, source, options)));
  // Its errors stand above.
  const isInvalid =
    outcome.type === "failed" && outcome.code === "run/invalid-plan" && hasErrors(read.diagnostics.filter(isOfRuns));
  if (outcome.type === "failed" && !hasErrors(news) && !isInvalid)
    io.err.write(`${failureLines(outcome, servers, options, graph, { error: report.error, source }).join("\n")}\n`);
  if (outcome.type === "failed" && outcome.code === "run/plan-changed") io.err.write(upgradeHelp(args, options));
  if (!args.has("quiet")) io.err.write(`${closingLine(report, options)}\n${auditLocation(report, args, options)}`);
  if (outcome.type === "paused" || (outcome.type === "cancelled" && typeof read.snapshotFile === "string"))
    io.err.write(`${waitingLines(report, file, read.snapshotFile, args, options).join("\n")}\n`);
  const text = outcome.type === "completed" ? lastText(report.last, io) : "";
  // Separates output from progress on one terminal.
  if (text !== "" && !args.has("quiet") && io.out.isTTY && io.err.isTTY) io.err.write("\n");
  io.out.write(text);
}

/** A run that did not start has no duration. */
function closingLine(report: Report, options: RenderOptions): string {
  const { outcome, counts, diagnostics } = report;
  if (counts.steps > 0 || outcome.type !== "failed") return summaryLine(report, options.style);
  const why =
    outcome.code === "run/invalid-plan"
      ? `the plan has ${tally(outcome.diagnostics ?? diagnostics)}`
      : outcome.code === "run/invalid-input"
        ? "the input does not fit the plan"
        : outcome.code === "tool/differs-from-lock"
          ? "the tools differ from the lock"
          : "no node was reached";
  return `${options.style.red(options.style.bold("not run"))}: ${why}`;
}

/** Flags that provide the missing parts of a plan. */
const FLAGS = { "graph/unknown-tool": "server", "graph/unknown-model": "model-url", "graph/unknown-type": "handlers" };
const NEEDED = {
  "model-url": "name one by `--model-url URL`",
  handlers: "name the module that exports its handler by `--handlers FILE`",
  server: "name the server that has it by `--server URL`",
};

/** The library knows no flags. */
function withFlagHelp(diagnostic: Diagnostic, args: Arguments, graph: PlanGraph | null): Diagnostic {
  const flag = FLAGS[diagnostic.code as keyof typeof FLAGS] as keyof typeof NEEDED | undefined;
  // The help suggests a name, so it is a typo.
  if (flag === undefined || args.has(flag) || diagnostic.help?.startsWith("did you mean")) return diagnostic;
  const [planned] = graph && flag === "server" ? [...plannedServers(graph).keys()] : [];
  const what = planned === undefined ? NEEDED[flag] : `name the plan's server by \`--server ${planned}\``;
  const module = flag === "handlers" ? "" : ", a module by `--handlers FILE`";
  return { ...diagnostic, help: `${what}${module}, or stubs by \`--stubs FILE\`` };
}

/** Control characters become visible on a terminal. */
function lastText(last: unknown, io: Io): string {
  if (last === null || last === undefined) return "";
  const text = typeof last === "string" ? last : (JSON.stringify(last, null, 2) ?? "");
  return `${io.out.isTTY ? visibleLines(text) : text}${text.endsWith("\n") ? "" : "\n"}`;
}

function isReported(diagnostic: Diagnostic, before: Diagnostic[]): boolean {
  return before.some(
    (other) => other.code === diagnostic.code && other.message === diagnostic.message && other.line === diagnostic.line,
  );
}

function spaced(text: string): string {
  return text === "" ? "" : `${text}\n`;
}
