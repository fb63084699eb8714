/** Options and results of the flows. */
import type { PlanGraph } from "./graph.js";
import type { Outcome, Report, RunOptions, ToolInfo } from "./types.js";

/** Options of a flow. The request replaces `input`. */
export interface FlowOptions extends Omit<RunOptions, "input"> {
  /** A model named like a node serves it, `default` all others: `{ default: small, planning_agent: large }`. */
  models?: NonNullable<RunOptions["models"]>;
  /** Settings of nodes, by id: `{ plan: { attempts: 1 } }`. */
  settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A planner as a plan: call, read or run it. */
export interface Flow<Request, Options extends FlowOptions, Result> {
  /** Errors of models and tools are results too. */
  (request: Request, options?: Options): Promise<Result>;
  /** The plan's text, to start your own from. */
  readonly source: string;
  /** Returns a new plan with these options. */
  graph(options?: Options): PlanGraph;
}

/** A run that failed, was cancelled, or waits for an approval. */
export interface Unfinished {
  status: "unfinished";
  outcome: Exclude<Outcome, { type: "completed" }>;
  report: Report;
}

/** A call that a planner chose. */
export interface PlannedCall {
  tool_name: string;
  parameters: Record<string, unknown>;
  reasoning: unknown;
}

/** A model's plan of calls, checked against the tools. */
export interface ToolPlan {
  plan: unknown;
  tool_calls: PlannedCall[];
  reasoning: unknown;
  needs_user_email: boolean;
  /** Trusted values that the calls need. */
  needs_context: string[];
  /** Those that the run lacks, if any. */
  missing_context?: string[];
  response_strategy: unknown;
}

/** The result of a planned call. */
export type GatheredCall = {
  tool_name: string;
  parameters: Record<string, unknown>;
  duration_ms: number;
  reasoning: unknown;
} & ({ success: true; data: unknown } | { success: false; error: { code: string; message: string } });

/** Results of all calls. `<tool>_data` is a tool's output, or a list of several. */
export interface Gathered {
  tool_results: GatheredCall[];
  successful_tools: string[];
  failed_tools: string[];
  total_execution_time_ms: number;
  /** Is 1 if there are no calls. */
  success_rate: number;
  execution_status: "completed" | "failed";
  [data: `${string}_data`]: unknown;
}

/** A request of {@link flows.planGather}. */
export type PlanGatherRequest = string | { user_query: string; context?: unknown };

/** A result of {@link flows.planGather}. Stages that did not run are null. */
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
  /** Pass the missing trusted values as `context`. No tool was called. */
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
  /** The model returned no valid plan. No tool was called. */
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

/** Next step of a reasoning turn. */
export type ReactRoute = "finalize_answer" | "web_research" | "execute_tools";

/** The default plan of {@link flows.react}. */
export interface SearchQueryList {
  query: string[];
  rationale: string;
}

/** Options of `react`. */
export interface ReactOptions extends FlowOptions {
  /** The most model calls. Default: 8. */
  maxTurns?: number;
  /** Schema of the submitted plan. Needs your own `web_research` in `byId`. */
  plan?: ToolInfo["input_schema"];
}

/** A result of {@link flows.react}. */
export type ReactResult<Plan = SearchQueryList> =
  | { status: "answered"; route: "finalize_answer"; plan: null; answer: string; failed: []; report: Report }
  | {
      /** `no_results`: every search failed. */
      status: "answered" | "no_results";
      route: "web_research";
      plan: Plan;
      answer: string;
      failed: FailedSearch[];
      report: Report;
    }
  | (Unfinished & { route: ReactRoute | null; plan: Plan | null; answer: null });

/** A web search that failed. */
export interface FailedSearch {
  query: unknown;
  code: string;
  message: string;
}

/** {@link flows.react}. Name your plan's type: `flows.react<Steps>(…)`. */
export interface ReactFlow extends Pick<Flow<unknown, ReactOptions, ReactResult>, "source" | "graph"> {
  <Plan = SearchQueryList>(request: unknown, options?: ReactOptions): Promise<ReactResult<Plan>>;
}

/** A text, or a request with existing plans. `partial`: what to do if it is only partly possible. */
export type AuthorRequest =
  | string
  | {
      user_input: string;
      workflows?: readonly { name: string; description: string; inputs?: unknown }[];
      partial?: "ask" | "continue";
    };

/** A problem of a generated plan. */
export interface AuthorProblem {
  code: string;
  message: string;
  help: string | null;
  place: unknown;
}

/** An authored plan. Keys that do not apply are empty. */
export interface Authored {
  /** `planned`: new. `found`: existing. Otherwise `message` names the missing parts. */
  status: "planned" | "found" | "clarification_needed" | "impossible_requirements" | "partial_solution" | "failed";
  message: string;
  /** For `PlanGraph.parse(JSON.stringify(workflow))`. */
  workflow: Record<string, unknown> | null;
  workflow_name: string | null;
  /** Values from the request for the plan's inputs. */
  params: Record<string, unknown>;
  missing_params: string[];
  missing_capabilities: string[];
  alternatives: unknown[];
  /** Errors of the last attempt, at most three. */
  errors: AuthorProblem[];
  more_errors: number;
  /** Parts of the request that the plan may miss. Review them. */
  unresolved: AuthorProblem[];
  coverage: { step: number; text: string; nodes: string[] }[];
  warnings: unknown[];
  missed_deadlines: unknown[];
  generations: number;
}

/** The result of `author`. */
export type AuthorResult =
  | (Authored & { status: "planned"; workflow: Record<string, unknown>; report: Report })
  | (Authored & { status: "found"; workflow_name: string; report: Report })
  | (Authored & {
      status: "clarification_needed" | "impossible_requirements" | "partial_solution" | "failed";
      report: Report;
    })
  | Unfinished;
