/** `stepgraph types` never overwrites a file that it did not write. */
import { existsSync } from "node:fs";
import { review } from "../node.js";
import { DECLARATION_HEAD, declarationFile, indexTools, planDeclaration, withStubs } from "../package-internals.js";
import type { ToolInfo } from "../types.js";
import { hasErrors, renderDiagnostics, tally } from "../terminal/diagnostics.js";
import { pluralize } from "../terminal/text.js";
import { listServerTools } from "./check.js";
import { decode, readBytes, renderOptions, renderFailure, writeText, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { checkedPlan, isStubs, readStubs } from "./read-plan.js";

type Result = "changed" | "same" | "failed";

export async function typesCommand(args: Arguments, io: Io): Promise<number> {
  const plans = args.operands.filter((file) => !isStubs(file));
  assertPlans(plans, args);
  const tools = await knownTools(args, io);
  const results = plans.map((file) => writeTypes(file, tools, args, io));
  const number = (result: Result) => results.filter((one) => one === result).length;
  const [changed, failed] = [number("changed"), number("failed")];
  const checks = args.has("check");
  const parts = [
    `${pluralize(changed, "declaration")} ${checks ? "out of date" : "written"}`,
    `${pluralize(number("same"), "declaration")} up to date`,
    ...(failed > 0 ? [`${pluralize(failed, "plan")} with errors`] : []),
  ];
  if (!printsTypes(plans, args)) io.err.write(`${renderOptions(io.err, io).style.bold(parts.join(", "))}\n`);
  return failed > 0 ? 2 : checks && changed > 0 ? 1 : 0;
}

function assertPlans(plans: readonly string[], args: Arguments): void {
  if (plans.length === 0) throw new UsageError("cli/missing-argument", "the files are all stubs", "name a plan");
  if (plans.length > 1 && plans.includes("-"))
    throw new UsageError("cli/extra-argument", "standard input is one of several plans", "name it alone");
  if (plans.length > 1 && args.has("output"))
    throw new UsageError(
      "cli/extra-argument",
      "`--output` names one file, but there are several plans",
      "leave it out: each has its own",
    );
  if (args.has("check") && printsTypes(plans, args))
    throw new UsageError(
      "cli/missing-argument",
      "standard output is no file to check",
      "name the declaration by `--output FILE`",
    );
}

function printsTypes(plans: readonly string[], args: Arguments): boolean {
  return (args.single("output") ?? (plans.includes("-") ? "-" : "")) === "-";
}

/** Null if no option tells the tools. */
async function knownTools(args: Arguments, io: Io): Promise<ToolInfo[] | null> {
  const listed = await listServerTools(args, io);
  const stubs = args.single("stubs");
  return stubs === undefined ? listed : withStubs(listed ?? [], readStubs(stubs));
}

function writeTypes(file: string, tools: ToolInfo[] | null, args: Arguments, io: Io): Result {
  try {
    const text = declarationText(file, tools, io);
    if (text === null) return "failed";
    if (!printsTypes([file], args))
      return update(args.single("output") ?? declarationOf(file), text, args.has("check"), io);
    io.out.write(text);
    return "same";
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.err.write(renderFailure(error, renderOptions(io.err, io)));
    return "failed";
  }
}

/** Null after it reported errors. */
function declarationText(file: string, tools: ToolInfo[] | null, io: Io): string | null {
  const { graph, diagnostics, source } = checkedPlan(file);
  if (graph === null || hasErrors(diagnostics)) {
    const shown = renderDiagnostics(diagnostics, source, renderOptions(io.err, io));
    io.err.write(`${shown}\nno types written: the plan has ${tally(diagnostics)}\n`);
    return null;
  }
  const places = indexTools(tools ?? []);
  const outputSchema = (name: string): unknown => tools?.[places.get(name) ?? -1]?.output_schema;
  return planDeclaration({ graph, review: review(graph, { tools }), outputSchema });
}

function declarationOf(plan: string): string {
  const file = declarationFile(plan);
  if (file !== null) return file;
  throw new UsageError(
    "cli/bad-value",
    `\`${plan}\` has no ending, so no declaration can have its name`,
    "rename it to `.yaml`",
  );
}

function update(file: string, text: string, checks: boolean, io: Io): Result {
  // Git may write other line breaks.
  const before = existsSync(file) ? decode(readBytes(file)).replaceAll("\r\n", "\n") : null;
  if (before === text) return "same";
  if (checks) io.out.write(`${file}\n`);
  else {
    if (before !== null && !before.startsWith(DECLARATION_HEAD))
      throw new UsageError(
        "cli/unwritable-file",
        `\`${file}\` was not written by this command`,
        "move it away, or name another by `--output`",
      );
    writeText(file, text);
  }
  return "changed";
}
