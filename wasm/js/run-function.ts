/** The function `run` of the package. */
import { run as drive } from "./run.js";
import { stream } from "./stream.js";
import type { RunFunction } from "./types.js";

/** Runs a plan. `run.stream` returns its events. */
export const run: RunFunction = /* @__PURE__ */ Object.assign(drive, { stream }) as unknown as RunFunction;
