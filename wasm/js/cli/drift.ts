/** `stepgraph drift` */
import type { Drift, DriftProblem } from "../lock-types.js";
import type { ToolInfo } from "../types.js";
import type { PlanGraph, ToolLock } from "../node.js";
import { checkOn, fileTexts } from "../package-internals.js";
import { hasErrors, Source } from "../terminal/diagnostics.js";
import { fixText } from "./drift-edits.js";
import { changeLines, closingLine, problemText } from "./drift-report.js";
import { renderOptions, writeText, type Io } from "./io.js";
import { type LockFile, lockOf } from "./lock-file.js";
import { planFiles, type ReadPlan, readPlans, currentTools } from "./locked-tools.js";
import { UsageError, type Arguments } from "./options.js";
import { parsePlanFile } from "./plan-folder.js";

export interface ComparedPlan extends ReadPlan {
  problems: DriftProblem[];
  fixed: number;
}

export async function driftCommand(args: Arguments, io: Io): Promise<number> {
  const files = planFiles(args);
  if (args.has("fix") && files.includes("-"))
    throw new UsageError(
      "cli/conflicting-options",
      "standard input can't be fixed",
      "name a file, or leave out `--fix`",
    );
  const { file, lock } = commonLock(files, args);
  const plans = readPlans(files, io);
  if (plans === null) return 2;
  const servers = new Set(lock.tools.map(({ server }) => server));
  const tools = await currentTools(args, io, (server) => servers.has(server));
  const graphs = plans.map(({ graph }) => graph);
  const drift = lock.drift(tools, graphs);
  const compared = plans.map((plan, at) => {
    const problems = drift.plans[at]!;
    return args.has("fix") ? fixPlan({ ...plan, problems, fixed: 0 }, lock, tools) : { ...plan, problems, fixed: 0 };
  });
  const breaks = compared.some(({ problems }) => problems.some(({ severity }) => severity === "error"));
  if (args.has("json")) io.out.write(`${JSON.stringify(toJson(file, drift, compared, breaks))}\n`);
  else report(file, lock, drift, compared, io);
  return breaks ? 1 : 0;
}

function commonLock(files: readonly string[], args: Arguments): LockFile {
  const found = files.map((plan) => lockOf(plan, args));
  const without = found.indexOf(null);
  if (without >= 0)
    throw new UsageError(
      "cli/not-found",
      `\`${files[without]}\` has no \`stepgraph.lock\``,
      "write one by `stepgraph lock PLAN... --server NAME=URL`, or name it by `--lock FILE`",
    );
  const [first, ...others] = found as [LockFile, ...LockFile[]];
  const other = others.find(({ file }) => file !== first.file);
  if (other !== undefined)
    throw new UsageError(
      "cli/extra-argument",
      `the plans have two locks, \`${first.file}\` and \`${other.file}\``,
      "name the plans of one lock at a time, or one lock by `--lock FILE`",
    );
  return first;
}

const errorsOf = (problems: readonly DriftProblem[]) => problems.filter(({ severity }) => severity === "error").length;

/** Writes only a valid plan with fewer errors. Renamed tools have a new warning. */
function fixPlan(plan: ComparedPlan, lock: ToolLock, tools: ToolInfo[]): ComparedPlan {
  const { file, source, problems } = plan;
  const { text, fixed } = fixText(source.text, problems, file.endsWith(".json"));
  if (fixed.length === 0) return plan;
  const { graph, diagnostics, files } = parsePlanFile(file, text);
  if (graph === null || hasErrors([...diagnostics, ...checkOn(graph, {})])) return plan;
  const [left = []] = lock.drift(tools, [graph]).plans;
  if (errorsOf(left) >= errorsOf(problems)) return plan;
  writeText(file, text, { help: "check the file's permissions" });
  const now = new Source(source.name, text, fileTexts(files));
  return { file, graph: graph as PlanGraph, source: now, problems: left, fixed: fixed.length };
}

function report(file: string, lock: ToolLock, drift: Drift, plans: readonly ComparedPlan[], io: Io): void {
  const options = renderOptions(io.out, io);
  for (const line of changeLines(drift.changes, options)) io.out.write(`${line}\n`);
  for (const plan of plans) io.out.write(problemText(plan, options));
  io.out.write(`${closingLine(file, lock, drift, plans, options)}\n`);
}

function toJson(file: string, { changes }: Drift, plans: readonly ComparedPlan[], breaks: boolean): unknown {
  return {
    lock: file,
    changes,
    plans: plans.map(({ file, problems, fixed }) => ({ file, problems, fixed })),
    breaks,
  };
}
