/**
 * Data that a provider needs back, such as signatures of thoughts. It travels in `provider` of a reply and its message.
 */
import type { Message, ToolCall } from "stepgraph";
import { toCallPart } from "./prompt.js";
import type { ContentPart, PromptPart } from "./call-types.js";
import type { ProviderOptions } from "./types.js";

interface StoredPart {
  type: "text" | "reasoning" | "tool-call";
  text?: string;
  id?: string;
  options?: ProviderOptions;
}

interface ProviderData {
  "ai-sdk": string;
  parts: StoredPart[];
}

/** `undefined` if the message says it all. */
export function storedParts(content: readonly ContentPart[], provider: string): ProviderData | undefined {
  const parts = content.flatMap(storedPart);
  const isNeeded = parts.some(({ type, options }) => type === "reasoning" || options !== undefined);
  return isNeeded ? { "ai-sdk": provider, parts } : undefined;
}

function storedPart({ type, text, toolCallId, providerExecuted, providerMetadata }: ContentPart): StoredPart[] {
  const options = providerMetadata && { options: providerMetadata };
  if ((type === "text" || type === "reasoning") && text !== undefined) return [{ type, text, ...options }];
  if (type === "tool-call" && !providerExecuted) return [{ type, id: toolCallId ?? "", ...options }];
  return [];
}

/** `undefined` if the parts belong to another message. */
export function restoredParts(message: Message, provider: string): PromptPart[] | undefined {
  const data = message.provider as Partial<ProviderData> | null | undefined;
  if (data?.["ai-sdk"] !== provider || !Array.isArray(data.parts)) return undefined;
  const { content, tool_calls = [] } = message;
  const parts = data.parts.map((part) => restoredPart(part, tool_calls));
  const texts = data.parts.map(({ type, text = "" }) => (type === "text" ? text : ""));
  const calls = data.parts.filter(({ type }) => type === "tool-call").length;
  const isSame = texts.join("") === content && calls === tool_calls.length;
  return isSame && parts.every((part) => part !== undefined) ? (parts as PromptPart[]) : undefined;
}

function restoredPart({ type, text, id, options }: StoredPart, calls: readonly ToolCall[]): PromptPart | undefined {
  const own = options && { providerOptions: options };
  if (type !== "tool-call") return { type, text: text ?? "", ...own };
  const call = calls.find((one) => one.id === id);
  return call && { ...toCallPart(call.id, call.name, call.arguments), ...own };
}
