/**
 * Types of AI SDK's language models, as far as they are used.
 *
 * They describe the specification versions v2, v3 and v4 of `@ai-sdk/provider`, so that the package needs no dependency
 * on it.
 */

/** A language model of AI SDK, such as `openai("gpt-5")` of `@ai-sdk/openai`. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** A provider of AI SDK, such as `openai` of `@ai-sdk/openai`. */
export interface AiSdkProvider {
  languageModel(modelId: string): AiSdkModel;
}

/** Settings of a provider, by its name: `{ anthropic: { effort: "low" } }`. */
export type ProviderOptions = Record<string, Record<string, unknown>>;

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

/** A part of a reply. Parts of other types are skipped. */
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

/** A part of a streamed reply. */
export interface StreamPart extends ContentPart {
  id?: string;
  delta?: string;
  inputEncoding?: string;
  finishReason?: AiSdkFinish;
  usage?: AiSdkUsage;
  error?: unknown;
}
