/**
 * The shapes that cross the border of the package, in one place.
 *
 * Times are milliseconds. A user's mistake is never an exception: it is a {@link Diagnostic} or an {@link Outcome}.
 * Those of runs stand here; those of plans, tools and models stand beside it, and are found here all the same.
 */
import type { ChatDelta, ChatReply, Message, Model } from "./model-types.js";
import type { Diagnostic } from "./plan-types.js";
import type { McpTool, ToolClient, ToolInfo, ToolProgress } from "./tool-types.js";

export type * from "./model-types.js";
export type * from "./plan-types.js";
export type * from "./tool-types.js";

/** What a handler is told of the node it answers for. */
export interface Node {
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  /** The resolved input: what the plan says, templates filled in, or the last output. */
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  /** How often its scope has come to this node, from 1. */
  readonly visit: number;
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** Where it stands while a graph inside a node is run: `fan:1/a`; empty in the plan's own graph. */
  readonly scope: string;
  /** Stable across replays: scope, node, visit and attempt. Usable as an idempotency key. */
  readonly call: string;
}

/** What a handler may read, and add to, of the run. */
export interface State {
  /** The output of the node before this one; the run's input at the first. */
  readonly last: unknown;
  readonly input: unknown;
  /** The output of a node, or another named output. */
  output(name: string): unknown;
  /** Sets a further named output, which conditions and templates can read. */
  write(name: string, value: unknown): void;
  /** Trusted values of the host. */
  readonly context: Readonly<Record<string, unknown>>;
  /**
   * Aborted when nobody wants the answer any more: the run was cancelled, the try took too long, a sibling decided the
   * join.
   */
  readonly signal: AbortSignal;
}

/** Answers for a node. A value costs no await. */
export type Handler = (node: Node, state: State) => unknown;

/** What a stub does instead of asking. */
export type Behaviour =
  | "echo"
  | "input"
  | "last"
  | { return: unknown; writes?: Record<string, unknown>; delay_ms?: number }
  | { sequence: Behaviour[]; delay_ms?: number }
  /** By the value of an argument, as text; what has no case and no `else` fails. */
  | { by: string; cases: Record<string, Behaviour>; else?: Behaviour; delay_ms?: number }
  | { fail: string; code?: string; delay_ms?: number };

/** The same for a tool; a map may also say of the tool what its server would, and calls are held to that. */
export type ToolBehaviour =
  | Behaviour
  | (Exclude<Behaviour, string> &
      Partial<
        Pick<ToolInfo, "description" | "input_schema" | "output_schema" | "annotations"> &
          Pick<McpTool, "inputSchema" | "outputSchema">
      >);

/** Replaces handlers, tools and models without a network. */
export interface Stubs {
  types?: Record<string, Behaviour>;
  nodes?: Record<string, Behaviour>;
  tools?: Record<string, ToolBehaviour>;
  models?: Record<string, Behaviour>;
}

/** How a run ended. */
export type Outcome =
  | { type: "completed"; reason: "terminal" | "no-match" }
  /** `scope` says where the node stands, when it is in a graph inside a node. */
  | { type: "failed"; code: string; message: string; node?: string; scope?: string; diagnostics?: Diagnostic[] }
  | { type: "cancelled" }
  /** Only a person can go on. `report.snapshot` is what the run resumes from. */
  | { type: "paused"; approval: Approval; approvals: Approval[] };

/** What a person is asked. */
export interface Approval {
  /** The name under which it is decided, the same after any number of pauses. */
  readonly call: string;
  readonly node: string;
  readonly scope: string;
  /** What is to be approved; of the call of a tool `{ tool, arguments }`. */
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * The tool that is to be called, when that is what needs leave. A value that stands in its place is then other
   * arguments.
   */
  readonly tool?: string;
  /** The server that has this tool, where it is known: a decision holds for that server's tool only. */
  readonly server?: string;
}

/** What a person decided: a value stands in the place of what was to be approved. */
export type Decision = "approved" | "rejected" | { value: unknown };

/**
 * What a graph inside a node had when the run ended around it; of an agent that gave up, what its model said `last` and
 * the messages so far, as the output `conversation`.
 */
export interface PartialScope {
  /** Whether it had come to its end; then only its last output counts. */
  completed: boolean;
  last: unknown;
  outputs: Record<string, unknown>;
}

/**
 * What identifies a plan's meaning: its hash, and a text with a line for each part, a short hash before the part's
 * name.
 */
export interface Fingerprint {
  hash: string;
  parts: string;
}

/** A run as data: JSON, to be kept anywhere and resumed by any process that has the plan. */
export interface Snapshot {
  type: "snapshot";
  format: 1;
  plan: Fingerprint;
  state: unknown;
  values: unknown[];
  /** The id of the run, where its calls went out with one. */
  run?: string;
  /** The calls of tools that leave was asked for when it was made, by the names of the approvals. */
  asked?: Record<string, RequestedApproval>;
  /** By which the host knows its own snapshots, where the run was given a `key`. */
  mac?: string;
}

/** What a person saw when leave was asked for a call. A decision counts only for a call that asks for the same. */
export interface RequestedApproval {
  tool: string;
  server?: string;
  /** A short hash of what was to be approved. */
  hash: string;
  /** One of what its server said of the tool. */
  says: string;
}

/** One condition that was looked at. `value` is what it saw; absent, with `missing: true`, where nothing was there. */
export interface Verdict {
  /** The edge's position in `edges`. */
  edge: number;
  condition: string;
  holds: boolean;
  saw: { reference: string; value?: unknown; missing?: true }[];
}

/** What happened, in order. */
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
  /** A try failed, and there will be another after `delayMs`. */
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
  /** A node of type `log` marked its input. */
  | { type: "logged"; atMs: number; node: string; value: unknown; scope?: string }
  /**
   * An agent asked its model; `messages` are those that are new since it was asked before. `call` is the name of the
   * call: `help:1:1/2`.
   */
  | { type: "model-asked"; atMs: number; node: string; call: string; messages: Message[]; scope?: string }
  | { type: "model-replied"; atMs: number; node: string; call: string; reply: ChatReply; scope?: string }
  /** The model of an agent wants a tool to be called; with `approval`, a person is asked first. */
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
  /** What came of it: `output`, or the `error` that the model is told of. */
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
  /** A node began to run one of its graphs: a branch, or an element of its list. */
  | { type: "scope-started"; atMs: number; scope: string; node: string; input: unknown }
  | { type: "scope-ended"; atMs: number; scope: string; status: "completed" | "failed" | "abandoned" }
  | { type: "run-ended"; atMs: number; outcome: Outcome };

/** What a run leaves behind, however it ended. */
export interface Report {
  readonly outcome: Outcome;
  /** The output of the last node that completed. */
  readonly last: unknown;
  /** Every output by node id, `input` and further named outputs among them. */
  readonly outputs: Record<string, unknown>;
  /** Ids of the nodes of the plan's own graph that ran, in order: the last 50 000 at least. */
  readonly path: string[];
  /** What graphs inside nodes had when they gave up with the run, by scope: nothing is lost when a run fails. */
  readonly partial: Record<string, PartialScope>;
  /** What the run resumes from; of a run that was paused or cancelled. */
  readonly snapshot: Snapshot | null;
  /** Everything that happened, in order; empty with `trace: false`. */
  readonly trace: TraceEvent[];
  readonly durationMs: number;
  readonly counts: { steps: number; calls: number; retries: number; tokens?: number };
  /** Identifies the plan's meaning; layout and comments don't count. */
  readonly planHash: string;
  /** Warnings found before the run. */
  readonly diagnostics: Diagnostic[];
  toJSON(): unknown;
}

/** Bounds of a run. Each ends as an outcome with its code. */
export interface Limits {
  /** Of one node in one scope. */
  visits?: number;
  steps?: number;
  calls?: number;
  timeout_ms?: number;
  /** That models may use in all, in and out. */
  tokens?: number;
  /** That calls may give in all, as JSON. */
  output_bytes?: number;
}

/**
 * What a call under way tells of itself before it is answered: a piece of a model's answer, or how far a tool has come.
 * `call` is the name of the call. It is no part of the run: neither the trace nor a cassette has it, and a replay gives
 * none.
 */
export type CallUpdate =
  | { type: "model-delta"; node: string; call: string; delta: ChatDelta; scope?: string }
  | ({ type: "tool-progress"; node: string; call: string; tool: string; scope?: string } & ToolProgress);

/** A call that is about to be made, of whatever kind. */
export interface PendingCall {
  /** Its name, the same on every replay. */
  call: string;
  kind: "handler" | "tool" | "model" | "approval";
  node: string;
  visit: number;
  attempt: number;
  /** The tool that is to be called, or that leave is asked for. */
  tool?: string;
  /** Where the node stands while a graph inside a node is run. */
  scope?: string;
}

/** Whose time a run goes by. */
export interface Clock {
  /** Milliseconds from any fixed moment. */
  now(): number;
  /** Calls back after so many milliseconds, and never before it returns; gives what ends the wait. */
  after(ms: number, then: () => void): () => void;
}

/** What a run is given. */
export interface RunOptions {
  /** What stands under `input` in the plan, and under `last` at its first node; null unless given. */
  input?: unknown;
  /** Further outputs that conditions and templates can read from the start. */
  outputs?: Record<string, unknown>;
  /** What stands under `memory` in the plan. */
  memory?: unknown;
  /** Trusted values: what stands under `context` in the plan, and no model can change. */
  context?: Record<string, unknown>;
  /** Handlers by node type. */
  handlers?: Record<string, Handler>;
  /** Handlers by node id; they go before those by type. */
  byId?: Record<string, Handler>;
  /** Sources of tools, each asked for its list before the first node. */
  tools?: ToolClient[];
  /** Models by the names that plans use; `default` is for nodes that name none. */
  models?: Record<string, Model>;
  /** Answers in place of handlers, tools and models. */
  stubs?: Stubs;
  /** Bounds that go before the plan's own. */
  limits?: Limits;
  /** Aborting it cancels the run, which ends with the outcome `cancelled`. */
  signal?: AbortSignal;
  /** Asks a person. Without it a run that comes to an approval does what else there is to do, and pauses. */
  onApproval?: (approval: Approval, signal: AbortSignal) => Decision | Promise<Decision>;
  /**
   * Tools that are called without asking a person first although they say that they may destroy something
   * (`destructiveHint`), by name; `true` for all.
   */
  allow?: boolean | readonly string[];
  /** What was decided meanwhile, by the name of the approval's call. */
  decisions?: Record<string, Decision>;
  /**
   * Goes on from here instead of from the start; its input, outputs and memory are those of the snapshot. Give all else
   * again: `context`, `limits` and `planHash`, too. A bound that is left out no longer holds.
   */
  snapshot?: Snapshot;
  /**
   * A key of the host's: snapshots are signed with it, and one that is not is refused with `snapshot/unusable`. For
   * snapshots that are kept where others can write.
   */
  key?: string | Uint8Array;
  /** Takes a snapshot or a cassette up even when the plan has changed since, as far as its nodes are still there. */
  acceptChangedPlan?: boolean;
  /**
   * Called with every event as it happens. A listener that throws, or whose promise rejects while the run is under way,
   * ends the run with `run/listener-failed`; so do `onUpdate` and `record`. The report has all that was done by then.
   */
  onEvent?: (event: TraceEvent) => void;
  /** Called with what calls tell of themselves while they are under way. Without it nobody is asked to tell. */
  onUpdate?: (update: CallUpdate) => void;
  /**
   * Called before every call is made, a stub's too, and not before an answer that is recalled: what it gives is
   * awaited, and the call held back so long. What it throws is how the call fails.
   */
  onCall?: (call: PendingCall, signal: AbortSignal) => unknown;
  /** Whose time counts for durations, waits, time-outs and delays of stubs; the platform's unless given. */
  clock?: Clock;
  /** `false` keeps no trace: memory stays bounded however long the run is. */
  trace?: boolean;
  /** Is given the run's cassette line by line, as it happens: what was asked and what was answered, without secrets. */
  record?: (line: string) => void;
  /**
   * A cassette, as text or lines: makes no call and waits for nothing, but gives the answers that were recorded, at
   * their times.
   */
  replay?: string | readonly string[];
  /** Refuses to run any plan but this one; a fingerprint says in the message what differs. */
  planHash?: string | Fingerprint;
  /**
   * Names the run for the servers of its tools, which get it with every call, beside the call's own name: together they
   * are an idempotency key. Random unless given; a run from a snapshot keeps the one that it had.
   */
  runId?: string;
}
