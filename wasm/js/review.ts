/**
 * What a plan may do, told before it runs: whom it asks, what that may change, and what bounds it.
 *
 * Decides nothing about a run. Of tools only what their servers say of them is known: where a server is silent the
 * worst is taken.
 */
import { assertPlan, type PlanGraph } from "./graph.js";
import { indexTools } from "./host.js";
import { assertOptions } from "./options.js";
import { normalizeTools } from "./normalize-tools.js";
import type { Fingerprint, ToolLike, ToolInfo } from "./types.js";

/** What a tool may do, by its server's word. `unknown`: nobody says; it may change anything. */
export type Effect = "reads" | "writes" | "destroys" | "unknown";

/** A tool that a plan calls, or offers to a model. */
export interface ReviewedTool {
  /** `*` for any that the run has: an agent is offered all, and nobody was asked what that is. */
  name: string;
  /** Places of the nodes that call it: `fan/a/fetch`. */
  nodes: string[];
  effect: Effect;
  /** Whether calling it again with the same arguments changes nothing more. */
  idempotent: boolean;
  /** Whether it deals with things outside its server, such as the web. */
  openWorld: boolean;
  /** Whether a server was asked and has it; null when nobody was asked. */
  known: boolean | null;
}

/** What a plan may do. */
export interface Review {
  fingerprint: Fingerprint;
  tools: ReviewedTool[];
  /** Models by the name that the plan uses; `default` where it names none. */
  models: { name: string; nodes: string[] }[];
  /** Places of the nodes at which a person is asked. */
  people: string[];
  /** Types that only the host knows, with their nodes. */
  handlers: { type: string; nodes: string[] }[];
  /** What ends a run that goes on for too long; null where nothing does. */
  bounds: {
    visits: number;
    steps: number | null;
    calls: number | null;
    timeoutMs: number | null;
    tokens: number | null;
    outputBytes: number | null;
    tries: number;
  };
}

const OWN_TYPES = new Set([
  "decision",
  "noop",
  "log",
  "parallel",
  "map",
  "graph",
  "init",
  "format_output",
  "error_handler",
  "terminal",
  "validation",
  "validator",
  "result_preparation",
]);
const MODEL_TYPES = new Set([
  "llm",
  "llm_call",
  "agent",
  "plan",
  "react",
  "discovery",
  "parameter_discovery",
  "requirements_analysis",
  "component_browsing",
  "planning",
  "workflow_generator",
  "parameter_mapping",
]);
/** Older names of built-in types: a tool of that name goes before them. */
const OLDER_TYPES = new Set(["init", "format_output", "error_handler", "terminal", "validation", "llm_call"]);
/** They carry out whatever was planned, or asked for. */
const EXECUTOR_TYPES = new Set(["gather", "execute_tools"]);

/**
 * What a plan may do.
 *
 * @example
 * const { tools, people } = review(graph, { tools: await client.list() });
 */
export function review(graph: PlanGraph, options: { tools?: readonly ToolLike[] | null } = {}): Review {
  assertPlan("review", graph);
  assertOptions("review", options, { tools: "null|[]map" });
  const tools = options.tools ? normalizeTools("review", options.tools) : null;
  const [called, models, handlers] = [
    new Map<string, string[]>(),
    new Map<string, string[]>(),
    new Map<string, string[]>(),
  ];
  const people: string[] = [];
  const known = new Map(Array.from(indexTools(tools ?? []), ([name, place]) => [name, tools![place]!]));
  for (const { id, type, tool, with: settings, scope } of graph.nodes) {
    const place = scope === undefined ? id : `${scope}/${id}`;
    if (OLDER_TYPES.has(type) && known.has(type)) add(called, type, place);
    else if (type === "approve") people.push(place);
    else if (MODEL_TYPES.has(type)) {
      add(models, typeof settings.model === "string" ? settings.model : "default", place);
      if (type === "agent") for (const name of offeredTools(settings.tools, tools)) add(called, name, place);
    } else if (EXECUTOR_TYPES.has(type)) for (const name of offeredTools(undefined, tools)) add(called, name, place);
    else if (type === "tool" && tool !== null) add(called, tool, place);
    else if (known.has(type)) add(called, type, place);
    else if (!OWN_TYPES.has(type)) add(handlers, type, place);
  }
  return {
    fingerprint: graph.fingerprint,
    tools: [...called].map(([name, nodes]) => reviewTool(name, nodes, known.get(name), tools !== null)),
    models: [...models].map(([name, nodes]) => ({ name, nodes })),
    people,
    handlers: [...handlers].map(([type, nodes]) => ({ type, nodes })),
    bounds: boundsOf(graph),
  };
}

/** The tools that an agent may call. */
function offeredTools(named: unknown, tools: readonly ToolInfo[] | null): string[] {
  if (Array.isArray(named)) return named.filter((name) => typeof name === "string");
  return tools === null ? ["*"] : tools.map(({ name }) => name);
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * What a tool may do, by its annotations. A hint that is no boolean makes the tool count as destructive, and
 * `destructiveHint: true` goes before `readOnlyHint: true`.
 *
 * @example
 * const harmless = tools.filter((tool) => effectOf(tool) === "reads");
 */
export function effectOf(tool: ToolInfo | undefined): Effect {
  const [reads, destroys] = hintsOf(tool) ?? [null, true];
  if (destroys === true) return "destroys";
  if (reads === true) return "reads";
  return destroys === null ? "unknown" : "writes";
}

/** The hints in the order of `HINTS`; null when the annotations are malformed. */
function hintsOf(tool: ToolInfo | undefined): (boolean | null)[] | null {
  const given: unknown = tool?.annotations ?? {};
  if (typeof given !== "object" || Array.isArray(given)) return null;
  const hints = HINTS.map((name) => (given as Record<string, unknown>)[name] ?? null);
  return hints.every((hint) => hint === null || typeof hint === "boolean") ? (hints as (boolean | null)[]) : null;
}

function reviewTool(name: string, nodes: string[], tool: ToolInfo | undefined, isAsked: boolean): ReviewedTool {
  const [, , idempotent, openWorld] = hintsOf(tool) ?? [];
  const effect = effectOf(tool);
  return {
    name,
    nodes,
    effect,
    idempotent: effect === "reads" || idempotent === true,
    openWorld: openWorld !== false,
    known: isAsked ? tool !== undefined : null,
  };
}

interface RawPlan {
  limits?: Record<string, number | null> | null;
  nodes?: Record<string, RawNode | null> | null;
}
interface RawNode {
  retry?: { attempts?: number } | null;
  graph?: RawPlan;
  do?: RawPlan;
  branches?: Record<string, RawPlan>;
}

function boundsOf(graph: PlanGraph): Review["bounds"] {
  const plan = graph.toJSON() as RawPlan;
  const {
    visits,
    steps = null,
    calls = null,
    timeout_ms = null,
    tokens = null,
    output_bytes = null,
  } = plan.limits ?? {};
  return {
    visits: visits ?? 25,
    steps,
    calls,
    timeoutMs: timeout_ms,
    tokens,
    outputBytes: output_bytes,
    tries: mostTries(plan),
  };
}

/** The most tries that any node makes. */
function mostTries({ nodes }: RawPlan): number {
  const all = Object.values(nodes ?? {}).filter((node) => node !== null);
  const inner = all
    .flatMap((node) => [node.graph, node.do, ...Object.values(node.branches ?? {})])
    .filter((inside) => inside !== undefined && inside !== null);
  return Math.max(1, ...all.map((node) => node.retry?.attempts ?? 1), ...inner.map(mostTries));
}

function add(map: Map<string, string[]>, name: string, place: string): void {
  const known = map.get(name);
  if (known) known.push(place);
  else map.set(name, [place]);
}
