/** Costs in hovers. The first one loads the engine, since most hovers need only the editor's module. */
import type { CostBound, CostEstimate, CostFigure } from "../../node.js";
import type { Hover, PlanSymbol } from "../../editor/types.js";
import { formatUsd, pluralize } from "../../terminal/text.js";
import type { OpenFile } from "./files.js";
import type { Settings } from "./settings.js";

type Hovered = Pick<OpenFile, "plan" | "positions" | "files">;

/** Unchanged for elements without a cost, and for plans with errors. */
export async function withCost(found: Hover, file: Hovered, { model }: Settings): Promise<Hover> {
  const text = file.positions.text;
  const path = pathAt(file.plan?.symbols() ?? [], found.span.start);
  const isWhole = path === null && /^["']?nodes["']?$/.test(text.slice(found.span.start, found.span.end));
  if (path === null && !isWhole) return found;
  const estimate = await estimateOf(text, file, model);
  const bound = isWhole ? estimate?.total.bound : estimate?.nodes.find((node) => node.path === path)?.bound;
  const line = bound === undefined ? null : costLine(bound);
  if (line === null) return found;
  return { ...found, markdown: `${found.markdown}\n\n**${isWhole ? "a run costs" : "costs"} at most**: ${line}` };
}

async function estimateOf(text: string, file: Hovered, model: string | undefined): Promise<CostEstimate | null> {
  const { estimateCost, examplePrices, PlanGraph } = await import("../../node.js");
  const { graph } = PlanGraph.parse(text, { files: file.files });
  try {
    if (!graph?.valid) return null;
    return estimateCost(graph, { prices: examplePrices, ...(model !== undefined && { models: { default: model } }) });
  } finally {
    graph?.free();
  }
}

/** The path as costs name it, or null. */
function pathAt(symbols: readonly PlanSymbol[], offset: number, above: readonly string[] = []): string | null {
  for (const { kind, name, span, nameSpan, children } of symbols) {
    if (offset < span.start || offset > span.end) continue;
    // The graph of a `map` or `graph` has no name in paths.
    const isNamed = kind === "node" || (kind === "graph" && name !== "do" && name !== "graph");
    const path = isNamed ? [...above, name] : above;
    if (kind === "node" && nameSpan.start <= offset && offset < nameSpan.end) return path.join("/");
    const inner = pathAt(children, offset, path);
    if (inner !== null) return inner;
  }
  return null;
}

/** Null if there are no calls. */
function costLine({ toolCalls, modelTurns, inputTokens, outputTokens, usd }: CostBound): string | null {
  const counts = [
    count(toolCalls, "tool call"),
    count(modelTurns, "model turn"),
    count(inputTokens, "input token"),
    count(outputTokens, "output token"),
    usd.most === 0 ? null : usd.most === null ? `${usd.kind} USD` : `${formatUsd(usd.most, Math.ceil)} USD`,
  ].filter((part) => part !== null);
  if (counts.length === 0) return null;
  const why = [...new Set([inputTokens, outputTokens, usd].flatMap((one) => (one.most === null ? one.why : [])))];
  return counts.join(", ") + why.map((reason) => `\n\n* ${reason}`).join("");
}

function count(figure: CostFigure, noun: string): string | null {
  if (figure.most === null) return `${figure.kind} ${noun}s`;
  return figure.most === 0 ? null : pluralize(figure.most, noun);
}
