/**
 * Converts a run to AG-UI events. Steps, messages and tool calls close before the run ends.
 *
 * A snapshot of the messages removes a failed reply's text before the next attempt.
 */
import { type Approval, type CallUpdate, internals, type Outcome, type Report, type TraceEvent } from "stepgraph";
import type { Converter } from "../chat/convert.js";
import type { ChatEvent, ChatFailure, NodeStatus, Part, ToolResult } from "../chat/events.js";
import { ChatReader, type KnownCall, type ReaderOptions } from "../chat/chat-reader.js";
import { Conversation } from "./conversation.js";
import type { AgUiEvent, AgUiInput, AgUiInterrupt } from "./types.js";

export interface AgUiConverterOptions extends ReaderOptions {
  input: AgUiInput;
  errorText?: ((failure: ChatFailure) => string) | undefined;
}

export class AgUiConverter implements Converter<AgUiEvent> {
  readonly #reader: ChatReader;
  readonly #options: AgUiConverterOptions;
  readonly #conversation: Conversation;
  readonly #steps = new Set<string>();
  readonly #parts = new Map<string, Part>();
  /** Keyed by model call. */
  readonly #texts = new Map<string, string>();
  #result: unknown;

  constructor(options: AgUiConverterOptions, known: ReadonlyMap<string, KnownCall>) {
    this.#reader = new ChatReader(options, known);
    this.#options = options;
    this.#conversation = new Conversation(options.input.messages);
  }

  start(): AgUiEvent[] {
    const { threadId, runId, parentRunId } = this.#options.input;
    const parent = parentRunId === undefined ? {} : { parentRunId };
    return [{ type: "RUN_STARTED", threadId, runId, ...parent, protocolVersion: "1.0" }];
  }

  event(event: TraceEvent | CallUpdate): AgUiEvent[] {
    return this.#convert(this.#reader.read(event));
  }

  end(report: Report | undefined): AgUiEvent[] {
    if (this.#options.content === true) this.#result = report?.last;
    return this.#convert(this.#reader.end(report));
  }

  fail({ code, message }: ChatFailure): AgUiEvent[] {
    const text = this.#options.errorText?.({ code, message }) ?? code;
    return [...this.#close(), { type: "RUN_ERROR", message: text, code }];
  }

  #convert(events: ChatEvent[]): AgUiEvent[] {
    return events.flatMap((event) => this.#events(event));
  }

  #events(event: ChatEvent): AgUiEvent[] {
    switch (event.type) {
      case "part-start":
        return this.#startPart(event);
      case "part-delta":
        this.#conversation.grow(event.id, event.text);
        return [
          {
            type: event.kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT",
            messageId: event.id,
            delta: event.text,
          },
        ];
      case "part-end":
        return this.#endPart(event);
      case "reply-retracted":
        return this.#retract(event);
      case "tool":
        return this.#tool(event);
      case "tool-result":
        return this.#toolResult(event.id, event.result);
      case "node":
        return this.#node(event.id, event.status);
      case "progress":
        return [{ type: "CUSTOM", name: "stepgraph.progress", value: event.status }];
      case "ended":
        return this.#ended(event.outcome);
      default:
        return [];
    }
  }

  #startPart({ id, kind, call }: Extract<ChatEvent, { type: "part-start" }>): AgUiEvent[] {
    this.#parts.set(id, { id, kind });
    this.#conversation.start({ id, kind });
    if (kind === "reasoning")
      return [
        { type: "REASONING_START", messageId: id },
        { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
      ];
    this.#texts.set(call, id);
    return [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" }];
  }

  #endPart({ id, kind }: Part): AgUiEvent[] {
    if (!this.#parts.delete(id)) return [];
    if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId: id }];
    return [
      { type: "REASONING_MESSAGE_END", messageId: id },
      { type: "REASONING_END", messageId: id },
    ];
  }

  #retract({ call, parts }: Extract<ChatEvent, { type: "reply-retracted" }>): AgUiEvent[] {
    const ended = parts.flatMap((part) => this.#endPart(part));
    this.#texts.delete(call);
    if (parts.length === 0) return ended;
    this.#conversation.remove(parts);
    return [...ended, this.#snapshot()];
  }

  #snapshot(): AgUiEvent {
    return { type: "MESSAGES_SNAPSHOT", messages: this.#conversation.messages };
  }

  #tool({ id, tool, input, call = "" }: Extract<ChatEvent, { type: "tool" }>): AgUiEvent[] {
    const args = JSON.stringify(input ?? {});
    const parent = this.#conversation.addCall(this.#texts.get(call), id, tool, args);
    return [
      {
        type: "TOOL_CALL_START",
        toolCallId: id,
        toolCallName: tool,
        ...(parent !== undefined && { parentMessageId: parent }),
      },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: args },
      { type: "TOOL_CALL_END", toolCallId: id },
    ];
  }

  #toolResult(id: string, result: ToolResult): AgUiEvent[] {
    const messageId = `${id}/result`;
    const content = this.#resultText(result);
    this.#conversation.addResult(messageId, id, content);
    return [{ type: "TOOL_CALL_RESULT", messageId, toolCallId: id, content, role: "tool" }];
  }

  #resultText(result: ToolResult): string {
    if (result.type === "denied") return "tool/refused";
    if (result.type === "error") {
      const { code, message } = result;
      return this.#options.errorText?.({ code, message }) ?? code;
    }
    return typeof result.output === "string" ? result.output : JSON.stringify(result.output);
  }

  /** A resumed run completes an earlier run's steps. */
  #node(id: string, status: NodeStatus): AgUiEvent[] {
    const stepName = id.slice(0, id.lastIndexOf(":"));
    const events: AgUiEvent[] = this.#steps.has(stepName) ? [] : [{ type: "STEP_STARTED", stepName }];
    this.#steps.add(stepName);
    events.push({ type: "CUSTOM", name: "stepgraph.node", value: { id, ...status } });
    if (status.status !== "completed" && status.status !== "failed") return events;
    this.#steps.delete(stepName);
    return [...events, { type: "STEP_FINISHED", stepName }];
  }

  #ended(outcome: Outcome | undefined): AgUiEvent[] {
    if (outcome?.type === "failed") return this.fail(outcome);
    const { threadId, runId } = this.#options.input;
    const end = { type: "RUN_FINISHED" as const, threadId, runId };
    if (outcome?.type === "paused") {
      const interrupts = outcome.approvals.map((approval) => toInterrupt(approval, this.#options.runId));
      return [...this.#close(), this.#snapshot(), { ...end, outcome: { type: "interrupt", interrupts } }];
    }
    const type = outcome?.type === "cancelled" ? ("cancelled" as const) : ("success" as const);
    const result = type === "success" && this.#result !== undefined ? { result: this.#result } : {};
    return [...this.#close(), { ...end, outcome: { type }, ...result }];
  }

  #close(): AgUiEvent[] {
    const parts = [...this.#parts.values()].flatMap((part) => this.#endPart(part));
    const steps = [...this.#steps].reverse().map((stepName): AgUiEvent => ({ type: "STEP_FINISHED", stepName }));
    this.#steps.clear();
    return [...parts, ...steps];
  }
}

function toInterrupt({ call, node, input, metadata, tool }: Approval, runId: string | undefined): AgUiInterrupt {
  const isTool = tool !== undefined;
  const edited = isTool
    ? { editedArgs: { type: "object", description: "Replaces the arguments." } }
    : { value: { description: "Replaces the value to approve." } };
  return {
    id: internals.approvalId(call, runId),
    reason: isTool ? "tool_call" : "confirmation",
    message: isTool ? `Call the tool ${tool}?` : `Approve ${node}?`,
    ...(isTool && { toolCallId: call.replace(/\/approval$/, "") }),
    responseSchema: {
      type: "object",
      properties: { approved: { type: "boolean" }, ...edited },
      required: ["approved"],
    },
    // The plan's texts must not hide the approved call.
    metadata: { ...metadata, node, input },
  };
}
