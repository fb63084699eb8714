/** Draws the picture of the home page: the plan of the start page, and its first test's path. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/lib/paths.mjs";
import { drawFlow } from "./drawing.mjs";

export async function drawHero() {
  const library = pathToFileURL(join(root, "dist", "node.js")).href;
  const { PlanGraph, runTests } = await import(/* @vite-ignore */ library);
  const [, text] = /```yaml\n([^]*?)```/.exec(readFileSync(join(root, "docs", "start.md"), "utf8"));
  const graph = PlanGraph.load(text);
  const [{ report }] = await runTests(graph);
  const plan = graph.toJSON();
  const steps = report.path.slice(1).map((to, at) => `${report.path[at]} ${to}`);
  const nodes = Object.entries(plan.nodes).map(([id, { type }]) => ({ id, type, isTaken: report.path.includes(id) }));
  const edges = plan.edges.map(({ from, to, condition }) => {
    return { from, to, label: condition ?? "", isTaken: steps.includes(`${from} ${to}`) };
  });
  return drawFlow({ nodes, edges, title: `A plan as a drawing. A run took the way ${report.path.join(", ")}.` });
}
