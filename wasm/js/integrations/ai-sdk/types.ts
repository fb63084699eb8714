/** The used types of AI SDK's language models: versions v2, v3 and v4 of `@ai-sdk/provider`. */

/** A language model, such as `openai("gpt-5")` of `@ai-sdk/openai`. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** A provider, such as `openai` of `@ai-sdk/openai`. */
export interface AiSdkProvider {
  languageModel(modelId: string): AiSdkModel;
}

/** Keyed by provider: `{ anthropic: { effort: "low" } }`. */
export type ProviderOptions = Record<string, Record<string, unknown>>;
