/** `stepgraph test` */
import { runTests, type TestOptions, testsOf, type TestResult } from "../node.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { clippedJson } from "../package-internals.js";
import { hasErrors, renderDiagnostics, tally, type RenderOptions, type Source } from "../terminal/diagnostics.js";
import { errorLines, jsonReport } from "./failure-report.js";
import { renderOptions, renderFailure, type Io } from "./io.js";
import { listModuleTools, readHostOption } from "./handlers.js";
import { limitHostCalls } from "./host-calls.js";
import { endOverdueCalls } from "./overdue-call.js";
import { readTimeout } from "./parse-values.js";
import { junit } from "./junit.js";
import { type LockFile, lockedTools, requiredLock, withLockHelp } from "./lock-file.js";
import { closestName } from "./suggest.js";
import { outputFormat, UsageError, type Arguments } from "./options.js";
import { isStubs, checkedPlan, type ParsedFile, readStubsFile, type ReadStubs } from "./read-plan.js";
import { extraReport, readExtras, type TestedPlan } from "./test-extras.js";
import { plain } from "../terminal/style.js";
import { pluralize, visible } from "../terminal/text.js";
import { type Failure, toFailure } from "./usage-error.js";

interface FileResult {
  file: string;
  results: TestResult[];
  /** Also those that the filter excludes. */
  names: string[];
  /** Why it was not tested. */
  problem: string | null;
  diagnostics?: Diagnostic[];
  /** Why the file or its lock can't be read. */
  error?: Failure;
  /** For coverage and mutants. */
  tested?: TestedPlan;
}

/** What `--locked` compares a plan with. */
interface Locked {
  lock: LockFile;
  /** The tools of the module. */
  own: readonly ToolInfo[];
}

/** Default limit of a module's call. */
const CALL_MS = 10_000;
/** For documents without colours. */
const PLAIN: RenderOptions = { style: plain, columns: 100 };

export async function testCommand(args: Arguments, io: Io): Promise<number> {
  const form = outputFormat(args);
  const extras = readExtras(args);
  const given = args.single("stubs");
  const all: FileResult[] = [];
  const beside = given === undefined ? null : readStubsFile(given);
  const stubs = beside?.stubs ?? {};
  const module = await readHostOption(args);
  const { handlers = {}, tools, models } = module;
  const own = args.has("locked") ? await listModuleTools(module) : [];
  limitHostCalls(readTimeout(args.single("timeout")).timeoutMs ?? CALL_MS);
  const host = { stubs, handlers, ...(tools && { tools }), ...(models && { models }) };
  const isBad = beside !== null && hasErrors(beside.diagnostics);
  if (isBad) all.push(stubsFailed(given!, beside, form, io));
  // A shell pattern may also match stubs.
  for (const file of args.operands.filter((name) => !isStubs(name)))
    all.push(...(isBad ? untestedFiles(file, form, io) : [await testFile(file, host, own, args, io)]));
  const results = all.flatMap(({ results }) => results);
  if (results.length === 0 && all.every(({ problem }) => problem === null)) assertSelected(all, args);
  const failed = results.filter(({ passed }) => !passed).length;
  const passed = results.length - failed;
  const tested = all.flatMap((one) => one.tested ?? []);
  const report = await extraReport(tested, extras);
  if (form === "json") {
    const files = all.map((one) => ({ ...toJson(one), ...report.files.get(one.file) }));
    io.out.write(`${JSON.stringify({ files, passed, failed, ...report.totals })}\n`);
  } else if (form === "junit") io.out.write(junit(all));
  // JUnit's document has no place for them.
  if (form !== "json") {
    const stream = form === "junit" ? io.err : io.out;
    stream.write(report.text(renderOptions(stream, io)));
  }
  if (form === "text" && !isBad) {
    const { style } = renderOptions(io.out, io);
    const words = `${passed} passed, ${failed} failed`;
    io.out.write(`${style.bold(failed > 0 ? style.red(words) : words)}\n`);
  }
  for (const message of report.failures)
    io.err.write(renderFailure({ code: "cli/below-minimum", message }, renderOptions(io.err, io)));
  if (all.some(({ problem }) => problem !== null)) return 2;
  return failed > 0 || report.failures.length > 0 ? 1 : 0;
}

function stubsFailed(file: string, { diagnostics, source }: ReadStubs, form: string, io: Io): FileResult {
  if (form === "text") {
    const options = renderOptions(io.out, io);
    const why = `${options.style.bold(visible(file))}: nothing tested, the stubs have ${tally(diagnostics)}`;
    io.out.write(`${renderDiagnostics(diagnostics, source, options)}\n${why}\n`);
  }
  const problem = `the stubs have ${tally(diagnostics)}\n${renderDiagnostics(diagnostics, source, PLAIN)}`;
  return { file, results: [], names: [], problem, diagnostics };
}

/** Invalid stubs must not hide a plan's errors. */
function untestedFiles(file: string, form: string, io: Io): FileResult[] {
  const read = readTestedPlan(file);
  if (form === "text" && read.found.length > 0)
    io.out.write(`${renderDiagnostics(read.found, read.source, renderOptions(io.out, io))}\n`);
  return read.problem === null
    ? []
    : [{ file, results: [], names: [], problem: read.problem, diagnostics: read.found }];
}

function readTestedPlan(file: string, locked: Locked | null = null) {
  const { graph, diagnostics, source, text } = locked === null ? checkedPlan(file) : checkedWithLock(file, locked);
  // `check` reports the rest.
  const found = diagnostics.filter(({ severity, code }) => severity === "error" || code.startsWith("test/"));
  const isBad = !graph || hasErrors(diagnostics);
  const problem = isBad ? `the plan has ${tally(diagnostics)}\n${renderDiagnostics(diagnostics, source, PLAIN)}` : null;
  return { graph, diagnostics, source, text: text!, found, problem };
}

/** As `check` does. Tests need no handlers, so their types are not checked. */
function checkedWithLock(file: string, { lock, own }: Locked): ParsedFile {
  const read = checkedPlan(file, undefined, { tools: [...lockedTools(lock, own), ...own] });
  return { ...read, diagnostics: withLockHelp(read.diagnostics, lock.file) };
}

/** A pipeline without tests would succeed forever. */
function assertSelected(all: FileResult[], args: Arguments): void {
  const filter = args.single("filter");
  if (filter === undefined) return;
  const names = all.flatMap(({ names }) => names);
  const suggestion = closestName(filter, names);
  const known = names.slice(0, 5).map((name) => `\`${visible(name)}\``);
  throw new UsageError(
    "cli/not-found",
    `no test name contains \`${filter}\``,
    suggestion
      ? `did you mean \`${visible(suggestion)}\`?`
      : names.length === 0
        ? "the plans have no tests; add them under `tests`"
        : `there ${names.length === 1 ? "is" : "are"} ${known.join(", ")}${names.length > 5 ? ` and ${`${names.length - 5} more`}` : ""}`,
  );
}

async function testFile(
  file: string,
  host: Omit<TestOptions, "filter">,
  own: readonly ToolInfo[],
  args: Arguments,
  io: Io,
): Promise<FileResult> {
  const shown = renderOptions(io.out, io);
  const quiet = outputFormat(args) !== "text";
  const print = (text: string) => void (quiet || io.out.write(text));
  try {
    const lock = requiredLock(file, args);
    const { graph, diagnostics, source, text, found, problem } = readTestedPlan(file, lock && { lock, own });
    if (found.length > 0) print(`${renderDiagnostics(found, source, shown)}\n`);
    if (!graph || problem !== null) {
      print(`${shown.style.bold(visible(file))}: not tested, the plan has ${tally(diagnostics)}\n`);
      return { file, results: [], names: [], problem, diagnostics: found };
    }
    const names = testsOf(graph).map(({ name }) => name);
    const number = names.length;
    print(
      `${shown.style.bold(visible(file))}: ${number === 0 ? "no tests; add them under `tests` in the plan" : pluralize(number, "test")}\n`,
    );
    endOverdueCalls({ graph, source }, undefined, io, false);
    const options = { filter: args.single("filter") ?? "", ...host, ...(lock && { lock: lock.lock }) };
    const results = await runTests(graph, options);
    for (const result of results) print(`${resultLines(result, source, shown).join("\n")}\n`);
    const tested = { file, graph, source, text: text(), names, results, options };
    return { file, results, names, problem: null, tested };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(renderFailure(error, shown));
    return { file, results: [], names: [], problem: error.message, error: toFailure(error) };
  }
}

function resultLines(
  { name, passed, differences, report }: TestResult,
  source: Source,
  options: RenderOptions,
): string[] {
  const { style, columns } = options;
  // Long enough for most messages, which terminals wrap.
  const space = Math.max(300, columns - 16);
  const mark = passed ? style.green("✓") : style.red("✗");
  const { outcome, error } = report;
  const failure =
    outcome.type === "failed" && differences.some(({ path }) => path === "outcome" || path === "code") ? outcome : null;
  return [
    `  ${mark} ${visible(name)}`,
    ...differences
      .slice(0, 12)
      .flatMap(({ path, expected, got }) => [
        `      ${style.bold(visible(path))}`,
        `        expected  ${style.green(visible(clippedJson(expected, space)))}`,
        `        got       ${style.red(visible(clippedJson(got, space)))}`,
      ]),
    ...(differences.length > 12 ? [`      and ${pluralize(differences.length - 12, "more difference")}`] : []),
    ...(failure?.diagnostics ?? []).slice(0, 5).map(({ code, message }) => `      ${visible(`${code}: ${message}`)}`),
    ...(failure?.node === undefined
      ? []
      : errorLines(failure.node, error, source, options).map((line) => `    ${line}`)),
  ];
}

function toJson({ file, results, problem, diagnostics, error: unread }: FileResult): object {
  const toResult = ({ name, passed, differences, report, durationMs }: TestResult) => {
    const { outcome, path, last, counts } = report;
    const { error } = jsonReport(report);
    return { name, passed, differences, outcome, path, last, counts, durationMs, ...(error && { error }) };
  };
  return {
    file,
    bad: problem !== null,
    tests: results.map(toResult),
    ...(diagnostics && { diagnostics }),
    ...(unread && { error: unread }),
  };
}
