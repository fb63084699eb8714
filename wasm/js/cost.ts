/** Estimates the cost of runs. */
import { type BoundedNode, PlanBounds, type Use } from "./cost/bound.js";
import { add } from "./cost/figure.js";
import type { ModelNames, RawPlan } from "./cost/plan-tree.js";
import { NOTHING, type RecordedUse, recordedUse, sum, type Used } from "./cost/recorded.js";
import { PlanError } from "./errors.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { indexTools } from "./host.js";
import { toolList } from "./function-tools.js";
import { assertOptions, kindOfToolList } from "./options.js";
import { normalizeTools } from "./normalize-tools.js";
import type { CostBound, CostEstimate, CostOptions, CostStatistic, ExpectedCost, NodeCost } from "./cost-types.js";
import { assertPrices } from "./prices.js";

/**
 * Estimates what runs of a plan may cost. The bound holds if prices are right and providers keep `max_tokens`.
 *
 * @throws PlanError `cost/unusable-run` for a recorded run that does not belong to the plan.
 * @example
 * const { total } = estimateCost(graph, { prices: examplePrices, models: { default: "openai:gpt-4o-mini" } });
 */
export function estimateCost(graph: PlanGraph, options: CostOptions = {}): CostEstimate {
  assertPlan("estimateCost", graph);
  if (!graph.valid) throw new PlanError("api/invalid-plan", "`estimateCost` expects a plan without errors");
  assertOptions("estimateCost", options, {
    prices: "map",
    models: "{}text|function|.chat",
    runs: "[]text|[]text",
    tools: options?.tools === null ? "null" : kindOfToolList(options?.tools),
  });
  const { prices, models, runs = [], tools } = options;
  if (prices !== undefined) assertPrices("estimateCost", prices);
  const plan = graph.toJSON() as RawPlan;
  const bounds = new PlanBounds(plan, { prices, models, tools: toolNames(tools) });
  const recorded = runs.map((run) => recordedUse(plan, run, { prices, models: models as ModelNames }));
  return {
    nodes: bounds.nodes.map((node) => nodeCost(node, recorded)),
    total: { bound: boundOf(bounds.total), expected: expectedOf(recorded.map(totalOf)) },
    runs: runs.length,
  };
}

function toolNames(tools: CostOptions["tools"]): ReadonlySet<string> | null {
  if (!tools) return null;
  return new Set(indexTools(normalizeTools("estimateCost", toolList("estimateCost", tools))).keys());
}

function nodeCost({ path, type, leaf, use }: BoundedNode, recorded: readonly RecordedUse[]): NodeCost {
  return {
    path,
    type,
    ...(leaf.tool !== undefined && { tool: leaf.tool }),
    ...(leaf.model !== undefined && { model: leaf.model.label }),
    bound: boundOf(use),
    expected: expectedOf(recorded.map((run) => run.get(path) ?? NOTHING)),
  };
}

function boundOf({ modelUsd, toolUsd, ...counts }: Use): CostBound {
  const usd = add(modelUsd, toolUsd);
  // Sums of fractions are inexact. Rounding up keeps the bound.
  return { ...counts, usd: usd.most === null ? usd : { most: Math.max(0, Math.ceil(usd.most * 1e6 - 1e-3)) / 1e6 } };
}

function totalOf(run: RecordedUse): Used {
  return [...run.values()].reduce(sum, NOTHING);
}

function expectedOf(uses: readonly Used[]): ExpectedCost | null {
  if (uses.length === 0) return null;
  const reasons = (what: "tokens" | "usd") => uses.flatMap(({ unknown }) => unknown[what] ?? []);
  const statistic = (key: keyof CostBound, why: string[] = []): CostStatistic => {
    if (why.length > 0) return { mean: null, max: null, why: [...new Set(why)] };
    const values = uses.map((use) => use[key]);
    return { mean: values.reduce((a, b) => a + b, 0) / values.length, max: values.reduce((a, b) => Math.max(a, b), 0) };
  };
  return {
    toolCalls: statistic("toolCalls"),
    modelTurns: statistic("modelTurns"),
    inputTokens: statistic("inputTokens", reasons("tokens")),
    outputTokens: statistic("outputTokens", reasons("tokens")),
    usd: statistic("usd", reasons("usd")),
  };
}
