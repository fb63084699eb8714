/**
 * `stepgraph/standalone`: the library in one file, with its modules inside.
 *
 * For a page that can't load further files, such as a page in one file. Others load less with `stepgraph`.
 */
import engine from "embedded:engine";
import wire from "embedded:wire";
import { init as start } from "./web.js";

export * from "./web.js";

/**
 * Starts the engine, without a request.
 *
 * @example
 * import { init, PlanGraph, run } from "https://cdn.example/stepgraph/dist/standalone.js";
 * await init();
 */
export function init(): Promise<void> {
  return start(engine, { wire });
}
