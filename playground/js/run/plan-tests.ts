/** Runs a plan's tests. */
import type * as Engine from "stepgraph/web";
import { truncate } from "./truncate.js";
import type { TestResult, RunnerMessage } from "./protocol.js";

export async function runPlanTests(
  engine: typeof Engine,
  { plan, filter = "" }: { plan: string; filter?: string },
): Promise<RunnerMessage> {
  const { graph, diagnostics } = engine.PlanGraph.parse(plan);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (!graph?.valid) return { type: "test-results", results: [], problem: wrong?.message ?? "the plan has errors" };
  try {
    const results: TestResult[] = (await engine.runTests(graph, { filter })).map(
      ({ name, passed, differences, report }) => ({
        name,
        passed,
        ms: report.durationMs,
        outcome: report.outcome.type,
        differences: differences.map(({ path, expected, got }) => ({
          path,
          expected: truncate(expected),
          got: truncate(got),
        })),
      }),
    );
    return { type: "test-results", results };
  } catch (error) {
    return { type: "test-results", results: [], problem: String((error as { message?: unknown }).message ?? error) };
  } finally {
    graph.free();
  }
}
