/** Runs as AI SDK's UI message stream, and the decisions in its messages. */
import { type Decision, internals, PlanError } from "stepgraph";
import type { Kinds } from "../../options.js";
import { assertEvents, convert } from "../chat/convert.js";
import type { ChatFailure, ResponseOptions, RunEvents } from "../chat/events.js";
import type { KnownCall } from "../chat/chat-reader.js";
import { eventResponse, readable, RESPONSE } from "../chat/sse.js";
import type { ToolPart, UIMessageChunk, UIMessageLike } from "./ui-chunks.js";
import { UIConverter } from "./ui-converter.js";

/** Options of {@link toUIMessageStream}. */
export interface UIMessageStreamOptions {
  /** Default: that of `message`, else the client's. */
  messageId?: string;
  /** The client's last message, which a resumed run continues. */
  message?: UIMessageLike;
  /** Nodes whose text a chat shows. Default: all models, else the run's last output. */
  textNodes?: readonly string[];
  /** Shows models' thoughts. Default: true. */
  reasoning?: boolean;
  /** Shows nodes' inputs and outputs. Default: false. */
  content?: boolean;
  /** Sends whole replies. AI SDK 5 and 6 can't remove the text of a failed one. */
  whole?: boolean;
  /** Default: the code. The message may name parts of your system. */
  errorText?: (failure: ChatFailure) => string;
}

const OPTIONS: Kinds<UIMessageStreamOptions> = {
  messageId: "text",
  message: "map",
  textNodes: "[]text",
  reasoning: "flag",
  content: "flag",
  whole: "flag",
  errorText: "function",
};

/**
 * Converts a run to the stream that `useChat` reads. Cancelling the stream cancels the run.
 *
 * @example
 * const stream = toUIMessageStream(run.stream(graph, { ...options, updates: true }));
 */
export function toUIMessageStream(
  events: RunEvents,
  options: UIMessageStreamOptions = {},
): ReadableStream<UIMessageChunk> {
  internals.assertOptions("toUIMessageStream", options, OPTIONS);
  return readable(chunks("toUIMessageStream", events, options));
}

/**
 * Creates the response to `useChat`. A client that leaves cancels the run.
 *
 * If the driver fails, the user sees an error, and the stream's `report` rejects.
 */
export function toUIMessageStreamResponse(
  events: RunEvents,
  options: UIMessageStreamOptions & ResponseOptions = {},
): Response {
  internals.assertOptions("toUIMessageStreamResponse", options, { ...OPTIONS, ...RESPONSE });
  const { status, headers, ...rest } = options;
  const items = chunks("toUIMessageStreamResponse", events, rest);
  const own = { "x-vercel-ai-ui-message-stream": "v1" };
  return eventResponse(items, { ...(status !== undefined && { status }), ...(headers && { headers }) }, own, "[DONE]");
}

function chunks(
  of: string,
  events: RunEvents,
  { message, messageId = message?.id, ...options }: UIMessageStreamOptions,
): AsyncIterableIterator<UIMessageChunk> {
  assertEvents(of, events);
  if (messageId !== undefined) internals.assertKind(of, "messageId", messageId, "text");
  const known = new Map(message === undefined ? [] : toolParts(message).map(knownCall));
  return convert(
    events,
    new UIConverter({ ...options, messageId, runId: events.runId, waiting: events.waiting }, known),
  );
}

const OPEN_STATES = new Set(["input-available", "approval-requested", "approval-responded"]);

function knownCall({ toolCallId, state, approval }: ToolPart): [string, KnownCall] {
  return [
    toolCallId,
    { open: OPEN_STATES.has(state), approval: approval && internals.readApprovalId(approval.id).call },
  ];
}

/**
 * Returns a message's decisions, which `run` takes only with the snapshot of the run that asked.
 *
 * @throws PlanError `api/bad-option` for a message of another role, or two decisions on one approval.
 * @example
 * const decisions = decisionsOf(messages.at(-1));
 */
export function decisionsOf(message: UIMessageLike): Record<string, Decision> {
  const { role } = Object(message) as { role?: unknown };
  if (role !== undefined && role !== "assistant")
    throw new PlanError("api/bad-option", "decisions are in a message with the role `assistant`");
  const decided = toolParts(message).flatMap(({ state, approval }): [string, Decision][] =>
    state === "approval-responded" && approval
      ? [[approval.id, approval.approved === true ? "approved" : "rejected"]]
      : [],
  );
  return internals.decisionsFromClient(decided);
}

/** The client's message may be anything. */
function toolParts(message: UIMessageLike): ToolPart[] {
  const parts: unknown = Object(message).parts;
  if (!Array.isArray(parts)) throw new PlanError("api/bad-option", "a message of AI SDK has a list `parts`");
  return (parts as unknown[]).filter(isToolPart);
}

function isToolPart(part: unknown): part is ToolPart {
  const { type, toolCallId, state, approval } = Object(part) as Partial<Record<keyof ToolPart, unknown>>;
  const isTool = typeof type === "string" && (type === "dynamic-tool" || type.startsWith("tool-"));
  const hasApproval = approval === undefined || typeof (Object(approval) as { id?: unknown }).id === "string";
  return isTool && typeof toolCallId === "string" && typeof state === "string" && hasApproval;
}
