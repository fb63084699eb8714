/**
 * What the flows of the package are given, and what they come to.
 */
import type { PlanGraph } from "./graph.js";
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
  | { status: "answered"; route: "finalize_answer"; plan: null; answer: string; failed: []; report: Report }
  | {
      /** `no_results`: every search failed, and the answer rests on none. */
      status: "answered" | "no_results";
      route: "web_research";
      plan: Plan;
      answer: string;
      /** The searches that failed. */
      failed: FailedSearch[];
      report: Report;
    }
  | (Unfinished & { route: ReactRoute | null; plan: Plan | null; answer: null });

/** A search of {@link flows.react} that failed, and why. */
export interface FailedSearch {
  query: unknown;
  code: string;
  message: string;
}

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

/** What is wrong with a written plan. */
export interface AuthorProblem {
  code: string;
  message: string;
  help: string | null;
  place: unknown;
}

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
  /** Why a written plan would not do, after the last attempt: three at most. */
  errors: AuthorProblem[];
  /** How many errors there are beside those. */
  more_errors: number;
  /** What a plan that was `planned` may leave out of the request. Look at it before you run the plan. */
  unresolved: AuthorProblem[];
  /** Which nodes serve each requirement; none serves one that the plan leaves out. */
  coverage: { step: number; text: string; nodes: string[] }[];
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
