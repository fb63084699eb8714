/** What a run needs for tools, models, prices and stubs. Loaded by `later.ts`. */
export { callModel, callTool } from "./host-clients.js";
export { prepareWithTools } from "./prepare-tools.js";
export { assertPrices } from "./prices.js";
export { rejectUnpriced, withPricedModels } from "./run-prices.js";
