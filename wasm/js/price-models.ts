/** Adds prices to models. */
import type { Model } from "./model-types.js";
import { assertPrices, type Prices, withPrices } from "./prices.js";

/**
 * Adds prices to models, whose usages then have `micro_usd`, for functions without `prices`, such as `runDurable`.
 *
 * @throws PlanError `api/bad-option` for prices with a mistake.
 * @example
 * const models = priceModels({ default: anthropic({ model: "claude-sonnet-4-5" }) }, examplePrices);
 */
export function priceModels(models: Record<string, Model>, prices: Prices): Record<string, Model> {
  assertPrices("priceModels", prices);
  return withPrices(models, prices);
}
