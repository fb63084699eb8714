/** Language models by provider. Keys go to the package only. */
import type { Engine } from "./engine.js";
import type { ModelClient } from "stepgraph/web";

export type Provider = "openai" | "openai-responses" | "anthropic" | "gemini" | "chrome";

/** `base` is the default URL, `model` an example. */
export interface ProviderInfo {
  id: Provider;
  title: string;
  base: string;
  model: string;
  key: boolean;
}

export const PROVIDERS: readonly ProviderInfo[] = [
  { id: "openai", title: "OpenAI-compatible chat", base: "https://api.openai.com/v1", model: "gpt-5-mini", key: true },
  {
    id: "openai-responses",
    title: "OpenAI Responses",
    base: "https://api.openai.com/v1",
    model: "gpt-5-mini",
    key: true,
  },
  {
    id: "anthropic",
    title: "Anthropic Messages",
    base: "https://api.anthropic.com/v1",
    model: "claude-sonnet-5",
    key: true,
  },
  {
    id: "gemini",
    title: "Gemini",
    base: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-3-flash",
    key: true,
  },
  { id: "chrome", title: "Chrome's built-in model", base: "", model: "chrome", key: false },
];

export interface ModelEndpoint {
  provider: Provider;
  model: string;
  baseUrl?: string | undefined;
  key?: string | undefined;
}

/** The model may still need a download. Without a language, Chrome warns on the console. */
export async function isChromeModelAvailable(lang: string): Promise<boolean> {
  const model = (globalThis as { LanguageModel?: { availability(options: object): Promise<string> } }).LanguageModel;
  try {
    return (
      model !== undefined &&
      (await model.availability({ expectedOutputs: [{ type: "text", languages: [lang] }] })) !== "unavailable"
    );
  } catch {
    return false;
  }
}

export function createClient(
  { openai, openaiResponses, anthropic, gemini, chromeModel }: Engine,
  { provider, model, baseUrl, key }: ModelEndpoint,
  lang: string,
): ModelClient {
  const options = { model, ...(baseUrl ? { baseUrl } : {}), ...(key ? { apiKey: key } : {}) };
  switch (provider) {
    case "openai":
      return openai(options);
    case "openai-responses":
      return openaiResponses(options);
    case "anthropic":
      return anthropic(options);
    case "gemini":
      return gemini(options);
    case "chrome":
      return chromeModel({ languages: [lang] });
  }
}

/** Returns the problem, or null. */
export async function probeModel(
  client: ModelClient,
  signal?: AbortSignal,
): Promise<{ code: string; message: string } | null> {
  try {
    await client.chat(
      { model: null, messages: [{ role: "user", content: "Answer with the word ok." }], schema: null, max_tokens: 16 },
      signal ? { signal } : {},
    );
    return null;
  } catch (error) {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    return { code: typeof code === "string" ? code : "model/failed", message: String(message ?? error) };
  }
}
