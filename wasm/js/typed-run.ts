/** Types of runs whose plan has a declaration, as `stepgraph types` writes it. */
import type { PlanGraph } from "./graph.js";
import type { Model } from "./model-types.js";
import type { RunStream } from "./stream.js";
import type { FunctionTools, ToolClient, CheckedFunctionTools } from "./tool-types.js";
import type { CallUpdate, Handler, Report, RunOptions, Snapshot, Stubs, TraceEvent } from "./types.js";

/** What the declaration of a plan says. Without one, every run is allowed. */
export interface PlanTypes {
  input: unknown;
  /** Outputs by node id. */
  outputs: Record<string, unknown>;
  /** The node types that need a handler, each with its nodes. */
  handlers: Record<string, string>;
  models: string;
  tools: string;
  /** The nodes that ask for approval. */
  approvals: string;
}

type NoKeys = Record<never, never>;
type HandlersOf<T extends PlanTypes> = { [K in keyof T["handlers"]]: Handler };
/** The key may be left out if the value may be empty. */
type KeyIfNeeded<K extends string, V> = NoKeys extends V ? { [P in K]?: V } : { [P in K]: V };

/** Options of any run of a plan with these types. */
type CommonOptions<T extends PlanTypes> = Omit<
  RunOptions,
  "input" | "handlers" | "byId" | "models" | "allow" | "tools"
> & {
  /** Handlers by node. They override those by type. */
  byId?: { [K in T["handlers"][keyof T["handlers"]]]?: Handler };
  /** Models by the plan's names. `default` serves nodes that name none. */
  models?: { [K in T["models"] | "default"]?: Model };
  /** Tools that need no approval despite their `destructiveHint`, or `true` for all. */
  allow?: boolean | readonly T["tools"][];
};

/** Tool clients, or functions whose schemas decide the types of their arguments and results. */
interface ToolOptions<Tools> {
  /** Tool clients, listed before the first node, or functions by name: `{ add: { input: schema, run } }`. */
  tools?: readonly ToolClient[] | Tools;
}

/** Options of a run with the input and all handlers of its plan. */
export type TypedRunOptions<T extends PlanTypes = PlanTypes, Tools = FunctionTools> = CommonOptions<T> &
  ToolOptions<Tools> &
  KeyIfNeeded<"input", T["input"]> &
  KeyIfNeeded<"handlers", HandlersOf<T>>;

/** Options of a run that needs less, because stubs, a stored run or handlers of nodes replace it. */
export type PartialRunOptions<T extends PlanTypes = PlanTypes> = CommonOptions<T> &
  ToolOptions<FunctionTools> & {
    input?: T["input"];
    handlers?: Partial<HandlersOf<T>>;
  } & ({ stubs: Stubs } | { snapshot: Snapshot } | { replay: string | readonly string[] } | { byId: object });

/** The options, or nothing if the plan needs none. */
export type RunArguments<T extends PlanTypes, More = unknown, Tools = FunctionTools> =
  NoKeys extends TypedRunOptions<T>
    ? [options?: TypedRunOptions<T, Tools> & More]
    : [options: TypedRunOptions<T, Tools> & More];

type WithUpdates = { updates: true };
type WithoutUpdates = { updates?: false };

/** Runs a plan, and checks the options against its declaration, if it has one. */
export interface RunFunction {
  /** Runs a plan to its end, with stubs, a stored run or handlers of nodes instead of all handlers. */
  <T extends PlanTypes>(graph: PlanGraph<T>, options: PartialRunOptions<T>): Promise<Report<T>>;
  /**
   * Runs a plan to its end. Errors of the plan and of calls are outcomes, never rejections.
   *
   * @example
   * const report = await run(graph, { input: "hola", handlers: { log: (node) => node.input } });
   */
  <T extends PlanTypes, Args, Results>(
    graph: PlanGraph<T>,
    ...options: RunArguments<T, unknown, CheckedFunctionTools<Args, Results>>
  ): Promise<Report<T>>;
  /** Runs a plan and returns its events as they happen. */
  readonly stream: StreamFunction;
}

/** The type of `run.stream`. */
export interface StreamFunction {
  /** Runs a plan as the next ones do, with stubs, a stored run or handlers of nodes instead of all handlers. */
  <T extends PlanTypes>(
    graph: PlanGraph<T>,
    options: PartialRunOptions<T> & WithUpdates,
  ): RunStream<TraceEvent | CallUpdate, T>;
  /** The same, without updates. */
  <T extends PlanTypes>(graph: PlanGraph<T>, options: PartialRunOptions<T> & WithoutUpdates): RunStream<TraceEvent, T>;
  /**
   * Runs a plan and returns its events and the updates of open calls as they happen.
   *
   * @example
   * for await (const event of run.stream(graph, { ...options, updates: true })) console.log(event.type);
   */
  <T extends PlanTypes, Args, Results>(
    graph: PlanGraph<T>,
    options: TypedRunOptions<T, CheckedFunctionTools<Args, Results>> & WithUpdates,
  ): RunStream<TraceEvent | CallUpdate, T>;
  /** Runs a plan and returns its events as they happen. */
  <T extends PlanTypes, Args, Results>(
    graph: PlanGraph<T>,
    ...options: RunArguments<T, WithoutUpdates, CheckedFunctionTools<Args, Results>>
  ): RunStream<TraceEvent, T>;
}
