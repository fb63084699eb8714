/**
 * The shapes that cross the border of the package, in one place.
 *
 * Times are milliseconds. A user's mistake is never an exception: it is a {@link Diagnostic} or an {@link Outcome}.
 */
import type { Code } from "./codes.js";
import type { PlanGraph } from "./graph.js";
export type { Code } from "./codes.js";

/** A half-open range of the text, in UTF-16 units, as JavaScript strings count. */
export interface Span { start: number; end: number }

/** Where in the graph a problem is. */
export type Target =
  | { type: "document" }
  /** A node by its key, after the scope it stands in: `fan/a/fetch`. */
  | { type: "node"; node: string }
  /** An edge by its position in `edges`; `scope` says of which graph, when it is not the plan's own. */
  | { type: "edge"; edge: number; scope?: string }
  | { type: "condition"; edge: number; scope?: string };

/** One problem of a plan. `line` and `column` count from 1, as editors show them; columns in UTF-16 units. */
export interface Diagnostic {
  code: Code;
  severity: "error" | "warning" | "hint";
  message: string;
  target: Target;
  span: Span | null;
  line: number | null;
  column: number | null;
  labels: { span: Span; line: number; column: number; message: string }[];
  help: string | null;
  fix: { span: Span; text: string }[];
}

/** How a text is read: `auto` takes JSON for JSON and everything else for YAML. */
export interface ParseOptions { format?: "auto" | "yaml" | "json" }

/** A plan as far as it could be read, and everything found wrong with it. */
export interface ParsedPlan { graph: PlanGraph | null; diagnostics: Diagnostic[] }

/** A node as the plan has it. */
export interface NodeInfo {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
}

/** An edge as the plan has it. */
export interface EdgeInfo {
  readonly from: string;
  readonly to: string;
  readonly condition: string;
}

/** What a handler is told of the node it answers for. */
export interface Node {
  readonly id: string;
  readonly type: string;
  readonly tool: string | null;
  /** The resolved input: what the plan says, templates filled in, or the last output. */
  readonly input: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, unknown>>;
  /** How often the run has come to this node, from 1. */
  readonly visit: number;
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
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** Answers for a node. A value costs no await. */
export type Handler = (node: Node, state: State) => unknown;

/** A tool as a server describes it. */
export interface ToolInfo {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
  output_schema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  server?: string;
}

/** What a tool call gave. `isError` is the tool's own failure, which is not the connection's. */
export interface ToolResult { value: unknown; isError: boolean; message?: string }

/** A source of tools: an MCP server, or anything else that lists and calls. */
export interface ToolClient {
  readonly name: string;
  list(signal?: AbortSignal): Promise<ToolInfo[]>;
  call(name: string, args: Record<string, unknown>, options?: { signal?: AbortSignal; call?: string }): Promise<ToolResult>;
  close(): Promise<void>;
}

/** One message to a model. */
export interface Message { role: "system" | "user" | "assistant"; content: string }

/** What a node asks of a model. */
export interface ChatRequest {
  model: string | null;
  messages: Message[];
  schema: Record<string, unknown> | null;
  max_tokens: number | null;
}

/** How many tokens a call took. `cached_input` is the part of `input` that the provider had at hand. */
export interface Usage { input: number; output: number; cached_input: number }

/** What a model answered. */
export interface ChatReply { text: string; finish: "stop" | "length" | "filtered" | "other"; usage: Usage | null }

/** A `fetch` to be used instead of the global one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A language model. A function is one, too. */
export interface ModelClient {
  readonly name: string;
  chat(request: ChatRequest, options?: { signal?: AbortSignal; call?: string }): Promise<ChatReply>;
}
export type Model = ModelClient | ((request: ChatRequest, options?: { signal?: AbortSignal }) => string | ChatReply | Promise<string | ChatReply>);

/** What a stub does instead of asking. */
export type Behaviour =
  | "echo" | "input" | "last"
  | { return: unknown; writes?: Record<string, unknown>; delay_ms?: number }
  | { sequence: Behaviour[]; delay_ms?: number }
  | { fail: string; code?: string; delay_ms?: number };

/** Replaces handlers, tools and models without a network. */
export interface Stubs {
  types?: Record<string, Behaviour>;
  nodes?: Record<string, Behaviour>;
  tools?: Record<string, Behaviour>;
  models?: Record<string, Behaviour>;
}

/** How a run ended. */
export type Outcome =
  | { type: "completed"; reason: "terminal" | "no-match" }
  | { type: "failed"; code: string; message: string; node?: string; diagnostics?: Diagnostic[] }
  | { type: "cancelled" };

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
  | { type: "node-started"; atMs: number; node: string; visit: number; input: unknown }
  | { type: "node-completed"; atMs: number; node: string; visit: number; output: unknown; durationMs: number }
  | { type: "node-failed"; atMs: number; node: string; visit: number; code: string; message: string; durationMs: number }
  /** A node of type `log` marked its input. */
  | { type: "logged"; atMs: number; node: string; value: unknown }
  | { type: "edge-decided"; atMs: number; node: string; from: string; to: string | null; edge: number | null;
      reason: "condition" | "fallback" | "no-match" | "terminal"; verdicts: Verdict[] }
  | { type: "run-ended"; atMs: number; outcome: Outcome };

/** What a run leaves behind, however it ended. */
export interface Report {
  readonly outcome: Outcome;
  /** The output of the last node that completed. */
  readonly last: unknown;
  /** Every output by node id, `input` and further named outputs among them. */
  readonly outputs: Record<string, unknown>;
  /** Ids of the nodes that ran, in order. */
  readonly path: string[];
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
export interface Limits { visits?: number; steps?: number; calls?: number }

/** What a run is given. */
export interface RunOptions {
  input?: unknown;
  /** Further outputs that conditions and templates can read from the start. */
  outputs?: Record<string, unknown>;
  memory?: unknown;
  context?: Record<string, unknown>;
  /** Handlers by node type. */
  handlers?: Record<string, Handler>;
  /** Handlers by node id; they go before those by type. */
  byId?: Record<string, Handler>;
  tools?: ToolClient[];
  models?: Record<string, Model>;
  stubs?: Stubs;
  limits?: Limits;
  signal?: AbortSignal;
  /** Called with every event as it happens. */
  onEvent?: (event: TraceEvent) => void;
  /** `false` keeps no trace: memory stays bounded however long the run is. */
  trace?: boolean;
  /** Refuses to run any plan but this one. */
  planHash?: string;
}
