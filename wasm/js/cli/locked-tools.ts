/** Plans and current tools, for `lock` and `drift`. */
import { checkOn } from "../package-internals.js";
import type { PlanGraph } from "../graph.js";
import type { Diagnostic, ToolInfo } from "../types.js";
import { hasErrors, renderDiagnostics, Source, tally } from "../terminal/diagnostics.js";
import { visible } from "../terminal/text.js";
import { listServerTools } from "./check.js";
import { listModuleTools, readHostOption } from "./handlers.js";
import { displayName, renderOptions, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { isStubs, readPlan } from "./read-plan.js";

export interface ReadPlan {
  file: string;
  graph: PlanGraph;
  source: Source;
}

/** Skips stubs. */
export function planFiles(args: Arguments): string[] {
  const plans = args.operands.filter((file) => !isStubs(file));
  if (plans.length === 0) throw new UsageError("cli/missing-argument", "the files are all stubs", "name a plan");
  const twice = plans.find((file, at) => plans.indexOf(file) !== at);
  if (twice !== undefined)
    throw new UsageError("cli/extra-argument", `\`${twice}\` is named twice`, "leave one of them out");
  return plans;
}

/** Null after it reported errors. */
export function readPlans(files: readonly string[], io: Io): ReadPlan[] | null {
  const read = files.map((file) => {
    const { graph, diagnostics, source, text } = readPlan(file);
    // Only with the tools is it known what a test of the plan can come to.
    const own = graph === null ? [] : checkOn(graph, {}).filter(({ code }) => !code.startsWith("test/"));
    const all = [...diagnostics, ...own];
    return { file, graph, diagnostics: all, source: new Source(displayName(file), text!(), source.files) };
  });
  const bad = read.filter(({ graph, diagnostics }) => graph === null || hasErrors(diagnostics));
  for (const { diagnostics, source } of bad) reportPlan(source, diagnostics, io);
  return bad.length > 0 ? null : (read as ReadPlan[]);
}

export function reportPlan(source: Source, diagnostics: Diagnostic[], io: Io): void {
  const shown = renderDiagnostics(diagnostics, source, renderOptions(io.err, io));
  io.err.write(`${shown}\n${visible(source.name)} has ${tally(diagnostics)}\n`);
}

/** Throws {@link UsageError} without servers and module, `ServerError` if a needed server does not answer. */
export async function currentTools(
  args: Arguments,
  io: Io,
  isNeeded: (server: string) => boolean,
): Promise<ToolInfo[]> {
  const listed = await listServerTools(args, io, isNeeded);
  const module = args.has("handlers") ? await readHostOption(args) : null;
  if (listed === null && module === null)
    throw new UsageError(
      "cli/missing-argument",
      "no server is named",
      "name the servers of the plans by `--server NAME=URL` or `--mcp-config FILE`",
    );
  return [...(listed ?? []), ...(module === null ? [] : await listModuleTools(module))];
}
