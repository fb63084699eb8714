/** Turns finished runs of planners, which are plans, into results. */
import { author as AUTHOR, planGather as PLAN_GATHER, react as REACT } from "../pkg/flows.js";
import { PlanError } from "./errors.js";
import type {
  AuthorRequest,
  AuthorResult,
  Authored,
  Flow,
  FlowOptions,
  Gathered,
  PlanGatherRequest,
  PlanGatherResult,
  ReactFlow,
  ReactOptions,
  ReactResult,
  ReactRoute,
  ToolPlan,
} from "./flow-types.js";
import { PlanGraph } from "./graph.js";
import { assertLimits, assertOptions, type Kinds, RUN } from "./options.js";
import { run } from "./run.js";
import type { Outcome, Report } from "./types.js";

export type * from "./flow-types.js";

interface RawNode {
  type: string;
  with?: Record<string, unknown>;
  visits?: number;
  do?: RawPlan;
  graph?: RawPlan;
  branches?: Record<string, RawPlan>;
}
interface RawPlan {
  nodes: Record<string, RawNode>;
}

function* nodesOf({ nodes }: RawPlan): Generator<[string, RawNode]> {
  for (const [id, node] of Object.entries(nodes)) {
    yield [id, node];
    for (const inside of [node.do, node.graph, ...Object.values(node.branches ?? {})])
      if (inside) yield* nodesOf(inside);
  }
}

type Changes = Pick<FlowOptions, "models" | "settings">;

function graphOf(
  source: string,
  { models = {}, settings = {} }: Changes,
  visits: Record<string, number> = {},
): PlanGraph {
  const plain = parsePlan(source);
  const plan = plain.toJSON() as RawPlan;
  const nodes = new Map(nodesOf(plan));
  const changed = [...nodes].filter(
    ([id]) => Object.hasOwn(models, id) || Object.hasOwn(settings, id) || Object.hasOwn(visits, id),
  );
  const unknown = Object.keys(settings).find((id) => !nodes.has(id));
  if (unknown !== undefined)
    throw new PlanError(
      "api/unknown-node",
      `the flow has no node \`${unknown}\`; its nodes are \`${[...nodes.keys()].join("`, `")}\``,
    );
  if (changed.length === 0) return plain;
  plain.free();
  for (const [id, node] of changed) {
    node.with = { ...node.with, ...(Object.hasOwn(models, id) && { model: id }), ...settings[id] };
    if (visits[id]) node.visits = visits[id];
  }
  return parsePlan(JSON.stringify(plan));
}

function parsePlan(text: string): PlanGraph {
  const { graph, diagnostics } = PlanGraph.parse(text);
  if (graph?.valid) return graph;
  const { code, message } = diagnostics.find(({ severity }) => severity === "error")!;
  throw new PlanError("api/bad-settings", `these settings make no plan: ${message} (${code})`);
}

/** Saves parsing and binding a flow again. */
class GraphCache {
  readonly #known = new Map<string, PlanGraph>();

  of(key: string, make: () => PlanGraph): PlanGraph {
    const graph = this.#known.get(key) ?? make();
    this.#known.delete(key);
    this.#known.set(key, graph);
    if (this.#known.size > 8) this.#known.delete(this.#known.keys().next().value!);
    return graph;
  }
}

const { input: _input, ...GIVEN } = RUN;
const OPTIONS: Kinds<FlowOptions> = { ...GIVEN, settings: "{}map" };
const REACT_OPTIONS: Kinds<ReactOptions> = { ...OPTIONS, maxTurns: "count", plan: "map" };
const ALTERNATIVES = { input: "pass the request before the options" };

/** The main key first. A map without it is the request itself. */
type RequestKeys = readonly [string, ...string[]];
const TRUSTED = { user_email: "pass it in `context` of the options: a request never fills a trusted parameter" };

function assertRequest(of: string, request: unknown, keys: RequestKeys | null): void {
  if (keys === null || typeof request !== "object" || request === null || !Object.hasOwn(request, keys[0])) return;
  const known = Object.fromEntries(keys.map((key) => [key, "any"]));
  assertOptions(`the request of ${of}`, request, known as Kinds<object>, TRUSTED);
}

interface FlowDefinition<Options extends FlowOptions> {
  changes?: (options: Options) => [Changes, visits?: Record<string, number>];
  known?: Kinds<Options>;
  /** Null if the request may be any value. */
  keys?: RequestKeys | null;
}

function flow<Request, Options extends FlowOptions, Result>(
  of: string,
  source: string,
  result: (report: Report, outcome: Outcome) => Result,
  { changes = (options) => [options], known = OPTIONS as Kinds<Options>, keys = null }: FlowDefinition<Options>,
): Flow<Request, Options, Result> {
  const graphs = new GraphCache();
  const assertFlow = (options: Options) => {
    assertOptions(of, options, known, ALTERNATIVES);
    assertLimits(options.limits, of);
  };
  const graph = (options: Options = {} as Options) => {
    assertFlow(options);
    return graphOf(source, ...changes(options));
  };
  const call = async (request: Request, options: Options = {} as Options) => {
    assertFlow(options);
    assertRequest(of, request, keys);
    const [{ models = {}, settings }, visits] = changes(options);
    const own = graphs.of(JSON.stringify([Object.keys(models), settings, visits]), () => graph(options));
    // Options that changed the plan are no run options.
    const { settings: _, maxTurns: _turns, plan: _plan, ...rest } = options as Options & Partial<ReactOptions>;
    const report = await run(own, { ...rest, input: request });
    return result(report, report.outcome);
  };
  return Object.assign(call, { source, graph });
}

function planGatherResult(report: Report, outcome: Outcome): PlanGatherResult {
  const { plan, gather } = report.outputs as { plan?: ToolPlan; gather?: Gathered };
  const done = {
    toolPlan: plan ?? null,
    gathered: gather ?? null,
    results: gather?.tool_results ?? [],
    error: null,
    report,
  };
  if (outcome.type !== "completed") return { status: "unfinished", outcome, answer: null, ...done };
  if (report.path.at(-1) === "needs_context") {
    const { missing, ...error } = report.last as { missing: string[]; code: string; message: string };
    return { ...done, status: "needs_context", missing, answer: null, error } as PlanGatherResult;
  }
  if (report.path.at(-1) === "no_plan") {
    return {
      status: "no_plan",
      answer: null,
      toolPlan: null,
      gathered: null,
      results: [],
      error: report.last as { code: string; message: string },
      report,
    };
  }
  return { status: "answered", answer: report.last as string, ...done } as PlanGatherResult;
}

function reactResult<Plan>(report: Report, outcome: Outcome): ReactResult<Plan> {
  const { planning_agent: route = null, plan = null } = report.outputs as { planning_agent?: ReactRoute; plan?: Plan };
  if (outcome.type !== "completed") return { status: "unfinished", outcome, route, plan, answer: null, report };
  const found = route === "web_research" ? searchResults(report) : [];
  const failed = found.flatMap(({ query, error }) => (error ? [{ query, ...error }] : []));
  return {
    status: found.length > 0 && failed.length === found.length ? "no_results" : "answered",
    route,
    plan: route === "web_research" ? plan : null,
    answer: report.last as string,
    failed,
    report,
  } as ReactResult<Plan>;
}

/** A handler in place of the searches may return anything. */
function searchResults({ outputs }: Report): { query: unknown; error?: { code: string; message: string } }[] {
  const results = Array.isArray(outputs.web_research) ? (outputs.web_research as unknown[]) : [];
  const { query } = (outputs.plan ?? {}) as { query?: unknown };
  const queries: unknown[] = Array.isArray(query) ? query : Array.isArray(outputs.plan) ? outputs.plan : [];
  return results.map((result, i) => {
    const { status, error } = (result ?? {}) as { status?: unknown; error?: { code: string; message: string } };
    return { query: queries[i] ?? null, ...(status === "failed" && error && { error }) };
  });
}

function authorResult(report: Report, outcome: Outcome): AuthorResult {
  if (outcome.type !== "completed") return { status: "unfinished", outcome, report };
  return { ...((report.outputs.result ?? report.last) as Authored), report } as AuthorResult;
}

const react: ReactFlow = /* @__PURE__ */ flow<unknown, ReactOptions, ReactResult<never>>(
  "flows.react",
  REACT,
  reactResult,
  {
    known: REACT_OPTIONS,
    changes: ({ models = {}, settings = {}, maxTurns, plan }) => {
      const own = {
        ...(maxTurns !== undefined && { max_turns: maxTurns }),
        ...(plan !== undefined && { plan }),
        ...settings.planning_agent,
      };
      const turns = typeof own.max_turns === "number" ? own.max_turns : 0;
      // Each turn is a visit. The default limit is 25 visits.
      const visits: Record<string, number> = turns > 20 ? { planning_agent: turns + 1, execute_tools: turns + 1 } : {};
      return [
        { models, settings: Object.keys(own).length > 0 ? { ...settings, planning_agent: own } : settings },
        visits,
      ];
    },
  },
);

/** Planners as plans to read, change and run. */
export const flows = {
  /**
   * Plans which tools can answer a request, calls them, and answers. Nodes: `plan`, `gather`, `answer`,
   * `needs_context`, `no_plan`. No model chooses values of `context`: `{ user_email: "a@b.c" }`.
   *
   * @example
   * const { answer, toolPlan, results } = await flows.planGather("Which orders are open?", { tools: [mcp(url)], models:
   * { default: model } });
   */
  planGather: /* @__PURE__ */ flow<PlanGatherRequest, FlowOptions, PlanGatherResult>(
    "flows.planGather",
    PLAN_GATHER,
    planGatherResult,
    { keys: ["user_query", "context"] },
  ),
  /**
   * Lets a model call tools until it answers, or submits searches to run first. Nodes: `planning_agent`,
   * `execute_tools`, `web_research` (with `search` for each query), `write_answer`, `finalize_answer`.
   *
   * An `execute_tools` in `byId` maps `node.input`, a list of `{ tool_name, parameters }`, to results in that order. A
   * `web_research` gets the plan's queries.
   *
   * @example
   * const { route, plan, answer } = await flows.react("What changed last week?", { tools: [mcp(url)], models: {
   * default: model }, maxTurns: 4 });
   */
  react,
  /**
   * Turns a request into a checked plan of `tools`, or reports the missing ones.
   *
   * @example
   * const made = await flows.author("Every new issue gets a label", { tools: [mcp(url)], models: { default: model } });
   * if (made.status === "planned") console.log(JSON.stringify(made.workflow, null, 2));
   * else if (made.status !== "unfinished") console.log(made.message, made.alternatives);
   */
  author: /* @__PURE__ */ flow<AuthorRequest, FlowOptions, AuthorResult>("flows.author", AUTHOR, authorResult, {
    keys: ["user_input", "workflows", "partial"],
  }),
};
