/** `stepgraph runs to-test` */
import { programName } from "./program-name.js";
import { PlanError, PlanGraph, type PlanTest, testFromRun, testsOf } from "../node.js";
import type { AuditStore, StoredRun } from "../integrations/audit/node.js";
import type { RunStore } from "../integrations/store/node.js";
import { Redactor } from "../package-internals.js";
import { hasErrors, tally } from "../terminal/diagnostics.js";
import { visible } from "../terminal/text.js";
import { decode, readBytes, renderOptions, writeText, type Io } from "./io.js";
import { UsageError, type Arguments } from "./options.js";
import { readPairs } from "./parse-values.js";
import { checkedPlan } from "./read-plan.js";
import { secretHolder } from "./runs-source.js";
import { shellQuote } from "./shell-quote.js";

/** `plan` is null unless stored. */
interface RecordedRun {
  lines: readonly string[];
  plan: PlanGraph | null;
}

export function storedToTest(store: AuditStore, run: StoredRun, args: Arguments, io: Io): Promise<number> {
  const lines = store.cassette(run.id);
  if (lines.length === 0)
    throw new UsageError(
      "cli/not-possible",
      `the run \`${run.id}\` has no cassette, so its answers are not known`,
      "keep cassettes: leave `cassette: false` out of the options of `audited`",
    );
  const text = args.has("into") || args.has("plan-file") ? null : store.plan(run.plan.hash);
  return toTest({ lines, plan: text === null ? null : PlanGraph.load(text) }, args, io);
}

export async function keptToTest(store: RunStore, id: string, args: Arguments, io: Io): Promise<number> {
  const context = args.all("context");
  const lines = await store.cassette(id, context.length > 0 ? { context: readPairs("context", context) } : {});
  const isOwn = args.has("into") || args.has("plan-file");
  return toTest({ lines, plan: isOwn ? null : await store.plan(id) }, args, io);
}

export function cassetteToTest(file: string, args: Arguments, io: Io): Promise<number> {
  return toTest({ lines: decode(readBytes(file)).split("\n"), plan: null }, args, io);
}

async function toTest({ lines: recorded, plan }: RecordedRun, args: Arguments, io: Io): Promise<number> {
  const lines = withoutKeys(recorded, io.env);
  const file = args.single("into") ?? args.single("plan-file");
  const graph = file === undefined ? plan : readPlanFile(file);
  if (graph === null)
    throw new UsageError(
      "cli/missing-argument",
      "the plan of the run is not known",
      "name it by `--plan-file FILE`, or by `--into FILE`",
    );
  const test = await madeTest(graph, lines, args);
  if (args.has("into")) return addTest(file!, graph, test, args, io);
  io.out.write(args.has("json") ? `${JSON.stringify(test)}\n` : PlanGraph.print({ tests: [test] }));
  return 0;
}

/** Lines without JSON are refused later. */
function withoutKeys(lines: readonly string[], env: Io["env"]): string[] {
  const redactor = new Redactor(undefined, { tools: [secretHolder(env)] });
  return lines.map((line) => {
    try {
      return JSON.stringify(redactor.value(JSON.parse(line)));
    } catch {
      return line;
    }
  });
}

function readPlanFile(file: string): PlanGraph {
  const { graph, diagnostics } = checkedPlan(file);
  if (graph !== null && !hasErrors(diagnostics)) return graph;
  throw new UsageError(
    "cli/invalid-file",
    `\`${file}\` has ${tally(diagnostics)}`,
    `see them with \`stepgraph check ${shellQuote(file)}\``,
  );
}

async function madeTest(graph: PlanGraph, lines: readonly string[], args: Arguments): Promise<PlanTest> {
  const name = args.single("name");
  const context = args.all("context");
  try {
    return await testFromRun(graph, lines, {
      ...(name !== undefined && { name }),
      ...(args.has("expect") && { expect: args.all("expect").flatMap((text) => text.split(",")) }),
      ...(context.length > 0 && { context: readPairs("context", context) }),
    });
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new UsageError(
      "cli/invalid-file",
      error.message,
      HELP[error.code] ?? "name a recording of this plan, made by `run --record`",
    );
  }
}

const HELP: Record<string, string> = {
  "run/plan-changed": "use the plan of the run: leave `--into` out, or check it out of your history",
  "test/not-a-whole-run": "choose a run that completed, failed or paused without being resumed",
  "test/differs": "give the values that it depends on by `--context`, or write this test by hand",
  "api/bad-option": "write it like `--expect outcome,outputs.fetch`",
};

/** Keeps the plan's comments and style. */
async function addTest(file: string, graph: PlanGraph, test: PlanTest, args: Arguments, io: Io): Promise<number> {
  if (file === "-")
    throw new UsageError(
      "cli/conflicting-options",
      "standard input can't be changed",
      "name a file, or leave `--into` out",
    );
  const { editPlan } = await import("../editor/node.js");
  const number = testsOf(graph).length;
  const edit =
    number === 0
      ? ({ op: "set_plan", path: ["tests"], value: [test] } as const)
      : ({ op: "set_plan", path: ["tests", number], value: test } as const);
  const { text, refused } = editPlan(decode(readBytes(file)), [edit]);
  if (refused !== null)
    throw new UsageError(
      "cli/not-possible",
      `can't add the test to \`${file}\`: ${refused.message}`,
      refused.help ?? "",
    );
  writeText(file, text);
  if (args.has("json")) io.out.write(`${JSON.stringify(test)}\n`);
  else {
    const { style } = renderOptions(io.err, io);
    io.err.write(`added the test ${style.bold(`\`${visible(test.name)}\``)} to \`${visible(file)}\`; run it: `);
    io.err.write(`${programName("test")} ${shellQuote(file)}\n`);
  }
  return 0;
}
