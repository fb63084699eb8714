/** Limits that scripts need before the engine runs. */
import type { PlanGraph } from "./graph.js";
import type { Limits, RunOptions } from "./types.js";

const limitsOf = /* @__PURE__ */ new WeakMap<PlanGraph, Limits>();

/** Of the run, else of the plan. */
export function limitOf(graph: PlanGraph, { limits }: RunOptions, name: "usd" | "timeout_ms"): number | undefined {
  return limits?.[name] ?? planLimits(graph)[name] ?? undefined;
}

function planLimits(graph: PlanGraph): Limits {
  let limits = limitsOf.get(graph);
  if (limits === undefined) {
    limits = (graph.toJSON() as { limits?: Limits | null }).limits ?? {};
    limitsOf.set(graph, limits);
  }
  return limits;
}
