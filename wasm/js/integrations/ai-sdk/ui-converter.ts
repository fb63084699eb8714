/**
 * Converts a run to AI SDK's UI message stream.
 *
 * A step is one turn of a model with its tool calls. It begins only when no call is open: the protocol has one step at
 * a time, and AI SDK looks for open approvals in the last one.
 *
 * Invariant: a failed reply's text is removed before the next attempt. `reset-step` removes the whole step, so other
 * chunks follow again.
 */
import { type CallUpdate, internals, type Outcome, type Report, type TraceEvent } from "stepgraph";
import type { Converter } from "../chat/convert.js";
import type { ChatEvent, ChatFailure, Part, ToolResult } from "../chat/events.js";
import { ChatReader, type KnownCall, type ReaderOptions } from "../chat/chat-reader.js";
import type { UIMessageChunk } from "./ui-chunks.js";

export interface UIConverterOptions extends ReaderOptions {
  messageId?: string | undefined;
  whole?: boolean | undefined;
  errorText?: ((failure: ChatFailure) => string) | undefined;
}

/** A part's deltas are one entry, as are a node's states. */
class StepLog {
  readonly #entries = new Map<string, UIMessageChunk>();
  #added = 0;

  get isEmpty(): boolean {
    return [...this.#entries.values()].every(({ type }) => type === "data-node");
  }

  add(chunk: UIMessageChunk): void {
    const key = "id" in chunk ? `${chunk.type} ${chunk.id}` : `${this.#added++}`;
    const earlier = this.#entries.get(key);
    if (earlier === undefined) this.#entries.set(key, { ...chunk });
    else if ("delta" in earlier && "delta" in chunk) earlier.delta += chunk.delta;
    else Object.assign(earlier, chunk);
  }

  remove(parts: readonly Part[]): void {
    for (const { id, kind } of parts)
      for (const change of ["start", "delta", "end"]) this.#entries.delete(`${kind}-${change} ${id}`);
  }

  get entries(): UIMessageChunk[] {
    return [...this.#entries.values()].map((chunk) => ({ ...chunk }));
  }
}

export class UIConverter implements Converter<UIMessageChunk> {
  readonly #reader: ChatReader;
  readonly #options: UIConverterOptions;
  readonly #calls: Set<string>;
  readonly #open = new Set<string>();
  #step: StepLog | undefined;
  /** Until the reply is whole, by call. */
  readonly #held = new Map<string, UIMessageChunk[]>();
  /** A reset would remove an earlier stream's parts. */
  #isContinued: boolean;

  constructor(options: UIConverterOptions, known: ReadonlyMap<string, KnownCall>) {
    this.#reader = new ChatReader(options, known);
    this.#options = options;
    this.#calls = new Set(known.keys());
    for (const [id, { open }] of known) if (open) this.#open.add(id);
    this.#isContinued = this.#open.size > 0;
  }

  start(): UIMessageChunk[] {
    const { messageId } = this.#options;
    return [{ type: "start", ...(messageId !== undefined && { messageId }) }];
  }

  event(event: TraceEvent | CallUpdate): UIMessageChunk[] {
    return this.#convert(this.#reader.read(event));
  }

  end(report: Report | undefined): UIMessageChunk[] {
    return this.#convert(this.#reader.end(report));
  }

  fail(failure: ChatFailure): UIMessageChunk[] {
    return [{ type: "error", errorText: this.#errorText(failure) }, ...this.#finish("error")];
  }

  #convert(events: ChatEvent[]): UIMessageChunk[] {
    return events.flatMap((event) => this.#chunks(event));
  }

  #chunks(event: ChatEvent): UIMessageChunk[] {
    switch (event.type) {
      case "turn":
        return this.#turn();
      case "part-start":
        if (this.#isContinued || this.#options.whole === true)
          this.#held.set(event.call, this.#held.get(event.call) ?? []);
        this.#open.add(event.id);
        return this.#part(event, { type: `${event.kind}-start`, id: event.id });
      case "part-delta":
        return this.#part(event, { type: `${event.kind}-delta`, id: event.id, delta: event.text });
      case "part-end":
        this.#open.delete(event.id);
        return this.#part(event, { type: `${event.kind}-end`, id: event.id });
      case "reply-end":
        return this.#release(event.call);
      case "reply-retracted":
        return this.#retract(event.call, event.parts);
      case "tool":
        return this.#tool(event.id, event.tool, event.input);
      case "tool-result":
        this.#open.delete(event.id);
        return this.#add(this.#toolResult(event.id, event.result));
      case "approval":
        return this.#approval(event);
      case "node":
        return this.#add({ type: "data-node", id: event.id, data: event.status });
      case "progress":
        return [{ type: "data-progress", data: event.status, transient: true }];
      case "ended":
        return this.#ended(event.outcome);
    }
  }

  #turn(): UIMessageChunk[] {
    if (this.#open.size > 0 || this.#step?.isEmpty === true) return [];
    const chunks: UIMessageChunk[] = this.#step === undefined ? [] : [{ type: "finish-step" }];
    this.#step = new StepLog();
    this.#isContinued = false;
    return [...chunks, { type: "start-step" }];
  }

  #add(chunk: UIMessageChunk): UIMessageChunk[] {
    this.#step?.add(chunk);
    return [chunk];
  }

  #addToStep(chunk: UIMessageChunk): UIMessageChunk[] {
    const begin: UIMessageChunk[] = this.#step === undefined && !this.#isContinued ? [{ type: "start-step" }] : [];
    this.#step ??= new StepLog();
    return [...begin, ...this.#add(chunk)];
  }

  #part({ id }: Part, chunk: UIMessageChunk): UIMessageChunk[] {
    const held = this.#held.get(id.slice(0, id.lastIndexOf("#")));
    if (held === undefined) return this.#addToStep(chunk);
    held.push(chunk);
    return [];
  }

  #release(call: string): UIMessageChunk[] {
    const held = this.#held.get(call) ?? [];
    this.#held.delete(call);
    return held.flatMap((chunk) => this.#addToStep(chunk));
  }

  #retract(call: string, parts: readonly Part[]): UIMessageChunk[] {
    for (const { id } of parts) this.#open.delete(id);
    if (this.#held.delete(call) || this.#step === undefined) return [];
    this.#step.remove(parts);
    return [{ type: "reset-step" }, ...this.#step.entries];
  }

  #tool(id: string, tool: string, input: unknown): UIMessageChunk[] {
    this.#open.add(id);
    this.#calls.add(id);
    return this.#addToStep({ type: "tool-input-available", toolCallId: id, toolName: tool, input, dynamic: true });
  }

  #toolResult(id: string, result: ToolResult): UIMessageChunk {
    switch (result.type) {
      case "output":
        return { type: "tool-output-available", toolCallId: id, output: result.output, dynamic: true };
      case "denied":
        return { type: "tool-output-denied", toolCallId: id };
      case "error":
        return { type: "tool-output-error", toolCallId: id, errorText: this.#errorText(result), dynamic: true };
    }
  }

  /** The protocol knows approvals of tools only, so an `approve` node becomes a tool. */
  #approval({ id, approval }: Extract<ChatEvent, { type: "approval" }>): UIMessageChunk[] {
    const call = this.#calls.has(id) ? [] : this.#tool(id, approval.node, approval.input);
    const approvalId = internals.approvalId(approval.call, this.#options.runId);
    this.#open.add(id);
    return [...call, ...this.#addToStep({ type: "tool-approval-request", approvalId, toolCallId: id })];
  }

  #ended(outcome: Outcome | undefined): UIMessageChunk[] {
    switch (outcome?.type) {
      case "completed":
        return this.#finish("stop");
      case "paused":
        return this.#finish("tool-calls");
      case "failed":
        return this.fail(outcome);
      case "cancelled":
        return [{ type: "abort" }];
      default:
        return this.#finish("other");
    }
  }

  #finish(finishReason: Extract<UIMessageChunk, { type: "finish" }>["finishReason"]): UIMessageChunk[] {
    const finish: UIMessageChunk = { type: "finish", finishReason };
    return this.#step === undefined ? [finish] : [{ type: "finish-step" }, finish];
  }

  #errorText({ code, message }: ChatFailure): string {
    return this.#options.errorText?.({ code, message }) ?? code;
  }
}
