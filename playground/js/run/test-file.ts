/** Makes a test of the run that the page shows: its answers become stubs, and the user chooses what it expects. */
import type * as Engine from "stepgraph/web";
import type { RunnerMessage, TestRequest } from "./protocol.js";

export async function testOfRun(
  engine: typeof Engine,
  { plan, cassette, expect, into }: TestRequest,
): Promise<RunnerMessage> {
  const { graph } = engine.PlanGraph.parse(plan);
  if (!graph?.valid) return { type: "test-made", problem: "the plan has errors" };
  try {
    const test = await engine.testFromRun(graph, cassette, { expect });
    if (into) return { type: "test-made", test };
    const text = engine.PlanGraph.print({ tests: [test] });
    return { type: "file", name: "run.test.yaml", kind: "application/yaml", text };
  } catch (error) {
    return { type: "test-made", problem: String((error as { message?: unknown }).message ?? error) };
  } finally {
    graph.free();
  }
}
