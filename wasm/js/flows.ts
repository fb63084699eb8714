/**
 * The flows that come with the package: planners that are plans themselves. `flows.planGather` plans which tools to
 * call and calls them, `flows.react` lets a model call tools until it answers or submits a plan, `flows.author` writes
 * a plan from a request.
 *
 * Decides what of a finished run is the result. What happens in it is said by the plan: `source` has its text, and each
 * of its nodes can be replaced by a handler (`byId`), given settings (`settings`) or a model of its own (`models`).
 */
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

/** Every node, at any depth, by its id. */
function* nodesOf({ nodes }: RawPlan): Generator<[string, RawNode]> {
  for (const [id, node] of Object.entries(nodes)) {
    yield [id, node];
    for (const inside of [node.do, node.graph, ...Object.values(node.branches ?? {})])
      if (inside) yield* nodesOf(inside);
  }
}

type Changes = Pick<FlowOptions, "models" | "settings">;

/** The plan with settings and models of its caller. */
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

/** The last few graphs of a flow, so that a program that calls it often reads and binds it once. */
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
const ALTERNATIVES = { input: "the request is given before the options" };

/** What a request may hold beside its main key, which comes first. Any other map is a request as it is. */
type RequestKeys = readonly [string, ...string[]];
const TRUSTED = { user_email: "give it in `context` of the options: a request fills no trusted parameter" };

function assertRequest(of: string, request: unknown, keys: RequestKeys | null): void {
  if (keys === null || typeof request !== "object" || request === null || !Object.hasOwn(request, keys[0])) return;
  const known = Object.fromEntries(keys.map((key) => [key, "any"]));
  assertOptions(`the request of ${of}`, request, known as Kinds<object>, TRUSTED);
}

interface FlowDefinition<Options extends FlowOptions> {
  /** How options change the plan, and how often its nodes may be visited then. */
  changes?: (options: Options) => [Changes, visits?: Record<string, number>];
  known?: Kinds<Options>;
  /** The keys of a request; null where it may be anything. */
  keys?: RequestKeys | null;
}

/** A flow: its text, how options change it, and what its run comes to. */
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
    // What has gone into the plan is no option of its run.
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

/** What became of each query of a plan; a handler in the place of the searches may give anything. */
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

const react: ReactFlow = flow<unknown, ReactOptions, ReactResult<never>>("flows.react", REACT, reactResult, {
  known: REACT_OPTIONS,
  changes: ({ models = {}, settings = {}, maxTurns, plan }) => {
    const own = {
      ...(maxTurns !== undefined && { max_turns: maxTurns }),
      ...(plan !== undefined && { plan }),
      ...settings.planning_agent,
    };
    const turns = typeof own.max_turns === "number" ? own.max_turns : 0;
    // Each turn is a visit, of which a node has 25 unless it says otherwise.
    const visits: Record<string, number> = turns > 20 ? { planning_agent: turns + 1, execute_tools: turns + 1 } : {};
    return [
      { models, settings: Object.keys(own).length > 0 ? { ...settings, planning_agent: own } : settings },
      visits,
    ];
  },
});

/** The planners that come with the package, as plans that can be read, changed and run. */
export const flows = {
  /**
   * Plans which tools can answer a request, calls them, and answers: nodes `plan`, `gather`, `answer`, `needs_context`
   * and `no_plan`.
   *
   * Values that no model may choose come from `context`: `{ user_email: "a@b.c" }`.
   *
   * @example
   * const { answer, toolPlan, results } = await flows.planGather("Which orders are open?", { tools: [mcp(url)], models:
   * { default: model } });
   */
  planGather: flow<PlanGatherRequest, FlowOptions, PlanGatherResult>(
    "flows.planGather",
    PLAN_GATHER,
    planGatherResult,
    { keys: ["user_query", "context"] },
  ),
  /**
   * Lets a model call tools until it answers or submits a plan of what to look up, looks that up, and answers: nodes
   * `planning_agent`, `execute_tools`, `web_research` (with `search` for each query), `write_answer` and
   * `finalize_answer`.
   *
   * `byId: { execute_tools: (node) => … }` makes the calls yourself: `node.input` is a list of
   * `{ tool_name, parameters }`, and what you give a list of results in that order. `byId: { web_research: … }` is
   * given the queries of the plan.
   *
   * @example
   * const { route, plan, answer } = await flows.react("What changed last week?", { tools: [mcp(url)], models: {
   * default: model }, maxTurns: 4 });
   */
  react,
  /**
   * Turns a request into a plan that is checked, or says what is missing. The tools of `tools` are what the plan may be
   * made of.
   *
   * @example
   * const made = await flows.author("Every new issue gets a label", { tools: [mcp(url)], models: { default: model } });
   * if (made.status === "planned") console.log(JSON.stringify(made.workflow, null, 2));
   * else if (made.status !== "unfinished") console.log(made.message, made.alternatives);
   */
  author: flow<AuthorRequest, FlowOptions, AuthorResult>("flows.author", AUTHOR, authorResult, {
    keys: ["user_input", "workflows", "partial"],
  }),
};
