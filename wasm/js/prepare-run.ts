/** Prepares a run: engine parts, tools, binding. */
import { PlanError } from "./errors.js";
import { hasTools, toolClients } from "./functions.js";
import type { PlanGraph } from "./graph.js";
import {
  EMPTY_REGISTRY,
  hostCapabilities,
  listTools,
  toFailure,
  withoutChangedTools,
  type ToolRegistry,
} from "./host.js";
import { CALLS, LANGUAGE, PLANNERS, REST } from "./parts.js";
import { planChanges } from "./plan-changes.js";
import type { Program } from "./program.js";
import { notRun } from "./report.js";
import type { Diagnostic, Outcome, Report, RunOptions } from "./types.js";

const PLANNER_TYPES = new Set(["plan", "gather", "react", "execute_tools"]);

/** As far as options and node types tell. */
export function partsOf(graph: PlanGraph, options: RunOptions): number[] {
  const { models, stubs, snapshot, record } = options;
  const parts = [];
  if (stubs) parts.push(LANGUAGE);
  if (hasTools(options) || models) parts.push(CALLS);
  if (snapshot || record) parts.push(REST);
  if (graph.nodes.some(({ type }) => PLANNER_TYPES.has(type))) parts.push(PLANNERS);
  return parts;
}

/** @internal */
export interface PreparedRun {
  program: Program;
  tools: ToolRegistry;
  capabilities: string;
}
/** @internal */
export interface RejectedRun {
  report: Report;
}

export async function prepareWithTools(graph: PlanGraph, options: RunOptions): Promise<PreparedRun | RejectedRun> {
  try {
    const listed = await listTools(toolClients(options.tools)!, options, timeLimit(graph, options));
    return prepare(graph, options, withoutChangedTools(listed, options.snapshot));
  } catch (error) {
    if (error instanceof PlanError) throw error;
    if (options.signal?.aborted) return rejectRun(graph, options, { type: "cancelled" });
    return rejectRun(graph, options, { type: "failed", ...toFailure(error, "tool/unreachable") }, [], { cause: error });
  }
}

const timeLimits = new WeakMap<PlanGraph, number | undefined>();

/** The host's limit overrides the plan's. */
function timeLimit(graph: PlanGraph, { limits }: RunOptions): number | undefined {
  if (limits?.timeout_ms !== undefined) return limits.timeout_ms;
  if (!timeLimits.has(graph)) {
    const own = (graph.toJSON() as { limits?: { timeout_ms?: unknown } | null }).limits?.timeout_ms;
    timeLimits.set(graph, typeof own === "number" ? own : undefined);
  }
  return timeLimits.get(graph);
}

/** Keyed by the handlers' object, for hosts with handlers only. */
const capabilitiesCache = new WeakMap<object, { capabilities: string; names: string[] }>();

export function prepare(graph: PlanGraph, options: RunOptions, tools: ToolRegistry): PreparedRun | RejectedRun {
  if (options.signal?.aborted) return rejectRun(graph, options, { type: "cancelled" });
  const changed = planChanges(graph, options);
  if (changed !== null)
    return rejectRun(graph, options, { type: "failed", code: "run/plan-changed", message: changed });
  const refusal = options.lock?.refusal(graph, tools.list, new Set(Object.keys(options.stubs?.tools ?? {}))) ?? null;
  if (refusal !== null)
    return rejectRun(graph, options, { type: "failed", code: "tool/differs-from-lock", message: refusal });
  const capabilities = capabilitiesFor(options, tools);
  const program = graph.bind(capabilities);
  if (program.ready) return { program, tools, capabilities };
  return rejectUnbound(graph, program, options);
}

/** @internal */
export function rejectUnbound(graph: PlanGraph, program: Program, options: RunOptions): RejectedRun {
  const diagnostics = program.diagnostics;
  const first = diagnostics.find((problem) => problem.severity === "error");
  const message = `the plan can't run: ${first?.message ?? "it has errors"}`;
  return rejectRun(graph, options, { type: "failed", code: "run/invalid-plan", message, diagnostics }, diagnostics);
}

function capabilitiesFor(options: RunOptions, tools: ToolRegistry): string {
  // Tools may change. Handlers in the same object are compared by name.
  const { stubs, byId, models, outputs, snapshot } = options;
  if (tools !== EMPTY_REGISTRY || stubs || byId || models || outputs || snapshot)
    return hostCapabilities(options, tools);
  const handlers = options.handlers ?? NO_HANDLERS;
  const known = capabilitiesCache.get(handlers);
  if (known !== undefined && hasSameNames(handlers, known.names)) return known.capabilities;
  const capabilities = hostCapabilities(options, tools);
  capabilitiesCache.set(handlers, { capabilities, names: Object.keys(handlers) });
  return capabilities;
}

const NO_HANDLERS = {};

function hasSameNames(handlers: object, names: readonly string[]): boolean {
  let i = 0;
  for (const name in handlers) if (names[i++] !== name) return false;
  return i === names.length;
}

/** @internal */
export function rejectRun(
  graph: PlanGraph,
  options: RunOptions,
  outcome: Outcome,
  diagnostics: Diagnostic[] = [],
  thrown?: ErrorOptions,
): RejectedRun {
  return { report: notRun(graph, outcome, options.input ?? null, diagnostics, thrown) };
}
