/**
 * Mutation tests of plans.
 *
 * Invariant: runs end after at most ten times the steps and time of the plan's longest test.
 */
import { PlanError } from "./errors.js";
import { checkOn } from "./check-plan.js";
import { assertPlan, PlanGraph } from "./graph.js";
import { assertOptions, type Kinds } from "./options.js";
import { type PlanTest, runTest, selectedTests, TEST, type TestOptions } from "./plan-tests.js";
import type { Diagnostic, PlanFiles, RunOptions } from "./types.js";

/** Options of `testMutants`, which sets limits itself. */
export interface MutationOptions extends Omit<TestOptions, "limits" | "signal"> {
  files?: PlanFiles;
}

/**
 * A result: a test failed (`killed`), none did (`survived`), the checker found errors (`rejected`), or the meaning is
 * the same (`equivalent`).
 */
export interface MutantResult {
  /** Among the passed texts. */
  readonly index: number;
  readonly status: "killed" | "survived" | "rejected" | "equivalent";
  readonly test?: string;
  readonly diagnostics?: readonly Diagnostic[];
}

const { limits: _limits, signal: _signal, ...shared } = TEST;
const KINDS: Kinds<MutationOptions> = { ...shared, files: "{}text|bytes" };

const FACTOR = 10;
const MIN_STEPS = 1000;
const MIN_MS = 10_000;

/**
 * Runs a plan's tests against changed plans, each until one fails. `mutants` and `editPlan` of `stepgraph/editor` make
 * the texts.
 *
 * @throws PlanError `api/failing-test` if a test fails before any change. The first result rejects.
 * @example
 * for await (const { index, status } of testMutants(graph, texts))
 *   if (status === "survived") console.log(texts[index]);
 */
export function testMutants(
  graph: PlanGraph,
  texts: Iterable<string>,
  options: MutationOptions = {},
): AsyncGenerator<MutantResult, void, undefined> {
  assertPlan("testMutants", graph);
  assertOptions("testMutants", options, KINDS);
  if (typeof texts !== "object" || typeof (texts as Partial<typeof texts> | null)?.[Symbol.iterator] !== "function")
    throw new PlanError("api/bad-option", "`testMutants` expects a list of texts of plans");
  return testAll(graph, texts, options);
}

async function* testAll(
  graph: PlanGraph,
  texts: Iterable<string>,
  options: MutationOptions,
): AsyncGenerator<MutantResult, void, undefined> {
  const bounds = await boundsOf(graph, options);
  let index = 0;
  for (const text of texts) yield { index: index++, ...(await testMutant(graph, text, options, bounds)) };
}

interface Bounds {
  steps: number;
  ms: number;
}

/** The plan itself must pass. */
async function boundsOf(graph: PlanGraph, host: TestOptions): Promise<Bounds> {
  let [steps, ms] = [0, 0];
  for (const one of selectedTests(graph, host)) {
    const { name, passed, report, durationMs } = await runTest(graph, one, host);
    if (!passed)
      throw new PlanError(
        "api/failing-test",
        `the test \`${name}\` fails without a change: mutants need tests that pass`,
      );
    steps = Math.max(steps, report.counts.steps);
    ms = Math.max(ms, durationMs);
  }
  const { limits } = graph.toJSON() as { limits?: { steps?: number } | null };
  return {
    steps: Math.min(limits?.steps ?? Infinity, steps * FACTOR + MIN_STEPS),
    ms: Math.max(ms * FACTOR, MIN_MS),
  };
}

async function testMutant(
  graph: PlanGraph,
  text: string,
  { files, ...host }: MutationOptions,
  bounds: Bounds,
): Promise<Omit<MutantResult, "index">> {
  if (typeof text !== "string") throw new PlanError("api/bad-text", "a changed plan is text");
  const { graph: mutant, diagnostics: read } = PlanGraph.parse(text, files ? { files } : {});
  if (mutant === null) return { status: "rejected", diagnostics: read };
  try {
    const diagnostics = [...read, ...checkOn(mutant, {})].filter(({ severity }) => severity === "error");
    if (diagnostics.length > 0) return { status: "rejected", diagnostics };
    if (mutant.hash === graph.hash) return { status: "equivalent" };
    for (const one of selectedTests(mutant, host))
      if (!(await passes(mutant, one, host, bounds))) return { status: "killed", test: one.name };
    return { status: "survived" };
  } finally {
    mutant.free();
  }
}

async function passes(mutant: PlanGraph, one: PlanTest, host: TestOptions, { steps, ms }: Bounds): Promise<boolean> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ms);
  const bounds: Pick<RunOptions, "limits" | "signal"> = { limits: { steps }, signal: timeout.signal };
  try {
    return (await runTest(mutant, one, host, bounds)).passed;
  } finally {
    clearTimeout(timer);
  }
}
