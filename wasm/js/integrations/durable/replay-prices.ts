/** Prices of models that a replay does not call. */
import { type Model, priceModels } from "stepgraph";

/** @internal Returns models that a run with a limit in dollars accepts. Recorded replies have their cost. */
export function pricedForReplay(models: Record<string, Model>): Record<string, Model> {
  return priceModels(models, { models: { "*": { input: 0, output: 0 } } });
}
