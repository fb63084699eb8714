/** What a run needs for tools, models and stubs. Loaded by `later.ts`. */
export { callModel, callTool } from "./host-clients.js";
export { prepareWithTools } from "./prepare-tools.js";
