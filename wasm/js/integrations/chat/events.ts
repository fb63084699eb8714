/** The parts of a run that a chat shows, for all protocols. */
import type { Approval, CallUpdate, Outcome, Report, TraceEvent } from "stepgraph";

/** A run's events: `run.stream(…)`, or a stored trace. */
export type RunEvents = (AsyncIterable<TraceEvent | CallUpdate> | Iterable<TraceEvent | CallUpdate>) & {
  /** The report of `run.stream`. */
  readonly report?: Promise<Report>;
  /** The id of `run.stream`. */
  readonly runId?: string;
  /** @internal */
  readonly waiting?: readonly string[];
};

/** Options of a response. */
export interface ResponseOptions {
  /** Default: 200. */
  status?: number;
  /** Headers to add. */
  headers?: Record<string, string>;
}

/** A node's state. */
export interface NodeStatus {
  node: string;
  /** In nested graphs: `fan:1/a`. */
  scope?: string;
  visit: number;
  status: "running" | "waiting" | "retrying" | "completed" | "failed";
  /** Which attempt failed, with `retrying`. */
  attempt?: number;
  durationMs?: number;
  /** Why it failed. */
  code?: string;
  /** Only with `content: true`. */
  input?: unknown;
  /** Only with `content: true`. */
  output?: unknown;
}

/** A tool call's progress. */
export interface ToolProgressStatus {
  call: string;
  tool: string;
  progress?: number;
  total?: number;
  message?: string;
}

/** An error of a run, a node or a tool. */
export interface ChatFailure {
  /** Such as `model/rate-limited`. */
  code: string;
  /** For the host's log. It may name parts of your system. */
  message: string;
}

/** How a tool call ended. */
export type ToolResult = { type: "output"; output: unknown } | { type: "denied" } | ({ type: "error" } & ChatFailure);

/** A text or thought in a reply. */
export interface Part {
  id: string;
  kind: "text" | "reasoning";
}

/** A change in a chat. */
export type ChatEvent =
  /** An agent announced a model call (`model-asked`), or the first piece arrived. */
  | { type: "turn"; call: string }
  | ({ type: "part-start"; call: string } & Part)
  | ({ type: "part-delta"; text: string } & Part)
  | ({ type: "part-end" } & Part)
  | { type: "reply-end"; call: string }
  /** The model is called again. The last part is open. */
  | { type: "reply-retracted"; call: string; parts: readonly Part[] }
  | { type: "tool"; id: string; tool: string; input: unknown; call?: string }
  | { type: "tool-result"; id: string; result: ToolResult }
  /** `id` is the tool call, or the call of an `approve` node. */
  | { type: "approval"; id: string; approval: Pick<Approval, "call" | "node" | "input" | "tool"> }
  | { type: "node"; id: string; status: NodeStatus }
  | { type: "progress"; status: ToolProgressStatus }
  | { type: "ended"; outcome: Outcome | undefined };
