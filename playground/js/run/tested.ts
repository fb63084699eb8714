/** The tests beside a plan, run and told of. */
import type * as Engine from "stepgraph/web";
import { brief } from "./brief.js";
import type { Tested, Told } from "./protocol.js";

/** Runs the tests that stand in a plan. */
export async function tested(
  engine: typeof Engine,
  { plan, filter = "" }: { plan: string; filter?: string },
): Promise<Told> {
  const { graph, diagnostics } = engine.PlanGraph.parse(plan);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (!graph?.valid) return { type: "tested", results: [], problem: wrong?.message ?? "the plan has errors" };
  try {
    const results: Tested[] = (await engine.runTests(graph, { filter })).map(
      ({ name, passed, differences, report }) => ({
        name,
        passed,
        ms: report.durationMs,
        outcome: report.outcome.type,
        differences: differences.map(({ path, expected, got }) => ({
          place: path,
          expected: brief(expected),
          got: brief(got),
        })),
      }),
    );
    return { type: "tested", results };
  } catch (error) {
    return { type: "tested", results: [], problem: String((error as { message?: unknown }).message ?? error) };
  } finally {
    graph.free();
  }
}
