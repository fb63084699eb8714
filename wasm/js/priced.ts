/** Whether a run needs prices. Most don't, so those scripts load later. */
import type { PlanGraph } from "./graph.js";
import { limitOf } from "./plan-limits.js";
import type { Model, ModelClient } from "./model-types.js";
import type { ModelPrice } from "./prices.js";
import type { RunOptions } from "./types.js";

/** The same in every entry of the package. */
export const PRICE_OF: unique symbol = /* @__PURE__ */ Symbol.for("stepgraph.price") as never;

export interface PricedModel extends ModelClient {
  /** Takes the name in a request, or null for the model's own. */
  readonly [PRICE_OF]: (named: string | null) => ModelPrice | null;
}

export function isPriced(model: Model): model is PricedModel {
  return PRICE_OF in model;
}

/** A limit in dollars needs prices, and priced models limit the calls without a report. */
export function needsPrices(graph: PlanGraph, options: RunOptions): boolean {
  const { models, prices, stubs } = options;
  if (prices !== undefined) return true;
  if (models === undefined && stubs?.models === undefined) return false;
  return limitOf(graph, options, "usd") !== undefined || Object.values(models ?? {}).some(isPriced);
}
