/** Checks plans against hosts. */
import { toolList } from "./function-tools.js";
import { assertPlan, type PlanGraph } from "./graph.js";
import { normalizeTools } from "./normalize-tools.js";
import { assertOptions, kindOfToolList } from "./options.js";
import { assertStubs } from "./stubs.js";
import type { Diagnostic, FunctionTools, Stubs, ToolLike } from "./types.js";

/**
 * Checks a plan against a host. Absent keys are not checked.
 *
 * @example
 * check(graph, { tools: await client.list(), handlers: { emit: () => 1 } })
 */
export function check(
  graph: PlanGraph,
  host: {
    tools?: readonly ToolLike[] | FunctionTools;
    handlers?: Record<string, unknown>;
    byId?: Record<string, unknown>;
    models?: Record<string, unknown>;
    /** Nodes that nothing can execute are then errors. */
    stubs?: Stubs;
    /** The run's first outputs. Default: none. */
    outputs?: Record<string, unknown>;
    /** Unknown tools are warnings. */
    allow?: boolean | readonly string[];
  } = {},
): Diagnostic[] {
  assertPlan("check", graph);
  const kinds = {
    tools: kindOfToolList(host?.tools),
    handlers: "map",
    byId: "map",
    models: "map",
    stubs: "map",
    outputs: "map",
    allow: "flag|[]text",
  } as const;
  assertOptions("check", host, kinds);
  assertStubs(host.stubs);
  return checkOn(graph, host);
}

/** @internal Accepts stubs with errors, which still count as stubs. */
export function checkOn(graph: PlanGraph, host: NonNullable<Parameters<typeof check>[1]>): Diagnostic[] {
  return graph.check({
    types: host.handlers ? Object.keys(host.handlers) : null,
    ids: Object.keys(host.byId ?? {}),
    tools: host.tools ? normalizeTools("check", toolList("check", host.tools)) : null,
    models: host.models ? Object.keys(host.models) : null,
    stubs: host.stubs ?? null,
    outputs: Object.keys(host.outputs ?? {}),
    ...(Array.isArray(host.allow) && { allowed: host.allow as string[] }),
  });
}
