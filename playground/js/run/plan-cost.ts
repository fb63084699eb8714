/** Estimates a run's cost. */
import type * as Engine from "stepgraph/web";
import type { CostAmount, CostRequest, ModelName, RunnerMessage } from "./protocol.js";

const AMOUNTS = ["toolCalls", "modelTurns", "inputTokens", "outputTokens", "usd"] as const;

/** Example prices. The demo is free. */
export function pagePrices({ examplePrices }: typeof Engine): Engine.Prices {
  return { ...examplePrices, models: { ...examplePrices.models, demo: { input: 0, output: 0 } } };
}

export function planCost(engine: typeof Engine, { plan, cassettes, host }: CostRequest): RunnerMessage {
  const { graph } = engine.PlanGraph.parse(plan);
  // The list of problems says why.
  if (!graph?.valid) return none();
  try {
    const names = Object.entries(host?.names ?? {}).map(([key, name]) => [key, priceName(name)]);
    const options = { prices: pagePrices(engine), models: Object.fromEntries(names) as Record<string, string> };
    const runs = cassettes.filter((run) => isUsable(() => engine.estimateCost(graph, { ...options, runs: [run] })));
    const { nodes, total } = engine.estimateCost(graph, { ...options, runs });
    if (nodes.length === 0) return none();
    return {
      type: "cost",
      runs: runs.length,
      amounts: AMOUNTS.map((name) => amount(name, total)),
      why: reasons(total),
    };
  } catch {
    return none();
  } finally {
    graph?.free();
  }
}

function none(): RunnerMessage {
  return { type: "cost", runs: 0, amounts: [], why: [] };
}

/** Runs of earlier versions don't count. */
function isUsable(estimate: () => unknown): boolean {
  try {
    estimate();
    return true;
  } catch {
    return false;
  }
}

function priceName({ name, provider }: ModelName): string {
  return provider === undefined ? name : `${provider}:${name}`;
}

type Total = Engine.CostEstimate["total"];

function amount(name: (typeof AMOUNTS)[number], { bound, expected }: Total): CostAmount {
  const [figure, recorded] = [bound[name], expected?.[name]];
  return {
    name,
    most: figure.most,
    ...(figure.most === null && { kind: figure.kind }),
    mean: recorded?.mean ?? null,
    max: recorded?.max ?? null,
  };
}

/** Omits repeats. */
function reasons({ bound, expected }: Total): string[] {
  const figures = [...Object.values(bound), ...Object.values(expected ?? {})] as { why?: string[] }[];
  return [...new Set(figures.flatMap(({ why }) => why ?? []))];
}
