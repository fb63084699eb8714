/** Prices of a run's models. A limit in US dollars needs all of them. Loaded by `later.ts`. */
import type { PlanGraph } from "./graph.js";
import type { Model } from "./model-types.js";
import { highestPrices, modelWithoutPrice, withPrices } from "./prices.js";
import { limitOf } from "./plan-limits.js";
import { rejectRun } from "./prepare-run.js";
import { MODEL_TYPES } from "./node-types.js";
import type { Limits, Report, RunOptions } from "./types.js";

export { assertPrices } from "./prices.js";

export function withPricedModels<T extends RunOptions>(graph: PlanGraph, { prices, ...options }: T): Omit<T, "prices"> {
  if (options.models === undefined) return withFreeStubs(graph, options);
  const models = prices === undefined ? options.models : withPrices(options.models, prices);
  const limits = withCallPrices(graph, options.limits, models);
  return { ...options, models, ...(limits !== undefined && { limits }) };
}

/** Only stubs answer, which cost nothing if abandoned. */
function withFreeStubs<T extends RunOptions>(graph: PlanGraph, options: T): T {
  if (
    limitOf(graph, options, "usd") === undefined ||
    options.stubs?.models === undefined ||
    options.replay !== undefined
  )
    return options;
  return { ...options, limits: { ...options.limits, input_price: 0, output_price: 0 } };
}

/**
 * A call without a report costs the highest price of requested models. Unknown if one is missing or a template names a
 * model.
 */
export function withCallPrices(
  graph: PlanGraph,
  limits: Limits | undefined,
  models: Record<string, Model>,
): Limits | undefined {
  const { input_price, output_price, max_output } = limits ?? {};
  if (input_price !== undefined || output_price !== undefined || max_output !== undefined) return limits;
  const names = requestedNames(graph);
  const prices = names === null ? null : highestPrices(models, names);
  return prices === null ? limits : { ...limits, ...prices };
}

/** A limit in dollars needs all prices. */
export function rejectUnpriced(graph: PlanGraph, options: RunOptions): Report | null {
  const { models, stubs, replay } = options;
  if (models === undefined || replay !== undefined) return null;
  const usd = limitOf(graph, options, "usd");
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

/** Null is the default. A template may give any. */
function modelNames(graph: PlanGraph, known: readonly string[]): Set<string | null> {
  const names = requestedNames(graph);
  if (names !== null) return names;
  // A template may also name models that only the default prices.
  return new Set([...settingsOfModels(graph).filter(isPlainName), ...known]);
}

function requestedNames(graph: PlanGraph): Set<string | null> | null {
  const names = settingsOfModels(graph);
  return names.every(isPlainName) ? new Set(names) : null;
}

function settingsOfModels(graph: PlanGraph): (string | null)[] {
  const nodes = graph.nodes.filter(({ type }) => MODEL_TYPES.has(type));
  return nodes.map(({ with: { model } }) => (typeof model === "string" ? model : null));
}

function isPlainName(name: string | null): boolean {
  return !name?.includes("${");
}
