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
import { PlanGraph } from "./graph.js";
import { assertLimits, assertOptions, type Kinds, RUN } from "./options.js";
import { run } from "./run.js";
import type { Outcome, Report, RunOptions, ToolInfo } from "./types.js";

/** What a flow is run with: whatever a run is, but for its input, which is the request. */
export interface FlowOptions extends Omit<RunOptions, "input"> {
  /**
   * Models. One that is called as a node of the flow answers for that node, `default` for all others:
   * `{ default: small, planning_agent: large }`.
   */
  models?: NonNullable<RunOptions["models"]>;
  /** Settings of nodes, by their ids, in the place of the flow's own: `{ plan: { attempts: 1 } }`. */
  settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A planner that is a plan: to be called, to be read, or to be run as any other plan. */
export interface Flow<Request, Options extends FlowOptions, Result> {
  /** Runs it. What a model or a tool does wrong is a result, too; `report` is always there. */
  (request: Request, options?: Options): Promise<Result>;
  /** The plan as text, comments and all: something to begin a plan of one's own with. */
  readonly source: string;
  /**
   * The plan as these options change it, for `run`, `run.stream`, `check` or `review`; a new one each time, which may
   * be freed.
   */
  graph(options?: Options): PlanGraph;
}

/** A run that came to no end of its own: it failed, was cancelled, or waits for a person. */
export interface Unfinished {
  status: "unfinished";
  /** Why; of a run that waits, the snapshot to go on from is in the report. */
  outcome: Exclude<Outcome, { type: "completed" }>;
  report: Report;
}

/** A call that a model planned. */
export interface PlannedCall {
  tool_name: string;
  parameters: Record<string, unknown>;
  reasoning: unknown;
}

/** What a model that plans has answered, after it was judged by the tools there are. */
export interface ToolPlan {
  plan: unknown;
  tool_calls: PlannedCall[];
  reasoning: unknown;
  needs_user_email: boolean;
  /** The trusted values that some call needs. */
  needs_context: string[];
  /** Those of them that the run was not given; absent when it was given all. */
  missing_context?: string[];
  response_strategy: unknown;
}

/** What a planned call came to. */
export type GatheredCall = {
  tool_name: string;
  parameters: Record<string, unknown>;
  duration_ms: number;
  reasoning: unknown;
} & ({ success: true; data: unknown } | { success: false; error: { code: string; message: string } });

/** What all calls came to; under `<tool>_data` what a tool gave, a list when it was called more than once. */
export interface Gathered {
  tool_results: GatheredCall[];
  successful_tools: string[];
  failed_tools: string[];
  total_execution_time_ms: number;
  /** From 0 to 1; 1 for no calls. */
  success_rate: number;
  execution_status: "completed" | "failed";
  [data: `${string}_data`]: unknown;
}

/** The request as text, or with what else is known. */
export type PlanGatherRequest = string | { user_query: string; context?: unknown };

/** What planning, gathering and answering came to. What was not come to is null. */
export type PlanGatherResult =
  | {
      status: "answered";
      answer: string;
      toolPlan: ToolPlan;
      gathered: Gathered;
      results: GatheredCall[];
      error: null;
      report: Report;
    }
  /** The calls need trusted values that the run was not given; nothing was called. Give them as `context`. */
  | {
      status: "needs_context";
      missing: string[];
      answer: null;
      toolPlan: ToolPlan;
      gathered: null;
      results: [];
      error: { code: string; message: string };
      report: Report;
    }
  /** The model gave no plan that can be carried out; nothing was called. */
  | {
      status: "no_plan";
      answer: null;
      toolPlan: null;
      gathered: null;
      results: [];
      error: { code: string; message: string };
      report: Report;
    }
  | (Unfinished & {
      answer: null;
      toolPlan: ToolPlan | null;
      gathered: Gathered | null;
      results: GatheredCall[];
      error: null;
    });

/** Where the model of `flows.react` went. */
export type ReactRoute = "finalize_answer" | "web_research" | "execute_tools";

/** A plan of what to look up, unless `plan` of the options says otherwise. */
export interface SearchQueryList {
  query: string[];
  rationale: string;
}

/** What `flows.react` is run with. */
export interface ReactOptions extends FlowOptions {
  /** How often the model is asked at most; 8. */
  maxTurns?: number;
  /**
   * JSON Schema of the plan that a model may submit. A flow with another plan needs another `web_research`, by `byId`.
   */
  plan?: ToolInfo["input_schema"];
}

/** What reasoning and acting came to. `plan` is what the model submitted, if it did. */
export type ReactResult<Plan = SearchQueryList> =
  | { status: "answered"; route: "finalize_answer"; plan: null; answer: string; report: Report }
  | { status: "answered"; route: "web_research"; plan: Plan; answer: string; report: Report }
  | (Unfinished & { route: ReactRoute | null; plan: Plan | null; answer: null });

/** {@link flows.react}; name the type of the plan when the model is to submit another one: `flows.react<Steps>(…)`. */
export interface ReactFlow extends Pick<Flow<unknown, ReactOptions, ReactResult>, "source" | "graph"> {
  /** Runs it. */
  <Plan = SearchQueryList>(request: unknown, options?: ReactOptions): Promise<ReactResult<Plan>>;
}

/** The request as text, or with plans that may serve already, and what to do when only a part can be done. */
export type AuthorRequest =
  | string
  | {
      user_input: string;
      workflows?: readonly { name: string; description: string; inputs?: unknown }[];
      partial?: "ask" | "continue";
    };

/** What became of a request for a plan. Every key is always there, empty where it says nothing. */
export interface Authored {
  /** `planned`: written; `found`: there is one already; the others say in `message` what is missing. */
  status: "planned" | "found" | "clarification_needed" | "impossible_requirements" | "partial_solution" | "failed";
  /** For the person who asked. */
  message: string;
  /** The plan as plain data, for `PlanGraph.parse(JSON.stringify(workflow))`. */
  workflow: Record<string, unknown> | null;
  /** Of a plan that is there already. */
  workflow_name: string | null;
  /** The values that the request gives for the plan's inputs. */
  params: Record<string, unknown>;
  missing_params: string[];
  missing_capabilities: string[];
  alternatives: unknown[];
  /** Why a written plan would not do, after the last attempt. */
  errors: { code: string; message: string; help: string | null; place: unknown }[];
  warnings: unknown[];
  missed_deadlines: unknown[];
  /** How often a plan was written. */
  generations: number;
}

/** The same with the report; `workflow` is there when it was `planned`. */
export type AuthorResult =
  | (Authored & { status: "planned"; workflow: Record<string, unknown>; report: Report })
  | (Authored & { status: "found"; workflow_name: string; report: Report })
  | (Authored & {
      status: "clarification_needed" | "impossible_requirements" | "partial_solution" | "failed";
      report: Report;
    })
  | Unfinished;

interface WrittenNode {
  type: string;
  with?: Record<string, unknown>;
  visits?: number;
  do?: Written;
  graph?: Written;
  branches?: Record<string, Written>;
}
interface Written {
  nodes: Record<string, WrittenNode>;
}

/** Every node, at any depth, by its id. */
function* nodesOf({ nodes }: Written): Generator<[string, WrittenNode]> {
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
  const plain = read(source);
  const plan = plain.toJSON() as Written;
  const nodes = new Map(nodesOf(plan));
  const changed = [...nodes].filter(
    ([id]) => Object.hasOwn(models, id) || Object.hasOwn(settings, id) || Object.hasOwn(visits, id),
  );
  const stray = Object.keys(settings).find((id) => !nodes.has(id));
  if (stray !== undefined)
    throw new PlanError(
      "api/unknown-node",
      `the flow has no node \`${stray}\`; its nodes are \`${[...nodes.keys()].join("`, `")}\``,
    );
  if (changed.length === 0) return plain;
  plain.free();
  for (const [id, node] of changed) {
    node.with = { ...node.with, ...(Object.hasOwn(models, id) && { model: id }), ...settings[id] };
    if (visits[id]) node.visits = visits[id];
  }
  return read(JSON.stringify(plan));
}

function read(text: string): PlanGraph {
  const { graph, diagnostics } = PlanGraph.parse(text);
  if (graph?.valid) return graph;
  const { code, message } = diagnostics.find(({ severity }) => severity === "error")!;
  throw new PlanError("api/bad-settings", `these settings make no plan: ${message} (${code})`);
}

/** The last few graphs of a flow, so that a program that calls it often reads and binds it once. */
class Graphs {
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
const ELSEWHERE = { input: "the request is given before the options" };

/** A flow: its text, how options change it, and what its run comes to. */
function flow<Request, Options extends FlowOptions, Result>(
  of: string,
  source: string,
  result: (report: Report, outcome: Outcome) => Result,
  more: (options: Options) => [Changes, Record<string, number>?] = (options) => [options],
  known: Kinds<Options> = OPTIONS as Kinds<Options>,
): Flow<Request, Options, Result> {
  const graphs = new Graphs();
  const assertFlow = (options: Options) => {
    assertOptions(of, options, known, ELSEWHERE);
    assertLimits(options.limits, of);
  };
  const graph = (options: Options = {} as Options) => {
    assertFlow(options);
    return graphOf(source, ...more(options));
  };
  const call = async (request: Request, options: Options = {} as Options) => {
    assertFlow(options);
    const [{ models = {}, settings }, visits] = more(options);
    const own = graphs.of(JSON.stringify([Object.keys(models), settings, visits]), () => graph(options));
    // What has gone into the plan is no option of its run.
    const { settings: _, maxTurns: _turns, plan: _plan, ...rest } = options as Options & Partial<ReactOptions>;
    const report = await run(own, { ...rest, input: request });
    return result(report, report.outcome);
  };
  return Object.assign(call, { source, graph });
}

function planned(report: Report, outcome: Outcome): PlanGatherResult {
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

function reasoned<Plan>(report: Report, outcome: Outcome): ReactResult<Plan> {
  const { planning_agent: route = null, plan = null } = report.outputs as { planning_agent?: ReactRoute; plan?: Plan };
  if (outcome.type !== "completed") return { status: "unfinished", outcome, route, plan, answer: null, report };
  return {
    status: "answered",
    route,
    plan: route === "web_research" ? plan : null,
    answer: report.last as string,
    report,
  } as ReactResult<Plan>;
}

function authored(report: Report, outcome: Outcome): AuthorResult {
  if (outcome.type !== "completed") return { status: "unfinished", outcome, report };
  return { ...((report.outputs.result ?? report.last) as Authored), report } as AuthorResult;
}

const react: ReactFlow = flow<unknown, ReactOptions, ReactResult<never>>(
  "flows.react",
  REACT,
  reasoned,
  ({ models = {}, settings = {}, maxTurns, plan }) => {
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
  REACT_OPTIONS,
);

/** The planners that come with the package, as plans that can be read, changed and run. */
export const flows = {
  /**
   * Plans which tools can answer a request, calls them, and answers: nodes `plan`, `gather`, `answer`, `needs_context` and `no_plan`.
   *
   * Values that no model may choose come from `context`: `{ user_email: "a@b.c" }`.
   *
   * @example
   * const { answer, toolPlan, results } = await flows.planGather("Which orders are open?", { tools: [mcp(url)], models:
   * { default: model } });
   */
  planGather: flow<PlanGatherRequest, FlowOptions, PlanGatherResult>("flows.planGather", PLAN_GATHER, planned),
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
  author: flow<AuthorRequest, FlowOptions, AuthorResult>("flows.author", AUTHOR, authored),
};
