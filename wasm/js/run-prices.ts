/** The prices of a run: its models report what they cost, and a limit in US dollars needs all prices. */
import type { PlanGraph } from "./graph.js";
import { modelWithoutPrice, priceModels } from "./prices.js";
import { rejectRun } from "./prepare-run.js";
import { MODEL_TYPES } from "./review.js";
import type { Report, RunOptions } from "./types.js";

/** Returns the options with priced models instead of prices. */
export function withPricedModels<T extends RunOptions>({ prices, ...options }: T): Omit<T, "prices"> {
  if (prices === undefined || options.models === undefined) return options;
  return { ...options, models: priceModels(options.models, prices) };
}

/** Returns the report of a run that may not start: it has a limit in dollars, and a model without a price. */
export function rejectUnpriced(graph: PlanGraph, options: RunOptions): Report | null {
  const { models, limits, stubs, replay } = options;
  if (models === undefined || replay !== undefined) return null;
  const usd = limits?.usd ?? ownLimit(graph);
  if (usd === undefined) return null;
  const names = modelNames(graph, Object.keys(models));
  const real = [...names].filter((name) => !Object.hasOwn(stubs?.models ?? {}, name ?? "default"));
  const missing = modelWithoutPrice(models, real);
  if (missing === null) return null;
  const { key, name } = missing;
  const shown = name === null ? `\`${key}\` (a function)` : `\`${name}\``;
  const message = `the run has the limit ${usd} USD, and the model ${shown} has no price in \`prices\``;
  return rejectRun(graph, options, { type: "failed", code: "run/unknown-price", message }).report;
}

/** The names that nodes may request. Null is the default. A template may give any. */
function modelNames(graph: PlanGraph, known: readonly string[]): Set<string | null> {
  const names = new Set<string | null>();
  for (const { type, with: settings } of graph.nodes) {
    if (!MODEL_TYPES.has(type)) continue;
    const { model } = settings;
    if (typeof model !== "string") names.add(null);
    else if (model.includes("${")) for (const name of known) names.add(name);
    else names.add(model);
  }
  return names;
}

const ownLimits = new WeakMap<PlanGraph, number | undefined>();

function ownLimit(graph: PlanGraph): number | undefined {
  if (!ownLimits.has(graph)) {
    const usd = (graph.toJSON() as { limits?: { usd?: unknown } | null }).limits?.usd;
    ownLimits.set(graph, typeof usd === "number" ? usd : undefined);
  }
  return ownLimits.get(graph);
}
