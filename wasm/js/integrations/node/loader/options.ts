/** Options of the plugins for bundlers. */
import type { Kinds } from "../../../options.js";

/** Options of the plugins for bundlers. */
export interface PlanLoaderOptions {
  /** Writes the declaration of each plan beside it, as `stepgraph types` without a server does. Default: false. */
  types?: boolean;
  /**
   * A module that starts the engine with `init`, for platforms where `await init()` can't find it. A path is relative
   * to the current folder.
   */
  engine?: string;
}

/** @internal */
export const LOADER_OPTIONS: Kinds<PlanLoaderOptions> = { types: "flag", engine: "text" };
