/** The used types of AI SDK's messages and stream, for `ai` 5, 6 and 7. */
import type { NodeStatus, ToolProgressStatus } from "../chat/events.js";

/** A chunk of the stream. */
export type UIMessageChunk =
  | { type: "start"; messageId?: string }
  | { type: "start-step" }
  | { type: "finish-step" }
  /** Since `ai` 7. Removes the parts of the current step. */
  | { type: "reset-step" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown; dynamic: true }
  /** Since `ai` 6. */
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string }
  | { type: "tool-output-available"; toolCallId: string; output: unknown; dynamic: true }
  | { type: "tool-output-error"; toolCallId: string; errorText: string; dynamic: true }
  /** Since `ai` 6. */
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "data-node"; id: string; data: NodeStatus }
  | { type: "data-progress"; data: ToolProgressStatus; transient: true }
  | { type: "error"; errorText: string }
  | { type: "abort" }
  | { type: "finish"; finishReason: "stop" | "tool-calls" | "error" | "other" };

/** A message of `useChat`, as far as read. */
export interface UIMessageLike {
  id: string;
  role: string;
  parts: readonly { type: string }[];
}

/** A tool call. */
export interface ToolPart {
  type: string;
  toolCallId: string;
  state: string;
  approval?: { id: string; approved?: boolean };
}
