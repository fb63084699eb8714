/** Options of the plugins for bundlers. */
import type { Kinds } from "../../../options.js";

/** Options of the plugins. */
export interface PlanLoaderOptions {
  /** Writes each plan's declaration, as `stepgraph types` does. Default: false. */
  types?: boolean;
  /**
   * A module that starts the engine with `init`, where `await init()` can't find it. A path is relative to the current
   * folder.
   */
  engine?: string;
}

/** @internal */
export const LOADER_OPTIONS: Kinds<PlanLoaderOptions> = { types: "flag", engine: "text" };
