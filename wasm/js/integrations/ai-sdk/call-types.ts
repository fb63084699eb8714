/** Calls and replies of AI SDK's language models. */
import type { ProviderOptions } from "./types.js";

export interface PromptPart {
  type: "text" | "reasoning" | "tool-call" | "tool-result";
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: { type: "text" | "error-text"; value: string };
  providerOptions?: ProviderOptions;
}

export interface PromptMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | PromptPart[];
  providerOptions?: ProviderOptions;
}

export interface CallSettings {
  prompt: PromptMessage[];
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: { type: "json"; schema: Record<string, unknown>; name: string };
  tools?: { type: "function"; name: string; description?: string; inputSchema: Record<string, unknown> }[];
  toolChoice?: { type: "auto" | "none" | "required" } | { type: "tool"; toolName: string };
  abortSignal: AbortSignal;
  headers?: Record<string, string>;
  providerOptions?: ProviderOptions;
}

/** Parts of other types are skipped. */
export interface ContentPart {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: string;
  providerExecuted?: boolean;
  providerMetadata?: ProviderOptions;
}

/** v2 has plain numbers. */
export interface AiSdkUsage {
  inputTokens?: number | { total?: number; cacheRead?: number; cacheWrite?: number };
  outputTokens?: number | { total?: number; reasoning?: number };
  reasoningTokens?: number;
  cachedInputTokens?: number;
}

/** v2 has plain text. */
export type AiSdkFinish = string | { unified?: string };

export interface Generated {
  content: ContentPart[];
  structuredOutputText?: string;
  finishReason: AiSdkFinish;
  usage?: AiSdkUsage;
}

export interface StreamPart extends ContentPart {
  id?: string;
  delta?: string;
  inputEncoding?: string;
  finishReason?: AiSdkFinish;
  usage?: AiSdkUsage;
  error?: unknown;
}
