/**
 * Reviews plans before they run.
 *
 * Only annotations of tools count. Missing ones are the worst case.
 */
import { assertPlan, type PlanGraph } from "./graph.js";
import { indexTools } from "./host.js";
import { toolList } from "./function-tools.js";
import { assertOptions, kindOfToolList } from "./options.js";
import { EXECUTOR_TYPES, LOCAL_TYPES, MODEL_TYPES, OLDER_TYPES } from "./node-types.js";
import { normalizeTools } from "./normalize-tools.js";
import type { Fingerprint, FunctionTools, ToolLike, ToolInfo } from "./types.js";

/** A tool's effect. `unknown`: it may change anything. */
export type Effect = "reads" | "writes" | "destroys" | "unknown";

/** A tool that a plan may call. */
export interface ReviewedTool {
  /** `*` if an agent may call all tools and you passed none. */
  name: string;
  /** Node paths, such as `fan/a/fetch`. */
  nodes: string[];
  effect: Effect;
  /** Whether a repeated call changes nothing more. */
  idempotent: boolean;
  /** Whether it reaches outside its server. */
  openWorld: boolean;
  /** Whether you passed it. Null without tools. */
  known: boolean | null;
}

/** The possible effects of a plan. */
export interface Review {
  fingerprint: Fingerprint;
  tools: ReviewedTool[];
  /** Has the plan's names, or `default`. */
  models: { name: string; nodes: string[] }[];
  /** Node paths of approvals. */
  people: string[];
  /** Types that the host must handle. */
  handlers: { type: string; nodes: string[] }[];
  /** Null if unlimited. `tries`: most attempts of a node. */
  bounds: {
    visits: number;
    steps: number | null;
    calls: number | null;
    timeoutMs: number | null;
    tokens: number | null;
    usd: number | null;
    outputBytes: number | null;
    tries: number;
  };
}

/**
 * Lists the possible effects of a plan.
 *
 * @example
 * const { tools, people } = review(graph, { tools: await client.list() });
 */
export function review(graph: PlanGraph, options: { tools?: readonly ToolLike[] | FunctionTools | null } = {}): Review {
  assertPlan("review", graph);
  assertOptions("review", options, { tools: options?.tools === null ? "null" : kindOfToolList(options?.tools) });
  const tools = options.tools ? normalizeTools("review", toolList("review", options.tools)) : null;
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
    else if (!LOCAL_TYPES.has(type)) add(handlers, type, place);
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

function offeredTools(named: unknown, tools: readonly ToolInfo[] | null): string[] {
  if (Array.isArray(named)) return named.filter((name) => typeof name === "string");
  return tools === null ? ["*"] : tools.map(({ name }) => name);
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Returns a tool's effect. Hints that are no booleans count as destructive. `destructiveHint` wins over `readOnlyHint`.
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

/** Ordered as `HINTS`, or null if malformed. */
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
    usd = null,
    output_bytes = null,
  } = plan.limits ?? {};
  return {
    visits: visits ?? 25,
    steps,
    calls,
    timeoutMs: timeout_ms,
    tokens,
    usd,
    outputBytes: output_bytes,
    tries: maxAttempts(plan),
  };
}

function maxAttempts({ nodes }: RawPlan): number {
  const all = Object.values(nodes ?? {}).filter((node) => node !== null);
  const inner = all
    .flatMap((node) => [node.graph, node.do, ...Object.values(node.branches ?? {})])
    .filter((inside) => inside !== undefined && inside !== null);
  return Math.max(1, ...all.map((node) => node.retry?.attempts ?? 1), ...inner.map(maxAttempts));
}

function add(map: Map<string, string[]>, name: string, place: string): void {
  const known = map.get(name);
  if (known) known.push(place);
  else map.set(name, [place]);
}
