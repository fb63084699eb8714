/**
 * `stepgraph graph`: a plan as a drawing, or as the JSON that it means.
 */
import type { PlanGraph } from "../graph.js";
import { renderDiagnostics, tally } from "./diagnostics.js";
import { dot, mermaid, type Drawn } from "./drawing.js";
import { lookOf, type Io } from "./io.js";
import { near } from "./near.js";
import { UsageError, type Arguments } from "./options.js";
import { readPlan } from "./plan.js";

const FORMATS: Record<string, (graph: PlanGraph) => string> = {
  mermaid: (graph) => mermaid(drawn(graph)),
  dot: (graph) => dot(drawn(graph)),
  json: (graph) => `${JSON.stringify(graph, null, 2)}\n`,
};

/** What a drawing shows of a plan. */
function drawn(graph: PlanGraph): Drawn {
  return { start: graph.start, nodes: Object.fromEntries(graph.nodes.map((node) => [node.key, node])), edges: [...graph.edges] };
}

/** Draws a plan on standard output; gives the exit code. */
export async function graphCommand(args: Arguments, io: Io): Promise<number> {
  const name = args.one("output") ?? "mermaid";
  const draw = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!draw) {
    const meant = near(name, Object.keys(FORMATS));
    throw new UsageError(`there is no format \`${name}\``, meant ? `did you mean \`${meant}\`?` : "use `mermaid`, `dot` or `json`");
  }
  const { graph, diagnostics, source } = readPlan(args.operands[0]!);
  if (!graph) {
    io.err.write(`${renderDiagnostics(diagnostics, source, lookOf(io.err, io))}\nnot drawn: the plan has ${tally(diagnostics)}\n`);
    return 2;
  }
  io.out.write(draw(graph));
  return 0;
}
