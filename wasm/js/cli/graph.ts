/** `stepgraph graph` */
import { toDot, toMermaid, type Direction } from "../editor/node.js";
import type { PlanGraph } from "../graph.js";
import { renderDiagnostics, tally } from "../terminal/diagnostics.js";
import { renderOptions, type Io } from "./io.js";
import { closestName } from "./suggest.js";
import { UsageError, type Arguments } from "./options.js";
import { readPlan } from "./read-plan.js";

const FORMATS: Record<string, (graph: PlanGraph, direction: Direction) => string | null> = {
  mermaid: (graph, direction) => toMermaid(graph, { direction }).text,
  dot: (graph, direction) => toDot(graph, { direction }).text,
  json: (graph) => `${JSON.stringify(graph, null, 2)}\n`,
};

const DIRECTIONS = ["TD", "LR", "BT", "RL"];

export async function graphCommand(args: Arguments, io: Io): Promise<number> {
  const name = args.single("output") ?? "mermaid";
  const draw = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!draw) {
    const suggestion = closestName(name, Object.keys(FORMATS));
    throw new UsageError(
      "cli/bad-value",
      `there is no format \`${name}\``,
      suggestion ? `did you mean \`${suggestion}\`?` : "use `mermaid`, `dot` or `json`",
    );
  }
  const direction = (args.single("direction") ?? "TD").toUpperCase();
  if (!DIRECTIONS.includes(direction))
    throw new UsageError("cli/bad-value", `there is no direction \`${direction}\``, "use `TD`, `LR`, `BT` or `RL`");
  const { graph, diagnostics, source } = readPlan(args.operands[0]!);
  if (!graph?.valid) {
    io.err.write(
      `${renderDiagnostics(diagnostics, source, renderOptions(io.err, io))}\nnot drawn: the plan has ${tally(diagnostics)}\n`,
    );
    return 2;
  }
  io.out.write(draw(graph, direction as Direction) ?? "");
  return 0;
}
