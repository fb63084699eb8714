/**
 * The public types of runs.
 *
 * Times are in milliseconds. User errors are a {@link Diagnostic} or {@link Outcome}, never an exception.
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
  /** Counts this node's visits in its scope from 1. */
  readonly visit: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** As in `fan:1/a`. Empty at the top. */
  readonly scope: string;
  /** An idempotency key of scope, node, visit and attempt. */
  readonly call: string;
}

/** The state that a handler reads. */
export interface State {
  /** The previous output, or the run's input. */
  readonly last: unknown;
  readonly input: unknown;
  /** Returns a node's or another named output. */
  output(name: string): unknown;
  /** Sets a named output for conditions and templates. */
  write(name: string, value: unknown): void;
  /** Trusted values of the host. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Aborted with the call: by cancellation, a time limit, or a sibling that decided the join. */
  readonly signal: AbortSignal;
}

/** Executes a node. A value costs no await, unlike a promise. */
export type Handler = (node: Node, state: State) => unknown;

/** The behaviour of a stub. */
export type Behaviour =
  | "echo"
  | "input"
  | "last"
  | { return: unknown; writes?: Record<string, unknown>; delay_ms?: number }
  | { sequence: Behaviour[]; delay_ms?: number }
  /** Selects by an argument as text. Fails without a case and `else`. */
  | { by: string; cases: Record<string, Behaviour>; else?: Behaviour; delay_ms?: number }
  | { fail: string; code?: string; delay_ms?: number };

/** A tool's stub. Its schemas, if any, validate calls. */
export type ToolBehaviour =
  | Behaviour
  | (Exclude<Behaviour, string> &
      Partial<
        Pick<ToolInfo, "description" | "input_schema" | "output_schema" | "annotations"> &
          Pick<McpTool, "inputSchema" | "outputSchema">
      >);

/** Replacements of handlers, tools and models. */
export interface Stubs {
  types?: Record<string, Behaviour>;
  nodes?: Record<string, Behaviour>;
  tools?: Record<string, ToolBehaviour>;
  models?: Record<string, Behaviour>;
}

/** How a run ended. */
export type Outcome =
  | { type: "completed"; reason: "terminal" | "no-match" }
  /** Has `scope` in nested graphs. */
  | { type: "failed"; code: string; message: string; node?: string; scope?: string; diagnostics?: Diagnostic[] }
  | { type: "cancelled" }
  /** Waits for decisions only. Resume from `report.snapshot`. */
  | { type: "paused"; approval: Approval; approvals: Approval[] };

/** Partial result of a nested graph. An agent's `last` is its last reply, its output `conversation` the messages. */
export interface PartialScope {
  /** If so, only its last output counts. */
  completed: boolean;
  last: unknown;
  outputs: Record<string, unknown>;
}

/** Identifies a plan's meaning. `parts` has lines of short hash and name. */
export interface Fingerprint {
  hash: string;
  parts: string;
}

/** A run as JSON. Any process with the plan can resume it. */
export interface Snapshot {
  type: "snapshot";
  format: 1;
  plan: Fingerprint;
  state: unknown;
  values: unknown[];
  /** The run's id, if calls carried one. */
  run?: string;
  /** Pending approvals, by call name. */
  asked?: Record<string, RequestedApproval>;
  /** A signature by the run's `key`. */
  mac?: string;
}

/** A pending approval. Decisions count only for equal requests. */
export interface RequestedApproval {
  tool?: string;
  server?: string;
  /** A hash of the value to approve. */
  hash: string;
  /** A hash of the tool's annotations. */
  says?: string;
}

/** An evaluated condition with the compared values. `missing: true`: absent. */
export interface Verdict {
  /** An index in `edges`. */
  edge: number;
  condition: string;
  holds: boolean;
  /** Its evaluation failed, so it does not hold. */
  failed?: true;
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
  /** The next attempt starts after `delayMs`. */
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
  /** `messages` are new since the last call. `call` is as in `help:1:1/2`. */
  | { type: "model-asked"; atMs: number; node: string; call: string; messages: Message[]; scope?: string }
  | { type: "model-replied"; atMs: number; node: string; call: string; reply: ChatReply; scope?: string }
  /** `approval`: the call needs a decision first. */
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
  /** The model receives `output` or `error`. */
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
  /** For a branch, or an item of a list. */
  | { type: "scope-started"; atMs: number; scope: string; node: string; input: unknown }
  | { type: "scope-ended"; atMs: number; scope: string; status: "completed" | "failed" | "abandoned" }
  | { type: "run-ended"; atMs: number; outcome: Outcome };

/** The report of a run. */
export interface Report<T extends PlanTypes = PlanTypes> {
  readonly outcome: Outcome;
  readonly last: unknown;
  /** Keyed by node id, with `input` and other named outputs. */
  readonly outputs: T["outputs"];
  /** Ids of visited top-level nodes, in order. At least the last 50 000. */
  readonly path: string[];
  /** Unfinished nested graphs, by scope. */
  readonly partial: Record<string, PartialScope>;
  /** If paused or cancelled. */
  readonly snapshot: Snapshot | null;
  /** Empty with `trace: false`. */
  readonly trace: TraceEvent[];
  readonly durationMs: number;
  readonly counts: RunCounts;
  /** Layout and comments do not count. */
  readonly planHash: string;
  /** Warnings from before the run. */
  readonly diagnostics: Diagnostic[];
  /** Why the run failed, or null. Not part of the JSON. */
  readonly error: RunError | null;
  toJSON(): unknown;
}

/** A model's delta or a tool's progress. Traces, cassettes and replays have none. */
export type CallUpdate =
  | { type: "model-delta"; node: string; call: string; delta: ChatDelta; scope?: string }
  | ({ type: "tool-progress"; node: string; call: string; tool: string; scope?: string } & ToolProgress);

/** A call before its start. */
export interface PendingCall {
  /** The same on every replay. */
  call: string;
  kind: "handler" | "tool" | "model" | "approval";
  node: string;
  visit: number;
  attempt: number;
  tool?: string;
  scope?: string;
}

/** The time and timers of a run. */
export interface Clock {
  /** Milliseconds from any fixed moment. */
  now(): number;
  /** Calls back after `ms`, never before returning. Returns a cancel function. */
  after(ms: number, then: () => void): () => void;
  /** Milliseconds since 1970 at `now()` 0, for `wait` nodes with `until`. */
  readonly epochMs?: number;
}

/** Executes and stores runs, like `RunStore`. */
export interface RunKeeper {
  run(graph: PlanGraph, options: Omit<RunOptions, "store">): Promise<Report>;
}

/** Options of `run`. */
export interface RunOptions {
  /** `input` in the plan, and `last` at its first node. Default: null. */
  input?: unknown;
  /** Outputs for conditions and templates. */
  outputs?: Record<string, unknown>;
  /** `memory` in the plan. */
  memory?: unknown;
  /** `context` in the plan: trusted values that no model can change. */
  context?: Record<string, unknown>;
  /** Keyed by node type. */
  handlers?: Record<string, Handler>;
  /** Keyed by node id. They override those by type. */
  byId?: Record<string, Handler>;
  /** Clients, or functions by name: `{ add: { input: schema, run } }`. */
  tools?: ToolSources;
  /** Keyed by the plan's names. `default` serves nodes that name none. */
  models?: Record<string, Model>;
  /** Replaces handlers, tools and models. */
  stubs?: Stubs;
  /** Overrides the plan's limits. */
  limits?: Limits;
  /** For `report.counts.usd`. `limits.usd` needs prices of all models that the plan may call. */
  prices?: Prices;
  /** Its abort ends the run as `cancelled`. */
  signal?: AbortSignal;
  /** Asks the user. If absent, the run pauses after all other work. */
  onApproval?: (approval: Approval, signal: AbortSignal) => Decision | Promise<Decision>;
  /** Tools that need no approval despite their `destructiveHint`, or `true` for all. */
  allow?: boolean | readonly string[];
  /** Keyed by call name. If there is a snapshot, they count only for its pending approvals. */
  decisions?: Record<string, Decision>;
  /** Resumes with its input, outputs and memory. Pass all other options again: omitted limits no longer hold. */
  snapshot?: Snapshot;
  /** Signs snapshots and refuses all others with `snapshot/unusable`. Use it if others can write to your storage. */
  key?: string | Uint8Array;
  /**
   * Accepts a snapshot or cassette of another plan. `proved`: only if nothing that ran or waits has changed, see
   * `compareRun`. `true`: as far as its nodes exist.
   */
  acceptChangedPlan?: boolean | "proved";
  /**
   * Receives each event. An error or rejection cancels the run, and its outcome is `run/listener-failed`, as in
   * `onUpdate` and `record`.
   */
  onEvent?: (event: TraceEvent) => void;
  /** Receives updates of open calls. If absent, none are requested. */
  onUpdate?: (update: CallUpdate) => void;
  /** Awaited before each call, also a stub's, but not a recalled one. Its error fails the call. */
  onCall?: (call: PendingCall, signal: AbortSignal) => unknown;
  /** For durations, retries, time limits and stub delays. */
  clock?: Clock;
  /** `false` stores no trace, which limits memory. */
  trace?: boolean;
  /** Receives the cassette's lines, without secrets. */
  record?: (line: string) => void;
  /** A cassette as text or lines, without calls and waiting. Answers have their recorded times. */
  replay?: string | readonly string[];
  /** Refuses other plans. If it is a fingerprint, the message lists differences. */
  planHash?: string | Fingerprint;
  /** Refuses changed tools that the plan uses with `tool/differs-from-lock`. */
  lock?: ToolLock;
  /**
   * Stores the run, so that any process can continue it: `openStore` of `stepgraph/store`. Other options are then those
   * of durable runs.
   */
  store?: RunKeeper;
  /** Sent to MCP servers. An idempotency key together with the call name. Default: random, or the snapshot's. */
  runId?: string;
}
