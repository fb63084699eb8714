/** The used types of the AG-UI protocol 1.0. */

/** A message. */
export interface AgUiMessage {
  id: string;
  role: string;
  content?: unknown;
  toolCalls?: readonly { id: string; type: string; function: { name: string; arguments: string } }[];
  toolCallId?: string;
}

/** An answer to an interrupt. */
export interface AgUiResume {
  interruptId: string;
  status: string;
  payload?: unknown;
}

/** An AG-UI client's `RunAgentInput`. */
export interface AgUiInput {
  threadId: string;
  runId: string;
  parentRunId?: string;
  messages: readonly AgUiMessage[];
  resume?: readonly AgUiResume[];
}

/** A question that interrupts a run. */
export interface AgUiInterrupt {
  id: string;
  reason: "tool_call" | "confirmation";
  message: string;
  toolCallId?: string;
  responseSchema: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** How a run ended. */
export type AgUiOutcome =
  | { type: "success" }
  | { type: "cancelled" }
  | { type: "interrupt"; interrupts: AgUiInterrupt[] };

/** An AG-UI event. */
export type AgUiEvent =
  | { type: "RUN_STARTED"; threadId: string; runId: string; parentRunId?: string; protocolVersion: "1.0" }
  | { type: "RUN_FINISHED"; threadId: string; runId: string; outcome: AgUiOutcome; result?: unknown }
  | { type: "RUN_ERROR"; message: string; code: string }
  | { type: "STEP_STARTED" | "STEP_FINISHED"; stepName: string }
  | { type: "TEXT_MESSAGE_START"; messageId: string; role: "assistant" }
  | { type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END"; messageId: string }
  | { type: "REASONING_MESSAGE_START"; messageId: string; role: "reasoning" }
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string; parentMessageId?: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string }
  | { type: "TOOL_CALL_RESULT"; messageId: string; toolCallId: string; content: string; role: "tool" }
  | { type: "MESSAGES_SNAPSHOT"; messages: AgUiMessage[] }
  | { type: "CUSTOM"; name: "stepgraph.node" | "stepgraph.progress"; value: unknown };
