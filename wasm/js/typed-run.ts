/** Types of runs of plans with a declaration by `stepgraph types`. */
import type { PlanGraph } from "./graph.js";
import type { Model } from "./model-types.js";
import type { RunStream } from "./stream.js";
import type { FunctionTools, ToolClient, CheckedFunctionTools } from "./tool-types.js";
import type { CallUpdate, Handler, Report, RunOptions, Snapshot, Stubs, TraceEvent } from "./types.js";

/** A plan's declaration. If it is missing, any run is allowed. */
export interface PlanTypes {
  input: unknown;
  /** Keyed by node id. */
  outputs: Record<string, unknown>;
  /** Types that need a handler, with their nodes. */
  handlers: Record<string, string>;
  models: string;
  tools: string;
  /** Nodes that ask for approval. */
  approvals: string;
}

type NoKeys = Record<never, never>;
type HandlersOf<T extends PlanTypes> = { [K in keyof T["handlers"]]: Handler };
/** The key is optional if the value may be empty. */
type KeyIfNeeded<K extends string, V> = NoKeys extends V ? { [P in K]?: V } : { [P in K]: V };

type CommonOptions<T extends PlanTypes> = Omit<
  RunOptions,
  "input" | "handlers" | "byId" | "models" | "allow" | "tools"
> & {
  /** Overrides handlers by type. */
  byId?: { [K in T["handlers"][keyof T["handlers"]]]?: Handler };
  /** `default` serves nodes that name none. */
  models?: { [K in T["models"] | "default"]?: Model };
  /** As in {@link RunOptions}. */
  allow?: boolean | readonly T["tools"][];
};

interface ToolOptions<Tools> {
  /** As in {@link RunOptions}. */
  tools?: readonly ToolClient[] | Tools;
}

/** Options of a run with input and all handlers. */
export type TypedRunOptions<T extends PlanTypes = PlanTypes, Tools = FunctionTools> = CommonOptions<T> &
  ToolOptions<Tools> &
  KeyIfNeeded<"input", T["input"]> &
  KeyIfNeeded<"handlers", HandlersOf<T>>;

/** Stubs, a stored run or `byId` replace other options. */
export type PartialRunOptions<T extends PlanTypes = PlanTypes> = CommonOptions<T> &
  ToolOptions<FunctionTools> & {
    input?: T["input"];
    handlers?: Partial<HandlersOf<T>>;
  } & ({ stubs: Stubs } | { snapshot: Snapshot } | { replay: string | readonly string[] } | { byId: object });

/** The options, or nothing if none are needed. */
export type RunArguments<T extends PlanTypes, More = unknown, Tools = FunctionTools> =
  NoKeys extends TypedRunOptions<T>
    ? [options?: TypedRunOptions<T, Tools> & More]
    : [options: TypedRunOptions<T, Tools> & More];

type WithUpdates = { updates: true };
type WithoutUpdates = { updates?: false };

/** Runs a plan with options by its declaration. */
export interface RunFunction {
  /** Runs a plan with stubs, a stored run or `byId` instead of all handlers. */
  <T extends PlanTypes>(graph: PlanGraph<T>, options: PartialRunOptions<T>): Promise<Report<T>>;
  /**
   * Runs a plan. Errors of the plan and of calls are outcomes, never rejections.
   *
   * @example
   * const report = await run(graph, { input: "hola", handlers: { log: (node) => node.input } });
   */
  <T extends PlanTypes, Args, Results>(
    graph: PlanGraph<T>,
    ...options: RunArguments<T, unknown, CheckedFunctionTools<Args, Results>>
  ): Promise<Report<T>>;
  /** Runs a plan and returns its events. */
  readonly stream: StreamFunction;
}

/** The type of `run.stream`. */
export interface StreamFunction {
  /** The same with stubs, a stored run or `byId`. */
  <T extends PlanTypes>(
    graph: PlanGraph<T>,
    options: PartialRunOptions<T> & WithUpdates,
  ): RunStream<TraceEvent | CallUpdate, T>;
  /** The same without updates. */
  <T extends PlanTypes>(graph: PlanGraph<T>, options: PartialRunOptions<T> & WithoutUpdates): RunStream<TraceEvent, T>;
  /**
   * Returns a run's events and updates of calls.
   *
   * @example
   * for await (const event of run.stream(graph, { ...options, updates: true })) console.log(event.type);
   */
  <T extends PlanTypes, Args, Results>(
    graph: PlanGraph<T>,
    options: TypedRunOptions<T, CheckedFunctionTools<Args, Results>> & WithUpdates,
  ): RunStream<TraceEvent | CallUpdate, T>;
  /** Returns a run's events. */
  <T extends PlanTypes, Args, Results>(
    graph: PlanGraph<T>,
    ...options: RunArguments<T, WithoutUpdates, CheckedFunctionTools<Args, Results>>
  ): RunStream<TraceEvent, T>;
}
