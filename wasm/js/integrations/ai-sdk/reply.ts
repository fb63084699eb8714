/** Converts replies of AI SDK's models, whole or streamed. */
import { CallError, type ChatDelta, type ChatReply, type ToolCall, type Usage } from "stepgraph";
import { storedParts } from "./provider-data.js";
import type { AiSdkFinish, AiSdkUsage, ContentPart, Generated, StreamPart } from "./call-types.js";
import type { ProviderOptions } from "./types.js";

export function toReply(
  { content, structuredOutputText, finishReason, usage }: Generated,
  provider: string,
): ChatReply {
  const reason = typeof finishReason === "string" ? finishReason : (finishReason?.unified ?? "other");
  if (reason === "error") throw new CallError("model/failed", "the provider ended the reply with an error");
  if (reason === "interrupted") throw new CallError("model/unreachable", "the reply broke off before it was whole");
  if (content.some(({ type }) => type === "tool-approval-request"))
    throw new CallError(
      "model/refused",
      "the provider asks for the approval of a tool of its own, which no plan can give",
    );
  const calls = content
    .filter(({ type, providerExecuted }) => type === "tool-call" && !providerExecuted)
    .map(toToolCall);
  const texts = content.map(({ type, text = "" }) => (type === "text" ? text : ""));
  const data = storedParts(content, provider);
  return {
    text: structuredOutputText ?? texts.join(""),
    ...(calls.length > 0 && { tool_calls: calls }),
    finish: FINISH[reason] ?? "other",
    usage: toUsage(usage),
    ...(data && { provider: data }),
  };
}

const FINISH: Record<string, ChatReply["finish"]> = {
  stop: "stop",
  length: "length",
  "content-filter": "filtered",
  "tool-calls": "tool_calls",
};

function toToolCall({ toolCallId = "", toolName = "", input = "" }: ContentPart): ToolCall {
  return { id: toolCallId, name: toolName, arguments: parseArguments(input) };
}

/** Other text stays, so that the model sees its mistake. */
function parseArguments(input: string): unknown {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : input;
  } catch {
    return input;
  }
}

function toUsage(usage: AiSdkUsage | undefined): Usage | null {
  const { inputTokens, outputTokens } = usage ?? {};
  const input =
    typeof inputTokens === "object" ? inputTokens : { total: inputTokens, cacheRead: usage?.cachedInputTokens };
  const output =
    typeof outputTokens === "object" ? outputTokens : { total: outputTokens, reasoning: usage?.reasoningTokens };
  if (!isCount(input.total) && !isCount(output.total)) return null;
  const written = "cacheWrite" in input ? input.cacheWrite : undefined;
  return {
    input: count(input.total),
    output: count(output.total),
    cached_input: count(input.cacheRead),
    ...(isCount(written) && { cache_write_input: written }),
    ...(isCount(output.reasoning) && { reasoning_output: output.reasoning }),
  };
}

/** Providers may report `NaN`. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function count(value: unknown): number {
  return isCount(value) ? value : 0;
}

export class ReplyCollector {
  readonly #onDelta: (delta: ChatDelta) => void;
  readonly #content: ContentPart[] = [];
  readonly #parts = new Map<string, ContentPart>();
  readonly #indexes = new Map<string, number>();
  #end: { finishReason: AiSdkFinish; usage?: AiSdkUsage } | undefined;

  constructor(onDelta: (delta: ChatDelta) => void) {
    this.#onDelta = onDelta;
  }

  /** Whether the stream said why it ended. */
  get isWhole(): boolean {
    return this.#end !== undefined;
  }

  get generated(): Generated {
    return { content: this.#content, finishReason: "other", ...this.#end };
  }

  add(part: StreamPart): void {
    const { type, id = "" } = part;
    switch (type) {
      case "text-start":
      case "reasoning-start":
        return void this.#start(type === "text-start" ? "text" : "reasoning", part);
      case "text-delta":
      case "reasoning-delta":
        return this.#grow(type === "text-delta" ? "text" : "reasoning", part);
      case "text-end":
      case "reasoning-end":
        return setMetadata(this.#parts.get(`${type.slice(0, -4)}:${id}`), part.providerMetadata);
      case "tool-input-start":
        return this.#startCall(part);
      case "tool-input-delta":
        return this.#growCall(part);
      case "tool-call":
        return this.#call(part);
      case "tool-approval-request":
        return void this.#content.push({ type });
      case "finish":
        this.#end = { finishReason: part.finishReason ?? "other", ...(part.usage && { usage: part.usage }) };
    }
  }

  #start(type: "text" | "reasoning", { id = "", providerMetadata }: StreamPart): ContentPart {
    const part: ContentPart = { type, text: "", ...(providerMetadata && { providerMetadata }) };
    this.#parts.set(`${type}:${id}`, part);
    this.#content.push(part);
    return part;
  }

  #grow(type: "text" | "reasoning", part: StreamPart): void {
    const { id = "", delta: text = "", providerMetadata } = part;
    const grown = this.#parts.get(`${type}:${id}`) ?? this.#start(type, part);
    grown.text += text;
    setMetadata(grown, providerMetadata);
    if (text !== "") this.#onDelta({ type, text });
  }

  #startCall({ id = "", toolName = "", providerExecuted, inputEncoding }: StreamPart): void {
    // Deltas of other encodings are no JSON.
    if (providerExecuted || inputEncoding === "text") return;
    const index = this.#indexes.size;
    this.#indexes.set(id, index);
    this.#onDelta({ type: "tool-call", index, id, name: toolName });
  }

  #growCall({ id = "", delta = "" }: StreamPart): void {
    const index = this.#indexes.get(id);
    if (index !== undefined && delta !== "") this.#onDelta({ type: "tool-call", index, arguments: delta });
  }

  #call(part: StreamPart): void {
    this.#content.push(part);
    const { toolCallId: id = "", toolName: name = "", input = "", providerExecuted } = part;
    if (providerExecuted || this.#indexes.has(id)) return;
    const index = this.#indexes.size;
    this.#indexes.set(id, index);
    this.#onDelta({ type: "tool-call", index, id, name, arguments: input });
  }
}

function setMetadata(part: ContentPart | undefined, metadata: ProviderOptions | undefined): void {
  if (part && metadata) part.providerMetadata = metadata;
}
