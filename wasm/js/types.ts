/**
 * The public types of runs, and those of plans, tools and models.
 *
 * Times are in milliseconds. A user's error is a {@link Diagnostic} or an {@link Outcome}, never an exception.
 */
import type { Approval, Decision } from "./approval-types.js";
import type { ChatDelta, ChatReply, Message, Model } from "./model-types.js";
import type { PlanGraph } from "./graph.js";
import type { RunError } from "./errors.js";
import type { Prices } from "./prices.js";
import type { Diagnostic } from "./plan-types.js";
import type { Limits, RunCounts } from "./run-limits.js";
import type { ToolLock } from "./tool-lock.js";
import type { McpTool, ToolInfo, ToolProgress, ToolSources } from "./tool-types.js";
import type { PlanTypes } from "./typed-run.js";

export type * from "./approval-types.js";
export type * from "./model-types.js";
export type * from "./plan-types.js";
export type * from "./run-limits.js";
export type * from "./tool-types.js";
export type {
  PartialRunOptions,
  PlanTypes,
  RunArguments,
  RunFunction,
  StreamFunction,
  TypedRunOptions,
} from "./typed-run.js";

/** The node that a handler runs for. */
export interface Node {
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  /** The plan's input with templates filled in, or the last output. */
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  /** The visit of this node within its scope, from 1. */
  readonly visit: number;
  /** The attempt, from 1. */
  readonly attempt: number;
  /** The scope in nested graphs: `fan:1/a`. Empty in the top-level graph. */
  readonly scope: string;
  /** An idempotency key, the same on every replay: scope, node, visit and attempt. */
  readonly call: string;
}

/** The state of the run that a handler reads. */
export interface State {
  /** The previous node's output, or the run's input. */
  readonly last: unknown;
  readonly input: unknown;
  /** Returns the output of a node, or another named output. */
  output(name: string): unknown;
  /** Sets another named output for conditions and templates. */
  write(name: string, value: unknown): void;
  /** Trusted values of the host. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Aborted when the call is abandoned: by cancellation, a time limit, or a sibling that decided the join. */
  readonly signal: AbortSignal;
}

/** Executes a node. Returning a value instead of a promise costs no await. */
export type Handler = (node: Node, state: State) => unknown;

/** The behaviour of a stub. */
export type Behaviour =
  | "echo"
  | "input"
  | "last"
  | { return: unknown; writes?: Record<string, unknown>; delay_ms?: number }
  | { sequence: Behaviour[]; delay_ms?: number }
  /** Selects by an argument's value, as text. Fails if there is no case and no `else`. */
  | { by: string; cases: Record<string, Behaviour>; else?: Behaviour; delay_ms?: number }
  | { fail: string; code?: string; delay_ms?: number };

/** A tool's stub. A map may also describe the tool, and calls are validated against that. */
export type ToolBehaviour =
  | Behaviour
  | (Exclude<Behaviour, string> &
      Partial<
        Pick<ToolInfo, "description" | "input_schema" | "output_schema" | "annotations"> &
          Pick<McpTool, "inputSchema" | "outputSchema">
      >);

/** Replaces handlers, tools and models. */
export interface Stubs {
  types?: Record<string, Behaviour>;
  nodes?: Record<string, Behaviour>;
  tools?: Record<string, ToolBehaviour>;
  models?: Record<string, Behaviour>;
}

/** How a run ended. */
export type Outcome =
  | { type: "completed"; reason: "terminal" | "no-match" }
  /** `scope` is present in nested graphs. */
  | { type: "failed"; code: string; message: string; node?: string; scope?: string; diagnostics?: Diagnostic[] }
  | { type: "cancelled" }
  /** Only a decision can continue the run. `report.snapshot` is the state to resume from. */
  | { type: "paused"; approval: Approval; approvals: Approval[] };

/**
 * Partial result of a nested graph. An agent has its last reply in `last` and its messages in the output
 * `conversation`.
 */
export interface PartialScope {
  /** Whether it had completed. Then only its last output counts. */
  completed: boolean;
  last: unknown;
  outputs: Record<string, unknown>;
}

/** Identifies a plan's meaning. `parts` has a line for each part: a short hash, then the name. */
export interface Fingerprint {
  hash: string;
  parts: string;
}

/** A run as JSON. Any process that has the plan can resume it. */
export interface Snapshot {
  type: "snapshot";
  format: 1;
  plan: Fingerprint;
  state: unknown;
  values: unknown[];
  /** The run's id, if its calls carried one. */
  run?: string;
  /** Pending approvals, by call name. */
  asked?: Record<string, RequestedApproval>;
  /** The signature, if the run had a `key`. */
  mac?: string;
}

/** A pending approval. A decision counts only for the same request. */
export interface RequestedApproval {
  tool?: string;
  server?: string;
  /** A short hash of the value to approve. */
  hash: string;
  /** A short hash of the tool's annotations. */
  says?: string;
}

/** An evaluated condition. `saw` has the values that it compared, with `missing: true` for absent ones. */
export interface Verdict {
  /** The edge's index in `edges`. */
  edge: number;
  condition: string;
  holds: boolean;
  saw: { reference: string; value?: unknown; missing?: true }[];
}

/** An event of a run. */
export type TraceEvent =
  | { type: "run-started"; atMs: number; input: unknown }
  | { type: "run-resumed"; atMs: number }
  | { type: "node-started"; atMs: number; node: string; visit: number; input: unknown; scope?: string }
  | {
      type: "node-completed";
      atMs: number;
      node: string;
      visit: number;
      output: unknown;
      durationMs: number;
      scope?: string;
    }
  | {
      type: "node-failed";
      atMs: number;
      node: string;
      visit: number;
      code: string;
      message: string;
      durationMs: number;
      scope?: string;
    }
  /** An attempt failed. The next one starts after `delayMs`. */
  | {
      type: "node-retried";
      atMs: number;
      node: string;
      visit: number;
      attempt: number;
      code: string;
      message: string;
      delayMs: number;
      scope?: string;
    }
  | { type: "logged"; atMs: number; node: string; value: unknown; scope?: string }
  /** An agent called its model. `messages` are new since the last call. `call` is the call's name: `help:1:1/2`. */
  | { type: "model-asked"; atMs: number; node: string; call: string; messages: Message[]; scope?: string }
  | { type: "model-replied"; atMs: number; node: string; call: string; reply: ChatReply; scope?: string }
  /** An agent's model requested a tool. `approval`: it needs a decision first. */
  | {
      type: "tool-asked";
      atMs: number;
      node: string;
      call: string;
      tool: string;
      arguments: Record<string, unknown>;
      approval?: true;
      scope?: string;
    }
  /** The tool's `output`, or the `error` that the model receives. */
  | {
      type: "tool-answered";
      atMs: number;
      node: string;
      call: string;
      tool: string;
      output?: unknown;
      error?: { code: string; message: string };
      scope?: string;
    }
  | {
      type: "edge-decided";
      atMs: number;
      node: string;
      from: string;
      to: string | null;
      edge: number | null;
      reason: "condition" | "fallback" | "no-match" | "terminal";
      verdicts: Verdict[];
      scope?: string;
    }
  /** A node started a nested graph: a branch, or an item of its list. */
  | { type: "scope-started"; atMs: number; scope: string; node: string; input: unknown }
  | { type: "scope-ended"; atMs: number; scope: string; status: "completed" | "failed" | "abandoned" }
  | { type: "run-ended"; atMs: number; outcome: Outcome };

/** The report of a run. */
export interface Report<T extends PlanTypes = PlanTypes> {
  readonly outcome: Outcome;
  readonly last: unknown;
  /** All outputs by node id, with `input` and other named outputs. */
  readonly outputs: T["outputs"];
  /** Ids of the visited nodes of the top-level graph, in order. At least the last 50 000. */
  readonly path: string[];
  /** Partial results of unfinished nested graphs, by scope. */
  readonly partial: Record<string, PartialScope>;
  /** The state to resume from, if paused or cancelled. */
  readonly snapshot: Snapshot | null;
  /** All events in order. Empty with `trace: false`. */
  readonly trace: TraceEvent[];
  readonly durationMs: number;
  readonly counts: RunCounts;
  /** Identifies the plan's meaning. Layout and comments do not count. */
  readonly planHash: string;
  /** Warnings from before the run. */
  readonly diagnostics: Diagnostic[];
  /** Why the run failed, to throw or to log. Null for all other outcomes. Not part of the JSON. */
  readonly error: RunError | null;
  toJSON(): unknown;
}

/**
 * An update of an open call: a delta of a model's answer, or a tool's progress. `call` is the call's name. Traces,
 * cassettes and replays have no updates.
 */
export type CallUpdate =
  | { type: "model-delta"; node: string; call: string; delta: ChatDelta; scope?: string }
  | ({ type: "tool-progress"; node: string; call: string; tool: string; scope?: string } & ToolProgress);

/** A call that is about to be made. */
export interface PendingCall {
  /** The same on every replay. */
  call: string;
  kind: "handler" | "tool" | "model" | "approval";
  node: string;
  visit: number;
  attempt: number;
  /** The tool to call or to approve. */
  tool?: string;
  /** The scope in nested graphs. */
  scope?: string;
}

/** The time and timers of a run. */
export interface Clock {
  /** Milliseconds from any fixed moment. */
  now(): number;
  /** Calls back after `ms`, never before returning. Returns a function that cancels. */
  after(ms: number, then: () => void): () => void;
  /** The time when `now()` is 0, in milliseconds since 1970. A `wait` node with `until` needs it. */
  readonly epochMs?: number;
}

/** Executes and stores runs, as a `RunStore` does. */
export interface RunKeeper {
  run(graph: PlanGraph, options: Omit<RunOptions, "store">): Promise<Report>;
}

/** Options of `run`. */
export interface RunOptions {
  /** The value of `input` in the plan, and of `last` at its first node. Default: null. */
  input?: unknown;
  /** Further outputs for conditions and templates. */
  outputs?: Record<string, unknown>;
  /** The value of `memory` in the plan. */
  memory?: unknown;
  /** Trusted values, `context` in the plan. No model can change them. */
  context?: Record<string, unknown>;
  /** Handlers by node type. */
  handlers?: Record<string, Handler>;
  /** Handlers by node id. They override those by type. */
  byId?: Record<string, Handler>;
  /** Tool clients, listed before the first node, or functions by name: `{ add: { input: schema, run } }`. */
  tools?: ToolSources;
  /** Models by the plan's names. `default` serves nodes that name none. */
  models?: Record<string, Model>;
  /** Replaces handlers, tools and models. */
  stubs?: Stubs;
  /** Overrides the plan's limits. */
  limits?: Limits;
  /** What the models cost: `report.counts.usd`. `limits.usd` needs the price of every model that the plan may call. */
  prices?: Prices;
  /** Aborting it ends the run with the outcome `cancelled`. */
  signal?: AbortSignal;
  /** Asks the user for a decision. If absent, the run pauses at an approval after all other work. */
  onApproval?: (approval: Approval, signal: AbortSignal) => Decision | Promise<Decision>;
  /** Tools that need no approval despite their `destructiveHint`, or `true` for all. */
  allow?: boolean | readonly string[];
  /** Decisions by call name. With a snapshot they count only for the approvals that it waits for. */
  decisions?: Record<string, Decision>;
  /**
   * Resumes from this snapshot, with its input, outputs and memory. Pass all else again, also `context`, `limits` and
   * `planHash`: an omitted limit no longer holds.
   */
  snapshot?: Snapshot;
  /**
   * Signs snapshots. A snapshot without a valid signature is refused with `snapshot/unusable`. Use it if others can
   * write to your storage.
   */
  key?: string | Uint8Array;
  /**
   * Accepts a snapshot or cassette of another plan. `proved`: only if nothing that ran, or waits, has changed, so that
   * the run equals one of the new plan from its start. See `compareRun`. `true`: as far as its nodes still exist.
   */
  acceptChangedPlan?: boolean | "proved";
  /**
   * Called with each event. An error or rejection ends the run with `run/listener-failed`, as in `onUpdate` and
   * `record`. The report has all that was done.
   */
  onEvent?: (event: TraceEvent) => void;
  /** Called with updates of open calls. If absent, none are requested. */
  onUpdate?: (update: CallUpdate) => void;
  /**
   * Called before each call, also a stub's, but not before a recalled answer. The call waits for the returned promise,
   * and fails with its error.
   */
  onCall?: (call: PendingCall, signal: AbortSignal) => unknown;
  /** Replaces the platform's clock for durations, retries, time limits and stub delays. */
  clock?: Clock;
  /** `false` stores no trace, so memory stays limited. */
  trace?: boolean;
  /** Receives the run's cassette line by line, without secrets. */
  record?: (line: string) => void;
  /** A cassette to replay, as text or lines: recorded answers at their times, without calls and waiting. */
  replay?: string | readonly string[];
  /** Refuses to run any other plan. A fingerprint makes the message list the differences. */
  planHash?: string | Fingerprint;
  /** Refuses to run with `tool/differs-from-lock` if tools differ from the locked ones in what the plan uses. */
  lock?: ToolLock;
  /**
   * Stores the run, so that any process can continue it after a pause or a crash: `openStore` of `stepgraph/store`. The
   * other options are then those of a durable run.
   */
  store?: RunKeeper;
  /**
   * The run's id, sent to MCP servers with each call. Id and call name are an idempotency key. Default: random, or the
   * snapshot's.
   */
  runId?: string;
}
