/** The part of a run that a chat shows, in a form that all protocols share. */
import type { Approval, CallUpdate, Outcome, Report, TraceEvent } from "stepgraph";

/** The events of a run: `run.stream(…)`, or a stored trace. */
export type RunEvents = (AsyncIterable<TraceEvent | CallUpdate> | Iterable<TraceEvent | CallUpdate>) & {
  /** Settles when the run is over. A stream of `run.stream` has it. */
  readonly report?: Promise<Report>;
  /** The run's id. A stream of `run.stream` has it. */
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

/** The state of a node of the plan. */
export interface NodeStatus {
  node: string;
  /** The scope in nested graphs: `fan:1/a`. */
  scope?: string;
  visit: number;
  status: "running" | "waiting" | "retrying" | "completed" | "failed";
  /** The attempt that failed, with `retrying`. */
  attempt?: number;
  durationMs?: number;
  /** Why the node or its attempt failed. */
  code?: string;
  /** Only with `content: true`. */
  input?: unknown;
  /** Only with `content: true`. */
  output?: unknown;
}

/** The progress of a tool call. */
export interface ToolProgressStatus {
  call: string;
  tool: string;
  progress?: number;
  total?: number;
  message?: string;
}

/** An error of a run, a node or a tool. */
export interface ChatFailure {
  /** The stable code, such as `model/rate-limited`. */
  code: string;
  /** Written for the host's log. It may name parts of your system. */
  message: string;
}

/** How a tool call ended. */
export type ToolResult = { type: "output"; output: unknown } | { type: "denied" } | ({ type: "error" } & ChatFailure);

/** A text or a thought in a model's reply. */
export interface Part {
  id: string;
  kind: "text" | "reasoning";
}

/** A change of what a chat shows. */
export type ChatEvent =
  /** A model call begins. Agents announce it (`model-asked`), and so does the first piece of any reply. */
  | { type: "turn"; call: string }
  | ({ type: "part-start"; call: string } & Part)
  | ({ type: "part-delta"; text: string } & Part)
  | ({ type: "part-end" } & Part)
  | { type: "reply-end"; call: string }
  /** The reply failed, and the model is called again. The last part has not ended. */
  | { type: "reply-retracted"; call: string; parts: readonly Part[] }
  | { type: "tool"; id: string; tool: string; input: unknown; call?: string }
  | { type: "tool-result"; id: string; result: ToolResult }
  /** `id` is the tool call, or the call of an `approve` node. */
  | { type: "approval"; id: string; approval: Pick<Approval, "call" | "node" | "input" | "tool"> }
  | { type: "node"; id: string; status: NodeStatus }
  | { type: "progress"; status: ToolProgressStatus }
  | { type: "ended"; outcome: Outcome | undefined };
