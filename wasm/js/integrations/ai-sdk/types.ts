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
