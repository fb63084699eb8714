/** `stepgraph/standalone`: the library with its modules in one file, for pages that can't load others. */
import engine from "embedded:engine";
import wire from "embedded:wire";
import { init as start } from "./web.js";

export * from "./web.js";

/**
 * Starts the engine without a request.
 *
 * @example
 * import { init, PlanGraph, run } from "https://cdn.example/stepgraph/dist/standalone.js";
 * await init();
 */
export function init(): Promise<void> {
  return start(engine, { wire });
}
