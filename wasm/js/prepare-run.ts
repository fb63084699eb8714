/** Prepares a run: engine parts, binding. `prepare-tools.ts` lists tools first. */
import type { PlanGraph } from "./graph.js";
import { EMPTY_REGISTRY, hostCapabilities, type ToolRegistry } from "./host.js";
import type { RunHistory } from "./later.js";
import { AGENTS, CALLS, COMMON, HISTORY, LANGUAGE, OPEN_CALLS, PLANNERS } from "./parts.js";
import { planHashChanges } from "./plan-hash.js";
import type { Program } from "./program.js";
import { notRun } from "./report.js";
import { hasTools } from "./tool-sources.js";
import type { Diagnostic, Outcome, Report, RunOptions } from "./types.js";

const PLANNER_TYPES = new Set(["plan", "gather", "react", "execute_tools"]);

/** As far as options, node types and settings tell. */
export function partsOf(graph: PlanGraph, options: RunOptions): number[] {
  const { models, stubs, snapshot, record } = options;
  const parts = [];
  const isPlanner = graph.nodes.some(({ type }) => PLANNER_TYPES.has(type));
  if (stubs) parts.push(COMMON, LANGUAGE);
  if (hasTools(options) || models) parts.push(CALLS, OPEN_CALLS);
  if (isPlanner || ((stubs || models) && hasAgents(graph))) parts.push(COMMON, AGENTS);
  if (snapshot || record) parts.push(COMMON, HISTORY, OPEN_CALLS);
  if (isPlanner) parts.push(COMMON, PLANNERS);
  return parts;
}

const plansWithAgents = new WeakMap<PlanGraph, boolean>();
const AGENT_KEYS = /"(?:agent|conversation|schema)"/;

/** A text may look like a setting. That only loads more. */
function hasAgents(graph: PlanGraph): boolean {
  let known = plansWithAgents.get(graph);
  if (known === undefined) plansWithAgents.set(graph, (known = AGENT_KEYS.test(graph.raw.json())));
  return known;
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

/** Keyed by the handlers' object, for hosts with handlers only. */
const capabilitiesCache = new WeakMap<object, { capabilities: string; names: string[] }>();

/** A run with a snapshot needs `history`. */
export function prepare(
  graph: PlanGraph,
  options: RunOptions,
  tools: ToolRegistry,
  history?: RunHistory,
): PreparedRun | RejectedRun {
  if (options.signal?.aborted) return rejectRun(graph, options, { type: "cancelled" });
  const changed = (history?.planChanges ?? planHashChanges)(graph, options);
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
  // A run that did not go on can still be resumed from where it was.
  const { input = null, snapshot = null } = options;
  return { report: notRun(graph, outcome, input, diagnostics, thrown, outcome.type === "cancelled" ? snapshot : null) };
}
