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

/** What a drawing shows of a plan, graphs inside nodes included. */
function drawn(graph: PlanGraph): Drawn {
  return drawnOf(graph.toJSON() as Written, graph.start);
}

interface Written { start?: string | null; nodes?: Record<string, WrittenNode>; edges?: WrittenEdge[] | null }
interface WrittenEdge { from: string; to: string; condition?: string | null }
interface WrittenNode { type: string; tool?: string | null; metadata?: { tool?: string } | null; graph?: Written; do?: Written; branches?: Record<string, Written> }

function drawnOf({ start, nodes = {}, edges }: Written, first?: string): Drawn {
  const list = (edges ?? []).map(({ from, to, condition }) => ({ from: String(from), to: String(to), condition: condition == null ? null : String(condition) }));
  const entered = new Set(list.map(({ to }) => to));
  const begin = first ?? start ?? Object.keys(nodes).find((name) => !entered.has(name)) ?? null;
  const one = ({ type, tool, metadata, graph, do: each, branches }: WrittenNode) => {
    const inside: [string, Written][] = [...Object.entries(branches ?? {}), ...(graph ? [["", graph] as [string, Written]] : []), ...(each ? [["for each", each] as [string, Written]] : [])];
    return { type: String(type), tool: tool ?? metadata?.tool ?? null, inside: inside.map(([name, written]) => ({ name, graph: drawnOf(written) })) };
  };
  return { start: begin === null ? null : String(begin), nodes: Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, one(node)])), edges: list };
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
