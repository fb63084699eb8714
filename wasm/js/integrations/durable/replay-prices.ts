/** Prices of models that a replay does not call. */
import { type Model, priceModels } from "stepgraph";

/** @internal A limit in dollars accepts these. Recorded replies have their cost. */
export function pricedForReplay(models: Record<string, Model>): Record<string, Model> {
  return priceModels(models, { models: { "*": { input: 0, output: 0 } } });
}
