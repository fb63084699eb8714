/** Makes a test of the shown run: answers become stubs, the user chooses expectations. */
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
